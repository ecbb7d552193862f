package import RoostQuery
package import RoostRecords

/// A class whose rows are queried: the entity with the rows, and the condition that selects them.
///
/// The rows of a class and of its subclasses are stored in one entity, that of the topmost class. A
/// field of each row names its class. A property of a subclass is stored in a field whose name
/// begins with the class: `Dog/tricks`. Here it is called `tricks`.
///
/// ```
/// class    entity  numbers     fields
/// Animal   Animal  nil: all    name, Dog/tricks, Puppy/age, Cat/lives
/// Dog      Animal  [3, 4]      name, tricks, Puppy/age
/// Puppy    Animal  [4]         name, tricks, age
/// ```
package struct RowClass: Sendable {
  package let name: String
  /// The entity that has the rows.
  package let entity: Entity
  /// The numbers of the class and of its subclasses; nil for all rows of the entity.
  package let numbers: [UInt32]?
  /// The class, then the classes above it without the topmost one. Empty for a topmost class.
  private let lineage: [String]
  /// The classes below it.
  private let heirs: [String]

  /// All rows of an entity.
  package init(_ entity: Entity) {
    (name, self.entity) = (entity.name, entity)
    (numbers, lineage, heirs) = (nil, [], [])
  }

  /// A subclass.
  ///
  /// - Parameters:
  ///   - entity: The entity of the topmost class.
  ///   - above: The classes between the two, the nearest first.
  ///   - heirs: The classes below it.
  package init(_ name: String, in entity: Entity, above: [String], heirs: [String], _ catalog: Catalog) {
    (self.name, self.entity, self.heirs) = (name, entity, heirs)
    lineage = [name] + above
    numbers = ([name] + heirs).compactMap { catalog.id(of: $0)?.number }.sorted()
  }

  /// All rows of the entity with a number.
  package init(_ id: EntityID, _ catalog: Catalog) throws(QuestionFault) {
    guard let entity = catalog.entity(id) else {
      throw QuestionFault(detail: "the store has no entity \(id.number)", place: 0, text: "")
    }
    self.init(entity)
  }

  package var isSubclass: Bool { numbers != nil }

  // MARK: Rows

  /// The condition for rows of the class; nil for all rows of the entity.
  package var condition: RoostQuery.Expression? {
    guard let numbers, let field = entity.field(FieldNames.kind) else { return nil }
    let tests = numbers.map { number in
      RoostQuery.Expression.compare(
        .equal, .field(.row, field.id), .constant(.uint(UInt64(number)), .plain(.uint32)))
    }
    return tests.count == 1 ? tests[0] : .or(tests)
  }

  /// The query for the rows of the class that fulfil a condition.
  package func query(
    where condition: RoostQuery.Expression? = nil, by order: [Order] = [], offset: Int = 0, limit: Int? = nil
  ) -> Query {
    let both = [self.condition, condition].compactMap(\.self)
    return Query(
      entity.name, where: both.count > 1 ? .and(both) : both.first, by: order, offset: offset, limit: limit)
  }

  /// Whether a row of the entity belongs to the class.
  package func has(_ row: Row, _ table: TableReader) throws -> Bool {
    guard let numbers, let field = entity.field(FieldNames.kind), let access = table.access(field.id) else {
      return true
    }
    guard case .uint(let number) = try table.value(access, row) else { return false }
    return numbers.contains { UInt64($0) == number }
  }

  /// Whether the entity has a row with this number that belongs to the class.
  package func has(_ id: RowID, _ table: TableReader) throws -> Bool {
    if numbers == nil { return try table.contains(id) }
    var cursor = try table.cursor()
    return try cursor.seek(id) && has(cursor.row(), table)
  }

  /// The number of rows.
  package func count(_ reader: RecordReader) throws -> Int {
    numbers == nil ? try reader.table(entity.id).count : try Planner(Ground(reader)).count(query())
  }

  // MARK: Names

  /// The name of a field or relationship in the class; nil if the class does not have it.
  package func title(of name: String) -> String? {
    guard numbers != nil, let slash = name.firstIndex(of: "/") else { return name }
    let owner = String(name[..<slash])
    if lineage.contains(owner) { return String(name[name.index(after: slash)...]) }
    return heirs.contains(owner) ? name : nil
  }

  /// The possible names of a property in the store, the class's own first.
  private func names(_ name: String) -> [String] {
    lineage.map { $0 + "/" + name } + (title(of: name) == nil ? [] : [name])
  }

  package func field(_ name: String) -> Field? { names(name).lazy.compactMap { entity.field($0) }.first }

  /// Whether each row of the class has a value in a field that rows of other classes may lack.
  func always(_ field: Field) -> Bool { field.isNeeded && lineage.contains(String(field.name.prefix { $0 != "/" })) }

  package func relationship(_ name: String, _ catalog: Catalog) -> Relationship? {
    let known = relationships(catalog)
    return names(name).lazy.compactMap { name in known.first { $0.name == name } }.first
  }

  /// The relationships that the models declare.
  package func relationships(_ catalog: Catalog) -> [Relationship] {
    catalog.relationships(of: entity.id).filter { !$0.isHidden && title(of: $0.name) != nil }
  }

  /// The path of a struct in the store; nil if no struct has this path.
  package func structure(_ path: String) -> String? {
    names(path).first { name in entity.fields.contains { $0.name.hasPrefix(name + ".") || $0.isPresence(name) } }
  }

  /// The names of all properties, for help and completion.
  package func properties(_ catalog: Catalog) -> [String] {
    let fields = entity.fields.map(\.name).filter { !$0.hasPrefix("@") }.compactMap(title)
    let all = fields.map { String($0.prefix { $0 != "." }) } + relationships(catalog).compactMap { title(of: $0.name) }
    return Set(all).filter { !$0.contains("/") }.sorted()
  }

  /// The subclass that declares a property which this class lacks.
  package func heir(with property: String) -> String? {
    let ending = "/" + property
    return entity.fields.lazy.map(\.name).first { name in
      name.hasSuffix(ending) || name.contains(ending + ".")
    }.map { String($0.prefix { $0 != "/" }) }
  }
}

extension Field {
  fileprivate func isPresence(_ name: String) -> Bool { type == .presence && self.name == name }
}
