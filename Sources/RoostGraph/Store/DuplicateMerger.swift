internal import RoostFile
internal import RoostQuery
package import RoostRecords

/// Finds objects that have the same values of some properties, and merges them.
///
/// Everything that referenced the removed object then references the kept one: references, and
/// lists, including relationships without an inverse property on this side. So no delete rule
/// applies.
package struct DuplicateMerger {
  private let map: EntityMap
  private let fields: [FieldID]
  /// The names of references that are their own inverse.
  private let mutual: Set<String>

  /// - Parameters:
  ///   - store: the store.
  ///   - map: the map of the class.
  ///   - paths: the properties, or parts of structs. Each must be stored in the object's own row.
  package init(_ store: GraphStore, _ map: EntityMap, paths: [String]) throws {
    self.map = map
    mutual = Set(
      map.type.properties.indices.filter { store.isMutual(map, $0) && map.field($0) != nil }.map(map.type.fieldName))
    fields = try paths.map { path in
      if let field = map.entity.field(map.type.fieldName(ofPath: path)) { return field.id }
      throw MigrationFault(
        map.type.name, path,
        detail:
          "duplicates cannot be found by it, because it is not a stored value: name a property, or a part of a struct that is one"
      )
    }
  }

  // MARK: Finding

  /// The groups of rows that have the same values, each in the order of row numbers. Nil equals no
  /// other value.
  package func groups(_ reader: RecordReader) throws -> [[RowID]] {
    let table = try reader.table(map.entity.id)
    let accesses = fields.compactMap { table.access($0) }
    let query = Query(map.entity.name, where: map.condition())
    let alike = try DuplicateValues.find(table, accesses) { body in
      try Planner(Ground(reader)).plan(query).forEach { row in
        try body(row)
        return true
      }
    }
    return alike.values.filter { $0.count > 1 }.map { $0.sorted() }.sorted { $0[0] < $1[0] }
  }

  // MARK: Merging two

  /// The values of the removed object that the kept object takes over.
  package enum Taking: Sendable {
    case nothing
    case all
    case notNil
    /// The values of some properties.
    case some([Int])
  }

  package typealias Pair = DuplicatePair<RowID>

  /// Merges all pairs, one after the other.
  package func merge(_ pairs: [Pair], in writer: RecordWriter) throws {
    let table = try writer.table(map.entity.id)
    let ways = writer.catalog.relationships(of: map.entity.id).filter {
      if case .one = $0.shape { false } else { true }
    }
    for pair in pairs {
      let values = try taken(pair, writer)
      for way in ways { try move(way, pair, in: writer) }
      try table.delete(pair.duplicate)
      if values.isEmpty { continue }
      let slots = try values.compactMap { id, value in
        try table.entity.field(id).map { field in
          // An object must not get a reference to itself.
          let isItself =
            field.type == .reference(map.entity.id) && field.isOptional
            && (value == .reference(pair.kept) || value == .reference(pair.duplicate))
          return (try table.slot(field.name), isItself ? .null : value)
        }
      }
      try table.update(pair.kept) { builder in for (slot, value) in slots { try builder.set(slot, value) } }
      for one in writer.catalog.relationships(of: map.entity.id) where mutual.contains(one.name) {
        try writer.agree(mutual: one, of: pair.kept) { _ in }
      }
    }
  }

  /// The values of the removed object that the kept object takes over.
  private func taken(_ pair: Pair, _ writer: RecordWriter) throws -> [(FieldID, Value)] {
    let table = try writer.reading(map.entity.id)
    var taken: [(FieldID, Value)] = []
    for property in map.type.properties.indices where pair.takes(property, isNil: false) {
      let name = map.type.fieldName(property)
      let fields = map.entity.fields.filter { $0.name == name || $0.name.hasPrefix(name + ".") }
      let values = try table.withRow(pair.duplicate) { (row) throws(StoreError) in
        var values: [(FieldID, Value)] = []
        for field in fields {
          guard let access = table.access(field.id) else { continue }
          values.append((field.id, try table.value(access, row)))
        }
        return values
      }
      // The first field of an optional struct tells whether it is present.
      guard let values, let first = values.first, pair.takes(property, isNil: first.1.isNull) else { continue }
      taken += values
    }
    return taken
  }

  /// Moves the list members of the removed object to the kept one.
  private func move(_ way: Relationship, _ pair: Pair, in writer: RecordWriter) throws {
    let links = try writer.links(way)
    let members = try links.rows(of: pair.duplicate)
    if let other = writer.catalog.inverse(of: way), mutual.contains(other.name) {
      // The objects that the kept one references then reference it back.
      for member in members { try links.remove(member, from: pair.duplicate) }
      return
    }
    if way.traits.contains(.single) {
      // The partner is treated as a value of the property, whichever side stores it.
      guard let property = map.type.properties.indices.first(where: { map.type.fieldName($0) == way.name }),
        pair.takes(property, isNil: members.isEmpty)
      else {
        for member in members { try links.remove(member, from: pair.duplicate) }
        return
      }
      for partner in try links.rows(of: pair.kept) { try links.remove(partner, from: pair.kept) }
    }
    for member in members {
      let isItself = way.target == way.entity && (member == pair.kept || member == pair.duplicate)
      if !isItself { try links.append(member, to: pair.kept) }
      if case .links = way.shape { try links.remove(member, from: pair.duplicate) }
      if isItself, case .manyByReference = way.shape { try links.remove(member, from: pair.duplicate) }
    }
  }
}

/// Two objects to merge. A store names them by rows or by keys.
package struct DuplicatePair<Row> {
  package var kept: Row
  package var duplicate: Row
  package var taking: DuplicateMerger.Taking

  package init(kept: Row, duplicate: Row, taking: DuplicateMerger.Taking) {
    (self.kept, self.duplicate, self.taking) = (kept, duplicate, taking)
  }

  /// Whether the kept object takes over the value of a property.
  ///
  /// - Parameters:
  ///   - property: the property.
  ///   - isNil: whether the removed object has nil there.
  package func takes(_ property: Int, isNil: Bool) -> Bool {
    switch taking {
    case .nothing: false
    case .all: true
    case .notNil: !isNil
    case .some(let properties): properties.contains(property)
    }
  }
}

/// Finds rows with the same values.
enum DuplicateValues {
  /// The rows of each group of values that several rows have, and of a few values that only one row
  /// has. Rows with a nil are in no group.
  ///
  /// - Parameters:
  ///   - table: the table of the rows.
  ///   - accesses: the fields to compare.
  ///   - defaults: the value that nil means, by field; null if it means none.
  ///   - most: the limit on the rows of a group that are kept.
  ///   - forEach: visits the rows. It is called twice.
  static func find(
    _ table: TableReader, _ accesses: [FieldAccess], defaults: [Value]? = nil, most: Int = .max,
    forEach: ((Row) throws -> Void) throws -> Void
  ) throws -> [[Value]: [RowID]] {
    func values(_ row: Row) throws -> [Value]? {
      var values: [Value] = []
      for (place, access) in accesses.enumerated() {
        let value = try table.value(access, row)
        values.append(value.isNull ? defaults?[place] ?? .null : value)
      }
      return values.contains(.null) ? nil : values
    }
    // Hashes take less memory than values. Only rows with equal hashes are compared.
    var counts: [Int: UInt32] = [:]
    try forEach { row in if let found = try values(row) { counts[found.hashValue, default: 0] += 1 } }
    counts = counts.filter { $0.value > 1 }
    var alike: [[Value]: [RowID]] = [:]
    if counts.isEmpty { return alike }
    try forEach { row in
      guard let found = try values(row), counts[found.hashValue] != nil else { return }
      if alike[found, default: []].count < most { alike[found, default: []].append(row.id) }
    }
    return alike
  }
}
