internal import RoostFile
internal import RoostQuery
internal import RoostRecords

/// A value of each row that an export writes, with its name.
struct ExportColumn {
  enum Content {
    case value(FieldAccess)
    /// A reference, as the key of its target.
    case reference(FieldAccess, KeyWay)
    /// The rows of a relationship by links, as keys.
    case list(Relationship, KeyWay)
    /// Whether an optional struct has a value.
    case presence(FieldAccess)
    /// The name of the row's class.
    case kind(FieldAccess)
    /// The row's number.
    case number
    /// A value that a user typed: its index among some values.
    case computed(RowValues, Int)
    /// A reference that a user typed: the key of its target.
    case computedReference(RowValues, Int, KeyWay)
  }

  /// The name of the column of row numbers. Importers ignore it, and it is written only on request.
  static let numberName = "#"

  static func number(_ entity: Entity) -> ExportColumn {
    ExportColumn(name: numberName, content: .number, type: .reference(entity.id))
  }

  /// The columns with these names.
  ///
  /// - Parameter computes: Whether other words are values to compute for each row, such as
  ///   `album.title` or `plays * 2`.
  static func named(
    _ names: [String], among columns: [ExportColumn], _ rows: RowClass, reader: RecordReader, computes: Bool
  ) throws -> [ExportColumn] {
    let known = names.map { name in
      name == numberName ? number(rows.entity) : columns.first { $0.name == name }
    }
    if !computes, let unknown = zip(names, known).first(where: { $0.1 == nil })?.0 {
      throw TransferFault(
        .unknown, "\(rows.name) has no '\(unknown)'" + FieldNames.offer(unknown, columns.map(\.name)), field: unknown)
    }
    let typed = try zip(names, known).map { (name, known) in
      known == nil ? try TypedValue(name, of: rows, reader.catalog) : nil
    }
    let computed = typed.compactMap(\.self)
    let values = try RowValues(computed.map(\.expression), Ground(reader), entity: rows.entity.id)
    var place = 0
    let found = zip(known, typed).map { (known, typed) in
      guard let typed else { return known! }
      defer { place += 1 }
      if let target = typed.kind.entity {
        let way = KeyWay(target, reader.catalog)
        return ExportColumn(name: typed.name, content: .computedReference(values, place, way), type: way.type)
      }
      return ExportColumn(name: typed.name, content: .computed(values, place), type: typed.type)
    }
    var titles: Set<String> = []
    if let twice = found.first(where: { !titles.insert($0.name).inserted })?.name {
      throw TransferFault(
        .unknown, "two columns have the title '\(twice)': give one another, as in 'other = \(twice)'", field: twice)
    }
    return found
  }

  /// Whether a user typed it. Then its name is not the path of a struct's part.
  var isComputed: Bool {
    switch content {
    case .computed, .computedReference: true
    default: false
    }
  }

  /// Releases resources of computed values.
  func rest() {
    switch content {
    case .computed(let values, _), .computedReference(let values, _, _): values.rest()
    default: break
    }
  }

  var name: String
  let content: Content
  /// The type in which it is written.
  let type: FieldType
  /// The presence fields of the structs around it.
  var presences: [FieldAccess] = []

  /// All columns that an import can read back.
  static func all(_ rows: RowClass, _ reader: RecordReader) throws -> [ExportColumn] {
    let entity = rows.entity
    let (catalog, table) = (reader.catalog, try reader.table(entity.id))
    let relationships = catalog.relationships(of: entity.id)
    var columns: [ExportColumn] = []
    for field in entity.fields {
      guard let access = table.access(field.id), let title = rows.title(of: field.name) else { continue }
      if field.name == FieldNames.kind {
        columns.append(ExportColumn(name: title, content: .kind(access), type: .string))
      } else if field.type == .presence {
        columns.append(ExportColumn(name: title, content: .presence(access), type: .bool))
      } else if case .reference(let target) = field.type {
        let one = relationships.first { $0.shape == .one(field.id) }
        // The models do not name this side.
        if one?.isHidden == true { continue }
        let way = KeyWay(target, catalog)
        columns.append(ExportColumn(name: title, content: .reference(access, way), type: way.type))
      } else {
        let presences = FieldNames.above(field.name).compactMap { name in
          entity.field(name).flatMap { $0.type == .presence ? table.access($0.id) : nil }
        }
        columns.append(
          ExportColumn(name: title, content: .value(access), type: field.type, presences: presences))
      }
    }
    for one in relationships where one.shape == .links && !one.isHidden && isWritten(one, catalog) {
      guard let title = rows.title(of: one.name) else { continue }
      let way = KeyWay(one.target, catalog)
      columns.append(
        ExportColumn(name: title, content: .list(one, way), type: .array(.plain(way.type))))
    }
    return columns
  }

  /// Links are written on one side: on the ordered one, else on the one declared first.
  private static func isWritten(_ one: Relationship, _ catalog: Catalog) -> Bool {
    guard let other = catalog.inverse(of: one), !other.isHidden else { return true }
    return one.isOrdered == other.isOrdered ? one.id < other.id : one.isOrdered
  }

  /// The row's value, and the type in which it is written.
  func value(_ row: Row, _ table: TableReader, reader: RecordReader) throws -> (value: Value, type: FieldType) {
    for presence in presences where try table.value(presence, row).isNull { return (.null, type) }
    switch content {
    case .value(let access): return (try table.value(access, row), type)
    case .number: return (.reference(row.id), type)
    case .presence(let access):
      return (try table.value(access, row).isNull ? .null : .bool(true), type)
    case .kind(let access):
      guard case .uint(let number) = try table.value(access, row), let id = UInt32(exactly: number),
        let name = reader.catalog.name(of: EntityID(id))
      else { return (.null, type) }
      return (.string(name), type)
    case .reference(let access, let way):
      guard case .reference(let target) = try table.value(access, row) else { return (.null, type) }
      return (try Self.exported(target, way, reader: reader), way.type)
    case .computed(let values, let place): return (try values.value(place, row), type)
    case .computedReference(let values, let place, let way):
      guard case .reference(let target) = try values.value(place, row) else { return (.null, type) }
      return (try Self.exported(target, way, reader: reader), way.type)
    case .list(let one, let way):
      var values: [Value] = []
      for target in try reader.links(one).rows(of: row.id) {
        values.append(try Self.exported(target, way, reader: reader))
      }
      return (.array(values), type)
    }
  }

  /// The key of a row in a form that can be read back. If keys are texts, a row number is put into
  /// a list, because a text may look like a row number.
  static func exported(
    _ row: RowID, _ way: KeyWay, reader: RecordReader
  ) throws -> Value {
    let key = try key(of: row, way, reader).value
    if case .reference = key, way.isText { return .array([key]) }
    return key
  }

  /// The key of a row: the value of its unique field, or its number if there is none.
  static func key(
    of row: RowID, _ way: KeyWay, _ reader: RecordReader
  ) throws -> (value: Value, type: FieldType) {
    let number = (Value.reference(row), FieldType.reference(way.entity))
    guard let name = way.index else { return number }
    let table = try reader.table(way.entity)
    guard let index = table.index(name), let access = table.access(index.firstField) else { return number }
    let found = try table.withRow(row) { (row) throws(StoreError) in try table.value(access, row) }
    guard let found, !found.isNull else { return number }
    return (found, way.type)
  }
}
