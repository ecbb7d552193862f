internal import RoostPages
package import RoostRecords

/// A small store of random rows with a random catalog, all from one seed.
///
/// Rows have several layouts, some have text that is stored outside them, some refer to missing
/// rows.
package struct ConditionStage {
  /// A row to leave out, while a failure is reduced.
  package struct Place: Hashable, Sendable {
    package var entity: String
    package var row: RowID
  }

  package let store: RecordStore
  package private(set) var pool: ValuePool
  private var generator: SplitMix64
  private var counts: [String: Int] = [:]

  package static let names = ["One", "Two", "Three"]

  package init(seed: UInt64, without dropped: Set<Place> = []) throws {
    generator = SplitMix64(seed: seed)
    pool = ValuePool(&generator)
    var options = StoreOptions()
    options.fanoutLimit = 8
    store = try RecordStore(inMemory: options)
    let names = Array(Self.names.prefix(2 + generator.below(2)))
    let large = generator.chance(1, in: 20) ? generator.pick(names) : nil
    for (index, name) in names.enumerated() {
      counts[name] = generator.chance(1, in: 12) ? generator.below(2) : 5 + generator.below(16)
      if name == large { counts[name] = 150 + generator.below(200) }
      pool.rows[EntityID(UInt32(index + 1))] = counts[name]!
    }
    try store.write { try build($0, names) }
    // A separate generator, so that a seed always makes the same rows.
    var own = SplitMix64(seed: seed ^ 0x5EED)
    try store.write { writer in
      try writer.change { catalog in
        for name in names { try pool.addDefined(name, &catalog, generator: &own) }
      }
    }
    if !dropped.isEmpty {
      try store.write { writer in
        for place in dropped { try writer.table(place.entity).delete(place.row) }
      }
    }
  }

  private mutating func build(_ writer: RecordWriter, _ names: [String]) throws {
    try writer.change { catalog in
      for name in names { try catalog.add(entity: name) }
      for name in names { try addFields(to: name, &catalog, first: true) }
      if generator.chance(1, in: 2) { try addIndexes(names, &catalog) }
    }
    let half = counts.mapValues { $0 / 2 }
    for name in names { try insert(writer, name, count: half[name]!) }
    if generator.chance(3, in: 4) {
      try writer.change { catalog in
        for name in names where generator.chance(2, in: 3) { try addFields(to: name, &catalog, first: false) }
      }
    }
    for name in names { try insert(writer, name, count: counts[name]! - half[name]!) }
    try writer.change { catalog in
      try addIndexes(names, &catalog)
      try relate(&catalog)
    }
    for name in names { try shake(writer, name) }
    try link(writer)
    try arrange(writer)
  }

  // MARK: The catalog

  private static let collections: [FieldType] = [
    .array(.plain(.string)), .array(.plain(.int64)), .set(.plain(.string)), .array(.plain(.double)),
    .set(.plain(.int32)), .array(.optional(.plain(.int64))), .dictionary(.plain(.string), .plain(.int64)),
    .array(.structure([.init("number", .plain(.int64)), .init("flag", .optional(.plain(.bool)))])),
    .array(.structure([.init("name", .plain(.string)), .init("score", .optional(.plain(.double)))])),
    .array(.plain(.bool)), .dictionary(.plain(.int64), .plain(.string)), .array(.plain(.decimal)),
  ]

  private mutating func addFields(to name: String, _ catalog: inout Catalog, first: Bool) throws {
    let entities = catalog.entities
    try catalog.change(entity: name) { (entity) throws(RecordFault) in
      var types: [FieldType] = first ? [.int64, .string, .double, .bool] : []
      for _ in 0..<(first ? 2 + generator.below(5) : 1 + generator.below(3)) {
        types.append(generator.chance(1, in: 4) ? generator.pick(Self.collections) : generator.pick(ValuePool.types))
      }
      for _ in 0..<(first ? 1 + generator.below(2) : generator.below(2)) {
        types.append(.reference(generator.pick(entities).id))
      }
      if first, generator.chance(1, in: 3) {
        types.append(.array(.plain(.reference(generator.pick(entities).id))))
      }
      for type in types {
        let isOptional = generator.chance(2, in: 5)
        // A required reference would be invalid in existing rows.
        let initial = first || generator.chance(1, in: 3) ? nil : pool.draw(type, &generator)
        try entity.add(
          "\(Self.stem(type))\(entity.fields.count)", type, isOptional: isOptional, initial: initial)
      }
      if first, generator.chance(1, in: 2) {
        try entity.add("place", .presence, isOptional: true)
        try entity.add("place.city", .string, isOptional: true)
        try entity.add("place.number", .int32, isOptional: true)
      }
      if !first, generator.chance(1, in: 4), let some = entity.fields.first(where: { $0.name.hasPrefix("double") }) {
        try entity.rename(some.name, to: "was\(some.name)")
      }
    }
  }

  private static func stem(_ type: FieldType) -> String {
    switch type {
    case .array: "list"
    case .set: "set"
    case .dictionary: "map"
    case .reference: "ref"
    default: "\(type)"
    }
  }

  private mutating func addIndexes(_ names: [String], _ catalog: inout Catalog) throws {
    for name in names {
      guard let entity = catalog.entity(name) else { continue }
      let ordered = entity.fields.filter { $0.type != .presence && Self.isOrdered($0.type) }
      for number in 0..<generator.below(4) {
        var fields: [String] = []
        var hasText = false
        for _ in 0...generator.below(3) {
          let field = generator.pick(ordered)
          // Two long texts make a key that is too long for a tree.
          if fields.contains(field.name) || (hasText && field.type.width == nil) { continue }
          fields.append(field.name)
          hasText = hasText || field.type.width == nil
        }
        let descending = Set(fields.filter { _ in generator.chance(1, in: 3) })
        try catalog.add(
          index: "i\(catalog.indexes.count)-\(number)", of: name, on: fields, descending: descending,
          tests: generator.chance(1, in: 4) ? [indexTest(entity)] : [])
      }
    }
  }

  static func isOrdered(_ type: FieldType) -> Bool {
    switch type {
    case .array, .set, .dictionary, .presence: false
    default: true
    }
  }

  private mutating func indexTest(_ entity: Entity) -> Index.Test {
    let optional = entity.fields.filter { $0.isOptional && Self.isOrdered($0.type) }
    if !optional.isEmpty, generator.chance(2, in: 3) {
      let field = generator.pick(optional).id
      return generator.chance(1, in: 2) ? .isNull(field) : .isNotNull(field)
    }
    let field = generator.pick(entity.fields.filter { Self.isOrdered($0.type) })
    return .equals(field.id, pool.draw(field.type, &generator))
  }

  /// Gives each reference an index, and usually an inverse.
  private mutating func relate(_ catalog: inout Catalog) throws {
    for entity in catalog.entities {
      for field in entity.fields {
        guard case .reference = field.type else { continue }
        if generator.chance(1, in: 3) {
          let isDescending = generator.chance(1, in: 2)
          try catalog.add(
            index: "to-\(field.name)", of: entity.name, on: [field.name], descending: isDescending ? [field.name] : [])
        }
        if generator.chance(3, in: 4) {
          // Some references are invalid, which a checked relationship would refuse.
          let inverse = Catalog.Side("\(entity.name)-\(field.name)", isOrdered: generator.chance(1, in: 3))
          try catalog.add(reference: field.name, of: entity.name, inverse: inverse, isChecked: false)
        }
      }
      if generator.chance(1, in: 2) {
        let isOrdered = generator.chance(1, in: 2)
        try catalog.add(
          links: Catalog.Side("links", isOrdered: isOrdered), of: entity.name,
          to: generator.pick(catalog.entities).name, inverse: Catalog.Side("linked by \(entity.name)"),
          repeats: isOrdered && generator.chance(1, in: 2))
      }
    }
  }

  /// Links a few rows of each relationship with links.
  private mutating func link(_ writer: RecordWriter) throws {
    for relationship in writer.catalog.relationships where relationship.shape == .links && relationship.name == "links"
    {
      let rows = try [relationship.entity, relationship.target].map { try Self.rows(writer.reading($0)) }
      if rows[0].isEmpty || rows[1].isEmpty { continue }
      let links = try writer.links(relationship)
      for _ in 0..<generator.below(30) { _ = try links.append(generator.pick(rows[1]), to: generator.pick(rows[0])) }
    }
  }

  /// Gives some lists another order than that of the row numbers.
  private mutating func arrange(_ writer: RecordWriter) throws {
    for relationship in writer.catalog.relationships where relationship.isOrdered && relationship.shape != .links {
      let links = try writer.links(relationship)
      for owner in try Self.rows(writer.reading(relationship.entity)) {
        let count = try links.count(of: owner)
        if count < 2 || generator.chance(1, in: 2) { continue }
        try links.move(from: generator.below(count), to: generator.below(count), in: owner)
      }
    }
  }

  private static func rows(_ table: TableReader) throws -> [RowID] {
    var rows: [RowID] = []
    var cursor = try table.cursor()
    while try cursor.next() { rows.append(try cursor.id) }
    return rows
  }

  // MARK: Rows

  private mutating func draw(_ field: Field) -> Value {
    if field.isOptional, generator.chance(1, in: 3) { return .null }
    return pool.draw(field.type, &generator)
  }

  private mutating func insert(_ writer: RecordWriter, _ name: String, count: Int) throws {
    let table = try writer.table(name)
    for _ in 0..<count {
      var builder = table.makeBuilder()
      for field in table.entity.fields { try builder.set(table.slot(field.name), draw(field)) }
      _ = try table.insert(&builder)
    }
  }

  /// Changes and removes a few rows, and makes an index unique whose values are.
  private mutating func shake(_ writer: RecordWriter, _ name: String) throws {
    let table = try writer.table(name)
    for _ in 0..<generator.below(4) {
      let row = RowID(UInt64(1 + generator.below(max(counts[name]!, 1))))
      let field = generator.pick(table.entity.fields)
      let value = draw(field)
      try table.update(row) { builder in try builder.set(table.slot(field.name), value) }
    }
    if generator.chance(1, in: 3) { try table.delete(RowID(UInt64(1 + generator.below(max(counts[name]!, 1))))) }
    let ordered = table.entity.fields.filter { Self.isOrdered($0.type) }
    let short = ordered.filter { $0.type.width != nil }
    for _ in 0..<2 {
      let fields = Array(Set([generator.pick(ordered).name, generator.pick(short).name])).sorted()
      do {
        try writer.change {
          try $0.add(index: "u-\(fields.joined(separator: "-"))", of: name, on: fields, isUnique: true)
        }
      } catch let fault as RecordFault where fault.code == .notUnique || fault.code == .conflict {}
    }
  }

  // MARK: Uncommitted changes

  /// Changes some rows in a transaction that will not be committed.
  package mutating func disturb(_ writer: RecordWriter) throws {
    for entity in writer.catalog.entities {
      let table = try writer.table(entity.id)
      for _ in 0..<3 {
        let row = RowID(UInt64(1 + generator.below(max(counts[entity.name]!, 1))))
        let field = generator.pick(entity.fields)
        let value = draw(field)
        do {
          try table.update(row) { builder in try builder.set(table.slot(field.name), value) }
        } catch let fault as RecordFault where fault.code == .notUnique {}
      }
    }
  }
}
