import RoostRecords
import RoostTransfer

/// Compares the rows of an entity in two stores.
struct RowComparison {
  /// A property that exists in both stores.
  private struct Property {
    var name: String
    var old: FieldAccess
    var new: FieldAccess
    /// The target entity of a reference, in both stores.
    var target: (old: EntityID, new: EntityID)?
  }

  /// A list that exists in both stores.
  private struct List {
    var name: String
    var old: Relationship
    var new: Relationship
    /// Whether references determine the members, so that only their order is compared.
    var isOrderOnly: Bool
  }

  let oldTable: TableReader
  let newTable: TableReader
  private let old: RecordReader
  private let new: RecordReader
  private let left: RowClass
  private let right: RowClass
  private let isByKeys: Bool
  private let properties: [Property]
  private let lists: [List]
  private let oldName: ReferenceText
  /// The unique indexes that pair rows; nil if the stores have no common key.
  private var keys: (old: String?, new: String?) = (nil, nil)
  private let newName: ReferenceText

  init(_ leftRows: RowClass, _ rightRows: RowClass, in stores: StoreComparison) throws {
    (self.left, self.right) = (leftRows, rightRows)
    let (left, right) = (leftRows.entity, rightRows.entity)
    (old, new, isByKeys) = (stores.old, stores.new, stores.pairing == .keys)
    (oldTable, newTable) = (try old.table(left.id), try new.table(right.id))
    (oldName, newName) = (ReferenceText(of: left.id, old.catalog), ReferenceText(of: right.id, new.catalog))
    if let one = oldName.index, let other = newName.index {
      let (first, second) = (oldTable.index(one)?.firstField, newTable.index(other)?.firstField)
      let (before, after) = (first.flatMap { left.field($0) }, second.flatMap { right.field($0) })
      if let before, before.name == after?.name, before.type == after?.type { keys = (one, other) }
    }
    var properties: [Property] = []
    for field in left.fields {
      guard leftRows.title(of: field.name) != nil, let other = right.field(field.name),
        let one = oldTable.access(field.id),
        let two = newTable.access(other.id)
      else { continue }
      var property = Property(name: field.name, old: one, new: two)
      if case .reference(let before) = field.type, case .reference(let after) = other.type {
        property.target = (before, after)
      } else if field.type != other.type {
        // The comparison of the schemas reports it.
        continue
      }
      properties.append(property)
    }
    self.properties = properties
    let others = new.catalog.relationships(of: right.id)
    lists = old.catalog.relationships(of: left.id).compactMap { one in
      guard !one.isHidden, !one.isToOne, leftRows.title(of: one.name) != nil,
        let other = others.first(where: { $0.name == one.name && !$0.isToOne })
      else {
        return nil
      }
      let isOrderOnly = one.shape != .links
      return isOrderOnly && !one.isOrdered ? nil : List(name: one.name, old: one, new: other, isOrderOnly: isOrderOnly)
    }
  }

  // MARK: Rows

  /// The next row of the class.
  func next(_ cursor: inout RowCursor, isOld: Bool) throws -> Row? {
    while let row = try cursor.nextRow(isBackward: false) {
      if try isOld ? left.has(row, oldTable) : right.has(row, newTable) { return row }
    }
    return nil
  }

  /// Whether a possible partner belongs to the class.
  private func has(_ row: RowID, isOld: Bool) throws -> Bool {
    try isOld ? left.has(row, oldTable) : right.has(row, newTable)
  }

  // MARK: Partners

  /// The name of a row in the report.
  func name(of row: RowID, isOld: Bool) throws -> String {
    let text = isOld ? oldName : newName
    let value = try text.value(row, isOld ? old : new)
    return ValueWriter.plain(value)
  }

  /// The row of the other store with the same key, or with the same number if the entity has no
  /// key.
  func partner(of row: Row, isOld: Bool) throws -> RowID? {
    let (text, reader, table) = isOld ? (oldName, old, newTable) : (newName, new, oldTable)
    guard let index = isOld ? keys.new : keys.old, let found = table.index(index) else {
      return try has(row.id, isOld: !isOld) ? row.id : nil
    }
    let value = try text.value(row.id, reader)
    switch value {
    // The row has no key, so its partner has the same number and no key either.
    case .reference, .array:
      guard try has(row.id, isOld: !isOld) else { return nil }
      return try (isOld ? newName : oldName).value(row.id, isOld ? new : old) == value ? row.id : nil
    default: return try table.row(unique: found, [value]).flatMap { try has($0, isOld: !isOld) ? $0 : nil }
    }
  }

  // MARK: Values

  /// The properties whose values differ.
  func changes(_ before: Row, _ after: Row) throws -> [StoreComparison.Difference.Property] {
    var found: [StoreComparison.Difference.Property] = []
    for property in properties {
      let (one, two) = (try oldTable.value(property.old, before), try newTable.value(property.new, after))
      let type = property.old.field.type
      if let target = property.target {
        let (left, right) = (try text(one, target.old, isOld: true), try text(two, target.new, isOld: false))
        if left != right { found.append(.init(name: property.name, old: left, new: right)) }
      } else if !Self.isSame(one, two, as: type) {
        found.append(
          .init(name: property.name, old: Self.text(one, as: type), new: Self.text(two, as: type)))
      }
    }
    for list in lists {
      let (one, two) = (try old.links(list.old).rows(of: before.id), try new.links(list.new).rows(of: after.id))
      if !isByKeys, one == two { continue }
      var left = try one.map { try text(.reference($0), list.old.target, isOld: true) ?? "nil" }
      var right = try two.map { try text(.reference($0), list.new.target, isOld: false) ?? "nil" }
      if list.isOrderOnly, left.sorted() != right.sorted() { continue }
      if !list.old.isOrdered { (left, right) = (left.sorted(), right.sorted()) }
      if left != right { found.append(.init(name: list.name, old: Self.text(left), new: Self.text(right))) }
    }
    return found
  }

  private func text(_ value: Value, _ target: EntityID, isOld: Bool) throws -> String? {
    guard case .reference(let row) = value else { return nil }
    if !isByKeys { return "#\(row.number)" }
    let reader = isOld ? old : new
    return ValueWriter.plain(try ReferenceText(of: target, reader.catalog).value(row, reader))
  }

  private static func text(_ rows: [String]) -> String {
    "[" + rows.prefix(20).joined(separator: ", ") + (rows.count > 20 ? ", and \(rows.count - 20) more]" : "]")
  }

  private static func text(_ value: Value, as type: FieldType) -> String? {
    if value.isNull { return nil }
    let text = DumpText.text(value, as: type)
    return text.utf8.count <= 400 ? text : String(text.prefix(200)) + "… (\(text.utf8.count) bytes)"
  }

  /// Whether two values have the same bits, as far as a program can see them.
  private static func isSame(_ one: Value, _ two: Value, as type: FieldType) -> Bool {
    switch (one, two) {
    case (.string(let one), .string(let two)), (.url(let one), .url(let two)): one.utf8.elementsEqual(two.utf8)
    case (.double(let one), .double(let two)), (.date(let one), .date(let two)): one.bitPattern == two.bitPattern
    case (.float(let one), .float(let two)): one.bitPattern == two.bitPattern
    case (.array, .array), (.set, .set), (.dictionary, .dictionary):
      DumpText.text(one, as: type) == DumpText.text(two, as: type)
    default: one == two
    }
  }
}
