package import RoostQuery
package import RoostRecords

/// A class and its subclasses in one store: rows of one entity, each of which stores the class of
/// its object.
///
/// A class has a number, which is the number of an entity without rows that has the class's name.
/// So it keeps the number when other classes are added or removed. Rows older than the class field
/// are of one class: the root class, or the class that had the entity before it got a superclass.
/// This class is the field's initial value.
package final class Family: Sendable {
  /// The number of the home map, which names the rows of all these classes.
  let home: Int
  /// The field that stores the class.
  package let field: FieldID
  /// The position of the field in the rows of each layout, by version; nil if the layout is older.
  private let positions: [Int?]
  /// The class of rows that are older than the field.
  private let oldest: UInt32
  /// Numbers of maps by class number.
  private let members: [UInt32: Int]
  private let classNumbers: [Int: UInt32]
  /// By number of a map, the numbers of its class and its subclasses.
  private let kinds: [Int: Set<Int>]
  /// Whether there were rows of classes outside the models when the store was opened.
  private let hasStrangers: Bool

  static let fieldName = "@class"
  static let indexName = "@@class"

  /// The position of the class in a row of the layout; nil if the layout has none.
  static func position(_ entity: Entity, _ layout: Layout) -> Int? {
    guard let field = entity.field(fieldName) else { return nil }
    return layout.members.firstIndex { $0.id == field.id }.map { layout.slots[$0].position }
  }

  /// The family of the models whose rows an entity contains; nil if there is and was only one
  /// class.
  private init?(
    _ entity: Entity, _ models: [(number: Int, type: _ModelType)], catalog: Catalog, reader: RecordReader
  )
    throws
  {
    guard let field = entity.field(Self.fieldName), let root = models.first(where: { $0.type.superType == nil }) else {
      return nil
    }
    self.field = field.id
    home = root.number
    positions = entity.layouts.enumerated().map {
      Self.position(entity, Layout(version: UInt16($0.offset), $0.element))
    }
    if case .uint(let number)? = field.initial {
      oldest = UInt32(truncatingIfNeeded: number)
    } else {
      oldest = entity.id.number
    }
    var members: [UInt32: Int] = [:]
    var classNumbers: [Int: UInt32] = [:]
    for model in models {
      guard let id = catalog.id(of: model.type.name) else { continue }
      members[id.number] = model.number
      classNumbers[model.number] = id.number
    }
    self.members = members
    self.classNumbers = classNumbers
    kinds = Dictionary(
      models.map { one in (one.number, Set(models.filter { $0.type.isKind(of: one.type) }.map(\.number))) }
    ) { first, _ in first }
    let known = Self.condition(.row, field.id, numbers: classNumbers.values.sorted())
    let count = try Planner(Ground(reader)).count(Query(entity.name, where: known))
    hasStrangers = try count < reader.table(entity.id).count
  }

  /// The families of the models, by name of the root class.
  static func all(_ models: [ModelPlan], _ catalog: Catalog, records: RecordStore) throws -> [String: Family] {
    var groups: [String: [(number: Int, type: _ModelType)]] = [:]
    for (number, model) in models.enumerated() {
      groups[model.type.root.name, default: []].append((number, model.type))
    }
    var families: [String: Family] = [:]
    for (name, group) in groups {
      guard let entity = catalog.entity(name), entity.field(fieldName) != nil else { continue }
      families[name] = try records.read { try Family(entity, group, catalog: catalog, reader: $0) }
    }
    return families
  }

  func classNumber(_ map: Int) -> UInt32? { classNumbers[map] }

  /// Whether the objects of one map are also objects of another's class.
  func isKind(_ map: Int, of other: Int) -> Bool { kinds[other]?.contains(map) == true }

  /// The number of the map of a row's class; nil if the class is not among the models.
  @inline(__always)
  func map(of row: Row) -> Int? {
    guard let position = positions[row.version] else { return members[oldest] }
    return members[UInt32(littleEndian: row.start.loadUnaligned(fromByteOffset: position, as: UInt32.self))]
  }

  /// The number of the map for a class number that a deleted row had; nil means a row older than
  /// the first subclass.
  func map(ofClass number: UInt32?) -> Int? { members[number ?? oldest] }

  // MARK: Conditions

  /// The condition that a row is of one of these maps' classes.
  package func condition(_ row: RoostQuery.Expression, _ maps: some Sequence<EntityMap>) -> RoostQuery.Expression {
    Self.condition(row, field, numbers: maps.compactMap { classNumbers[$0.number] }.sorted())
  }

  /// The condition that is true only for rows of a map; nil if all rows are.
  func condition(of map: Int, includesSubclasses: Bool) -> RoostQuery.Expression? {
    let kinds = includesSubclasses ? kinds[map] ?? [map] : [map]
    if kinds.count == classNumbers.count, !hasStrangers { return nil }
    return Self.condition(.row, field, numbers: kinds.compactMap { classNumbers[$0] }.sorted())
  }

  static func condition(
    _ row: RoostQuery.Expression, _ field: FieldID, numbers: [UInt32]
  ) -> RoostQuery.Expression {
    let tests = numbers.map { number in
      RoostQuery.Expression.compare(
        .equal, .field(row, field), .constant(.uint(UInt64(number)), .plain(.uint32)))
    }
    return tests.count == 1 ? tests[0] : .or(tests)
  }
}
