internal import RoostGraph
internal import RoostRecords
internal import RoostTestSupport

/// Random steps of relationships.
extension ChainMaker {
  /// Adds a relationship. There are few names, and mostly they say the target and the kind, so
  /// parked relationships often come back.
  mutating func addLink(_ version: inout ChainVersion, to known: ChainKey? = nil) {
    let number = random.below(6)
    let usual = "E\(number % 3)"
    let isUsual = random.chance(5, in: 6) && version.entities.contains { $0.name == usual }
    let owner = known.flatMap { version.link($0)?.target } ?? random.pick(version.entities).name
    let target = known?.entity ?? (isUsual ? usual : random.pick(version.entities).name)
    let key = ChainKey(entity: owner, name: "l\(number)")
    guard !version.taken(by: owner).contains(key.name),
      let place = version.entities.firstIndex(where: { $0.name == owner })
    else { return }
    let isToMany = random.chance(1, in: 6) ? random.chance(1, in: 2) : number < 3
    let link = ChainLink(lineage: takeLineage(), name: key.name, target: target, isToMany: isToMany)
    version.entities[place].links.append(link)
    if let known {
      version.join(known, with: key)
      version.note("add an inverse")
    } else {
      version.note("add a relationship")
      if random.chance(1, in: 2) { addLink(&version, to: key) }
    }
    if random.chance(1, in: 6) { require(key, &version) }
  }

  private mutating func require(_ key: ChainKey, _ version: inout ChainVersion) {
    guard let link = version.link(key), !link.isToMany, version.root(key.entity) == key.entity
    else { return }
    if let inverse = link.inverse,
      version.link(ChainKey(entity: link.target, name: inverse))?.isToMany == false
    {
      return
    }
    version.edit(key) { $0.isRequired.toggle() }
    version.note("require a reference, or not")
  }

  mutating func changeLink(_ version: inout ChainVersion) {
    let keys = version.entities.flatMap { entity in
      entity.links.map { ChainKey(entity: entity.name, name: $0.name) }
    }
    guard !keys.isEmpty else { return addLink(&version) }
    let key = random.pick(keys)
    guard let link = version.link(key) else { return }
    let inverse = link.inverse.map { ChainKey(entity: link.target, name: $0) }
    switch random.below(16) {
    case 0, 1: addLink(&version)
    case 2, 3: if inverse == nil { addLink(&version, to: key) }
    case 4, 5:
      if let inverse { version.remove(inverse) }
      version.note("remove an inverse")
    case 6:
      version.part(key)
      version.note("part two sides")
    case 7, 8:
      if let inverse, random.chance(1, in: 2) { version.remove(inverse) }
      version.remove(key)
      version.note("remove a relationship")
    case 9, 10, 11:
      if link.isToMany, random.chance(3, in: 4) { return }
      version.edit(key) {
        $0.isToMany.toggle()
        $0.isRequired = false
      }
      if let inverse, !link.isToMany == false { version.edit(inverse) { $0.isRequired = false } }
      version.note(link.isToMany ? "to-many to to-one" : "to-one to to-many")
    case 12:
      version.rename(key, to: takeName("m"))
      version.note("rename a relationship")
    case 13:
      version.edit(key) { $0.deleteRule = random.pick([.nullify, .cascade, .deny]) }
      version.note("change a delete rule")
    case 14: require(key, &version)
    default:
      let others = keys.filter {
        $0.entity == link.target && $0 != key && version.link($0)?.target == key.entity
      }
      if others.isEmpty { return }
      version.join(key, with: random.pick(others))
      version.note("another inverse")
    }
  }
}
