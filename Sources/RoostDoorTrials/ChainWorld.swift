internal import RoostGraph
internal import RoostRecords

/// The content of a store, in plain Swift: the expected result of the openings.
struct ChainWorld: Equatable {
  struct Table: Equatable {
    /// The types of properties, including parked ones.
    var types: [String: FieldType] = [:]
    /// The values. A row has the fields of its class, and those of the superclass.
    var rows: [UInt64: [String: Value]] = [:]
    /// For each row, the name of its class.
    var classes: [UInt64: String] = [:]

    /// Whether rows of a class have a field.
    static func has(_ field: String, _ name: String) -> Bool {
      !field.contains("/") || field.hasPrefix(name + "/")
    }
  }

  var tables: [String: Table] = [:]
  /// The sides of relationships that have names, including parked ones.
  var sides: [ChainKey: Side] = [:]

  init() {}

  /// Returns the rows of a class or of its subclasses.
  func rows(_ entity: String) -> [UInt64] {
    if let table = tables[entity], !table.rows.isEmpty { return table.rows.keys.sorted() }
    let table = tables.values.first { $0.classes.values.contains(entity) }
    return table?.rows.keys.filter { table?.classes[$0] == entity }.sorted() ?? []
  }

  /// Returns the world after an opening; nil if the opening must be refused.
  func opened(by version: ChainVersion, _ formerNames: [String: [String: String]]) -> ChainWorld? {
    var world = self
    for entity in version.entities { if !world.place(entity, version) { return nil } }
    for entity in version.entities {
      world.rename(entity, formerNames[entity.name] ?? [:], version: version)
      world.move(entity, formerNames[entity.name] ?? [:], version: version)
    }
    for entity in version.entities {
      let root = version.root(entity.name)
      guard var table = world.tables[root] else { return nil }
      for property in entity.properties {
        let name = entity.prefix + property.name
        guard table.take(property, as: name, of: entity.above == nil ? nil : entity.name) else {
          return nil
        }
        if property.isUnique {
          let values = table.rows.values.compactMap { $0[name] }.filter { !$0.isNull }
          if Set(values).count < values.count { return nil }
        }
      }
      world.tables[root] = table
    }
    return world.relate(version) ? world : nil
  }

  /// Adds a table for the rows of a class. Returns false if they would have to be rows of another
  /// entity.
  private mutating func place(_ entity: ChainVersion.Entity, _ version: ChainVersion) -> Bool {
    guard let above = entity.above else {
      // The class in between may be a new superclass, to which a subclass gives its rows.
      if tables[entity.name] == nil,
        let heir = version.entities.first(where: { $0.above == entity.name }),
        let table = tables[heir.name], !table.types.isEmpty
      {
        tables[entity.name] = table
        tables[heir.name] = Table()
        for (key, side) in sides {
          var side = side
          if side.target == heir.name { side.target = entity.name }
          sides[key] = nil
          sides[key.entity == heir.name ? ChainKey(entity: entity.name, name: key.name) : key] =
            side
        }
      }
      tables[entity.name] = tables[entity.name] ?? Table()
      return true
    }
    tables[entity.name] = tables[entity.name] ?? Table()
    return tables[entity.name]?.rows.isEmpty == true && tables[above] != nil
  }

  /// Returns the properties of a class that the store has, without the name of the class.
  private func known(_ entity: ChainVersion.Entity, _ root: String) -> Set<String> {
    let names =
      (tables[root]?.types.keys ?? [:].keys) + sides.keys.filter { $0.entity == root }.map(\.name)
    let own = names.filter { $0.hasPrefix(entity.prefix) }.map {
      String($0.dropFirst(entity.prefix.count))
    }
    return Set(own.filter { !$0.contains("/") })
  }

  /// Gives a class's properties and relationships their new names.
  private mutating func rename(
    _ entity: ChainVersion.Entity, _ formerNames: [String: String], version: ChainVersion
  ) {
    let (root, prefix) = (version.root(entity.name), entity.prefix)
    let known = known(entity, root)
    var names: [String: String] = [:]
    for (name, former) in formerNames
    where !known.contains(name) && known.contains(former) && names[prefix + former] == nil {
      names[prefix + former] = prefix + name
    }
    rename(names, of: root)
  }

  /// Finds properties that the superclass or the subclass had before.
  private mutating func move(
    _ entity: ChainVersion.Entity, _ formerNames: [String: String], version: ChainVersion
  ) {
    let root = version.root(entity.name)
    for other in version.entities
    where other.name != entity.name && (other.above == entity.name || entity.above == other.name) {
      let (here, there) = (known(entity, root), known(other, root))
      let declared = Set(other.properties.map(\.name) + other.links.map(\.name))
      for name in entity.properties.map(\.name) + entity.links.map(\.name)
      where !here.contains(name) {
        let before = [formerNames[name], name].compactMap { $0 }.first {
          there.contains($0) && !declared.contains($0)
        }
        if let before { rename([other.prefix + before: entity.prefix + name], of: root) }
      }
    }
  }

  private mutating func rename(_ names: [String: String], of root: String) {
    if names.isEmpty { return }
    func new(_ name: String) -> String { names[name] ?? name }
    tables[root]?.rename(new)
    for (key, side) in sides {
      var renamed = side
      if side.target == root { renamed.inverse = side.inverse.map(new) }
      sides[key] = nil
      sides[key.entity == root ? ChainKey(entity: root, name: new(key.name)) : key] = renamed
    }
  }

  // MARK: A store

  /// Reads the content of a store.
  init(_ reader: RecordReader) throws {
    for entity in reader.catalog.entities {
      var table = Table()
      for field in entity.fields where !Self.isReference(field) && !field.name.hasPrefix("@") {
        table.types[field.name] = field.type
      }
      let rows = try reader.table(entity.id)
      var cursor = try rows.cursor()
      while try cursor.next() {
        let id = try cursor.id
        let values = try rows.values(id) ?? [:]
        var name = entity.name
        if case .uint(let number)? = values["@class"] {
          name = reader.catalog.name(of: EntityID(UInt32(number))) ?? "none"
        }
        table.classes[id.number] = name
        table.rows[id.number] = values.filter {
          table.types[$0.key] != nil && Table.has($0.key, name)
        }
      }
      tables[entity.name] = table
    }
    sides = try Self.sides(reader)
  }

  private static func isReference(_ field: Field) -> Bool {
    if case .reference = field.type { true } else { false }
  }

  /// Describes the first difference from another world.
  func difference(from other: ChainWorld) -> String? {
    for name in Set(tables.keys).union(other.tables.keys).sorted() {
      guard let here = tables[name], let there = other.tables[name] else {
        return "one has no \(name)"
      }
      if here.types != there.types {
        return
          "\(name) has the fields \(here.types.keys.sorted()), and not \(there.types.keys.sorted())"
      }
      for row in Set(here.rows.keys).union(there.rows.keys).sorted() {
        guard let one = here.rows[row], let two = there.rows[row] else {
          return "one has no row \(row) of \(name)"
        }
        if here.classes[row] != there.classes[row] {
          return
            "\(name) \(row) is a \(here.classes[row] ?? "none"), and not a \(there.classes[row] ?? "none")"
        }
        for field in Set(one.keys).union(two.keys).sorted() where one[field] != two[field] {
          return
            "\(name) \(row).\(field) is \(Self.text(one[field])), and not \(Self.text(two[field]))"
        }
      }
    }
    return linkDifference(from: other)
  }

  private static func text(_ value: Value?) -> String {
    value.map { String("\($0)".prefix(60)) } ?? "absent"
  }
}

extension ChainWorld.Table {
  fileprivate mutating func rename(_ new: (String) -> String) {
    types = Dictionary(types.map { (new($0), $1) }) { first, _ in first }
    for (row, values) in rows {
      let name = classes[row] ?? ""
      let renamed = values.map { (new($0), $1) }.filter { Self.has($0.0, name) }
      rows[row] = Dictionary(renamed) { first, _ in first }
      // A property that moves to the superclass has no value in other rows.
      for field in types.keys where Self.has(field, name) && rows[row]?[field] == nil {
        rows[row]?[field] = .null
      }
    }
  }

  /// Adds a property. Returns false if that must be refused.
  fileprivate mutating func take(
    _ property: ChainVersion.Property, as name: String, of subclass: String?
  ) -> Bool {
    let isNew = types[name] == nil
    if let type = types[name], type != property.type { return false }
    types[name] = property.type
    for number in rows.keys.sorted() where subclass == nil || classes[number] == subclass {
      let known = isNew ? .null : rows[number]?[name] ?? .null
      if isNew || (known.isNull && !property.isOptional) {
        if property.initial == nil, !property.isOptional { return false }
        rows[number]?[name] = property.initial ?? .null
      }
    }
    return true
  }
}
