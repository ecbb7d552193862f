internal import RoostGraph
internal import RoostRecords
internal import RoostTestSupport

/// Changes of rows by a program.
extension ChainPlay {
  /// Inserts rows and changes some, as a program of the store's version does.
  mutating func change(_ state: inout State) throws {
    guard let version = state.version else { return }
    let store = try RecordStore(path, options: options, fileSystem: state.files)
    var world = state.world
    try store.write { writer in
      for entity in version.entities { try change(entity, version, world: &world, writer: writer) }
      for entity in version.entities {
        for link in entity.links {
          let key = version.stored(ChainKey(entity: entity.name, name: link.name))
          try relate(key, of: entity.name, to: link.target, world: &world, writer: writer)
        }
      }
    }
    try store.close()
    try check(state.files, world, version: version)
    state.world = try self.world(state.files)
  }

  /// Inserts rows of a class, and changes some.
  private mutating func change(
    _ entity: ChainVersion.Entity, _ version: ChainVersion, world: inout ChainWorld,
    writer: RecordWriter
  ) throws {
    let root = version.root(entity.name)
    let table = try writer.table(root)
    for _ in 0..<random.below(12) {
      let old = world.tables[root]?.classes.filter { $0.value == entity.name }.keys.sorted() ?? []
      let row = old.isEmpty || random.chance(3, in: 4) ? nil : random.pick(old)
      guard let values = draw(entity, version, world: world, except: row) else { continue }
      if let row {
        try table.update(RowID(row)) { builder in
          for (name, value) in values { try builder.set(table.slot(name), value) }
        }
        for (name, value) in values { world.tables[root]?.rows[row]?[name] = value }
        continue
      }
      // Only the links of a topmost class may require an object.
      let links = version.entities.first { $0.name == root }?.links ?? []
      let needs = links.filter {
        world.sides[ChainKey(entity: root, name: $0.name)]?.isRequired == true
      }
      let targets = needs.map { ($0.name, world.rows($0.target)) }
      if targets.contains(where: \.1.isEmpty) { continue }
      var builder = table.makeBuilder()
      if table.entity.field("@class") != nil,
        let number = writer.catalog.id(of: entity.name)?.number
      {
        try builder.set(table.slot("@class"), .uint(UInt64(number)))
      }
      let references = targets.map { ($0, random.pick($1)) }
      for (name, target) in references {
        try builder.set(table.slot(name), .reference(RowID(target)))
      }
      for (name, value) in values { try builder.set(table.slot(name), value) }
      let new = try table.insert(&builder).number
      // Parked properties are nil in new rows.
      let types =
        world.tables[root]?.types.keys.filter { ChainWorld.Table.has($0, entity.name) } ?? []
      var all = Dictionary(types.map { ($0, Value.null) }) { first, _ in first }
      all.merge(values) { $1 }
      world.tables[root]?.rows[new] = all
      world.tables[root]?.classes[new] = entity.name
      for (name, target) in references {
        world.set(ChainKey(entity: root, name: name), of: new, to: [target])
      }
    }
  }

  /// Changes some lists or references of one side of a relationship.
  private mutating func relate(
    _ key: ChainKey, of owner: String, to target: String, world: inout ChainWorld,
    writer: RecordWriter
  ) throws {
    guard let side = world.sides[key] else { return }
    let (owners, rows) = (world.rows(owner), world.rows(target))
    if owners.isEmpty || rows.isEmpty { return }
    let other = ChainKey(entity: side.target, name: side.inverse ?? "")
    for _ in 0..<random.below(8) {
      let owner = random.pick(owners)
      let old = world.sides[key]?.lists[owner] ?? []
      var new = old
      // Rows that another row references already, if only one row may reference them.
      let taken = world.sides[other].map { $0.isToMany ? [] : Set($0.lists.keys) } ?? []
      let free = rows.filter { !taken.contains($0) && !old.contains($0) }
      if side.isToMany {
        new.shuffle(using: &random)
        let isFixed = world.sides[other]?.isRequired == true
        if !isFixed, !new.isEmpty, random.chance(1, in: 3) { new.removeLast() }
        if !isFixed, !free.isEmpty {
          new.insert(random.pick(free), at: random.below(new.count + 1))
        }
        try writer.links(key.name, of: key.entity).replace(new.map { RowID($0) }, of: RowID(owner))
      } else if side.form == .reference {
        if free.isEmpty || (!side.isRequired && random.chance(1, in: 4)) {
          new = []
        } else {
          new = [random.pick(free)]
        }
        if side.isRequired, new.isEmpty { continue }
        let table = try writer.table(key.entity)
        try table.update(RowID(owner)) { builder in
          try builder.set(table.slot(key.name), new.first.map { .reference(RowID($0)) } ?? .null)
        }
      } else if old.isEmpty, !free.isEmpty {
        new = [random.pick(free)]
        try writer.links(key.name, of: key.entity).append(RowID(new[0]), to: RowID(owner))
      }
      world.set(key, of: owner, to: new)
    }
  }

  /// Returns values for a row; nil if other rows have all values of a unique property.
  private mutating func draw(
    _ entity: ChainVersion.Entity, _ version: ChainVersion, world: ChainWorld, except row: UInt64?
  ) -> [String: Value]? {
    var values: [String: Value] = [:]
    let above = version.entities.filter { $0.name == entity.above }
    for (owner, property) in (above + [entity]).flatMap({ one in one.properties.map { (one, $0) } }) {
      let name = owner.prefix + property.name
      let isNil = property.isOptional && random.chance(1, in: 3)
      let value = isNil ? Value.null : maker.value(property.type)
      let others =
        world.tables[version.root(entity.name)]?.rows.filter { $0.key != row }.values.compactMap {
          $0[name]
        } ?? []
      if property.isUnique, !value.isNull, others.contains(value) { return nil }
      values[name] = value
    }
    return values
  }
}
