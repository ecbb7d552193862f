internal import RoostRecords
internal import RoostTestSupport

/// Random steps of subclasses. A family has one subclass, and a class stays in its family.
extension ChainMaker {
  mutating func changeClass(_ version: inout ChainVersion) {
    let heirs = version.entities.filter { $0.above != nil }
    switch random.below(5) {
    case 0: addSubclass(&version)
    case 1: addSuperclass(&version)
    case 2:
      guard let heir = heirs.first(where: { $0.name.hasPrefix("S") }), random.chance(1, in: 2)
      else { return }
      version.remove(entity: heir.name)
      version.note("remove a subclass")
    default:
      if heirs.isEmpty { return addSubclass(&version) }
      let heir = random.pick(heirs)
      move(heir.name, heir.above ?? "", version: &version)
    }
  }

  private mutating func addSubclass(_ version: inout ChainVersion) {
    let name = random.pick(version.entities.filter { $0.name.hasPrefix("E") }.map(\.name) + ["E0"])
    guard version.entities.contains(where: { $0.name == name && $0.above == nil }),
      !version.entities.contains(where: { $0.above == name })
    else { return }
    var heir = entity("S" + name, taken: version.taken(by: name))
    if heir.properties.isEmpty { return }
    families.insert(name)
    heir.above = name
    version.entities.append(heir)
    version.note("add a subclass")
  }

  private mutating func addSuperclass(_ version: inout ChainVersion) {
    let names = version.entities.filter { $0.above == nil && !families.contains($0.name) }.map(
      \.name)
    guard let name = names.isEmpty ? nil : random.pick(names),
      let place = version.entities.firstIndex(where: { $0.name == name })
    else { return }
    families.insert(name)
    let above = "B" + name
    for at in version.entities[place].links.indices {
      version.entities[place].links[at].isRequired = false
    }
    version.entities[place].above = above
    version.entities.insert(ChainVersion.Entity(name: above, properties: []), at: place)
    families.insert(above)
    if version.entities[place + 1].properties.count > 1 {
      version.entities[place].properties.append(version.entities[place + 1].properties.removeLast())
    } else {
      version.entities[place].properties = entity(above, taken: version.taken(by: name)).properties
    }
    version.note("add a superclass")
  }

  /// Moves a property between a subclass and its superclass.
  private mutating func move(_ name: String, _ above: String, version: inout ChainVersion) {
    var (from, to) = (name, above)
    if random.chance(1, in: 4) { (from, to) = (above, name) }
    guard let source = version.entities.firstIndex(where: { $0.name == from }),
      let target = version.entities.firstIndex(where: { $0.name == to }),
      version.entities[source].properties.count > 1
    else { return }
    let at = random.below(version.entities[source].properties.count)
    version.entities[target].properties.append(version.entities[source].properties.remove(at: at))
    version.note(from == name ? "move to the superclass" : "move to the subclass")
  }
}
