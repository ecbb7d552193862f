internal import RoostGraph
internal import RoostRecords

/// What a store holds, in plain Swift: the oracle of the openings.
struct ChainWorld: Equatable {
  struct Table: Equatable {
    /// Also of properties that are parked.
    var types: [String: FieldType] = [:]
    var rows: [UInt64: [String: Value]] = [:]
  }

  var tables: [String: Table] = [:]

  init() {}

  /// The world after an opening; nil if the opening must be refused.
  func opened(by version: ChainVersion, _ formerNames: [String: [String: String]]) -> ChainWorld? {
    var world = self
    for entity in version.entities {
      var table = tables[entity.name] ?? Table()
      table.rename(entity, formerNames[entity.name] ?? [:])
      for property in entity.properties {
        guard table.take(property) else { return nil }
        if property.isUnique {
          let values = table.rows.values.compactMap { $0[property.name] }.filter { !$0.isNull }
          if Set(values).count < values.count { return nil }
        }
      }
      world.tables[entity.name] = table
    }
    return world
  }

  // MARK: A store

  /// What a store holds.
  init(_ reader: RecordReader) throws {
    for entity in reader.catalog.entities {
      var table = Table()
      for field in entity.fields { table.types[field.name] = field.type }
      let rows = try reader.table(entity.id)
      var cursor = try rows.cursor()
      while try cursor.next() {
        let id = try cursor.id
        table.rows[id.number] = try rows.values(id)
      }
      tables[entity.name] = table
    }
  }

  /// The first difference to another world, in words.
  func difference(from other: ChainWorld) -> String? {
    for name in Set(tables.keys).union(other.tables.keys).sorted() {
      guard let here = tables[name], let there = other.tables[name] else { return "one has no \(name)" }
      if here.types != there.types {
        return "\(name) has the fields \(here.types.keys.sorted()), and not \(there.types.keys.sorted())"
      }
      for row in Set(here.rows.keys).union(there.rows.keys).sorted() {
        guard let one = here.rows[row], let two = there.rows[row] else { return "one has no row \(row) of \(name)" }
        for field in one.keys.sorted() where one[field] != two[field] {
          return "\(name) \(row).\(field) is \(Self.text(one[field])), and not \(Self.text(two[field]))"
        }
      }
    }
    return nil
  }

  private static func text(_ value: Value?) -> String { value.map { String("\($0)".prefix(60)) } ?? "absent" }
}

extension ChainWorld.Table {
  /// Gives fields the names of properties that say what they were called.
  fileprivate mutating func rename(_ entity: ChainVersion.Entity, _ formerNames: [String: String]) {
    var names: [String: String] = [:]
    for (name, former) in formerNames where types[name] == nil && types[former] != nil && names[former] == nil {
      names[former] = name
    }
    func new(_ name: String) -> String { names[name] ?? name }
    types = Dictionary(types.map { (new($0), $1) }) { first, _ in first }
    rows = rows.mapValues { row in Dictionary(row.map { (new($0), $1) }) { first, _ in first } }
  }

  /// Makes room for a property; false if that must be refused.
  fileprivate mutating func take(_ property: ChainVersion.Property) -> Bool {
    let isNew = types[property.name] == nil
    if let type = types[property.name], type != property.type { return false }
    types[property.name] = property.type
    for number in rows.keys.sorted() {
      let known = isNew ? .null : rows[number]?[property.name] ?? .null
      if isNew || (known.isNull && !property.isOptional) {
        if property.initial == nil, !property.isOptional { return false }
        rows[number]?[property.name] = property.initial ?? .null
      }
    }
    return true
  }
}
