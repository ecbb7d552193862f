internal import RoostGraph
internal import RoostRecords
internal import RoostTestSupport

/// One version of random models: entities with properties of random types.
struct ChainVersion {
  struct Property {
    /// A number that stays the same when the property is renamed.
    var lineage: Int
    var name: String
    /// The name in the version before the rename. The program keeps the original name in its
    /// source.
    var formerName: String?
    var type: FieldType
    var isOptional: Bool
    var initial: Value?
    var isUnique = false
    var isIndexed = false
  }

  struct Entity {
    var name: String
    var properties: [Property]
    var links: [ChainLink] = []
    /// The superclass.
    var above: String?

    /// The prefix of its properties' names in the store.
    var prefix: String { above == nil ? "" : name + "/" }
  }

  var number: Int
  var entities: [Entity]
  /// The steps from the previous version, as texts.
  private(set) var steps: [String] = []

  mutating func note(_ step: String) { steps.append(step) }
  mutating func begin(_ number: Int) { (self.number, steps) = (number, []) }

  var opening: OpeningVersion { OpeningVersion("\(number).0.0", isWhole: true) }

  /// Returns the topmost class of a class, which has the rows of its family.
  func root(_ name: String) -> String { entities.first { $0.name == name }?.above ?? name }

  func stored(_ property: ChainKey) -> ChainKey {
    let prefix = entities.first { $0.name == property.entity }?.prefix ?? ""
    return ChainKey(entity: root(property.entity), name: prefix + property.name)
  }

  /// Returns, by entity and property, the original names that a program declares for users with
  /// another version.
  func formerNames(in source: ChainVersion?) -> [String: [String: String]] {
    var names: [String: [String: String]] = [:]
    for entity in entities {
      let before = source?.entities.first { $0.name == entity.name }
      for property in entity.properties {
        let same = before?.properties.first { $0.lineage == property.lineage }
        let former = same.map { $0.name == property.name ? nil : $0.name } ?? property.formerName
        names[entity.name, default: [:]][property.name] = former ?? property.formerName
      }
      for link in entity.links {
        let same = before?.links.first { $0.lineage == link.lineage && $0.name != link.name }
        names[entity.name, default: [:]][link.name] = same?.name ?? link.formerName
      }
    }
    return names
  }

  /// Returns the plans that an opening compares with a store.
  func plans(_ formerNames: [String: [String: String]]) throws -> [ModelPlan] {
    var catalog = Catalog()
    for entity in entities { try catalog.add(entity: entity.name) }
    for entity in entities { try add(entity, &catalog) }
    try relate(&catalog)
    catalog.version = ModelVersion(
      "",
      parts: formerNames.map {
        ModelVersion.Part($0.key, fingerprint: 0, digest: 0, parked: [], formerNames: $0.value)
      }
    )
    var models = try StoredModels(catalog)
    for entity in entities where entity.above != nil {
      for one in entity.properties where one.initial != nil {
        _ = models.setDefault(one.name, of: entity.name)
      }
    }
    return models.plans
  }

  private func add(_ entity: Entity, _ catalog: inout Catalog) throws {
    let root = root(entity.name)
    try catalog.change(entity: root) { (added) throws(RecordFault) in
      if entity.above != nil, added.field("@class") == nil {
        try added.add("@class", .uint32, initial: .uint(UInt64(added.id.number)))
      }
      for one in entity.properties {
        let isAdded = entity.above != nil
        let id = try added.add(
          entity.prefix + one.name, one.type, isOptional: one.isOptional || isAdded,
          initial: one.initial)
        added.setNeeded(isAdded && !one.isOptional, of: id)
      }
    }
    for one in entity.properties {
      let name = entity.prefix + one.name
      if one.isUnique {
        try catalog.add(index: "unique \(name)", of: root, on: [name], isUnique: true)
      }
      if one.isIndexed { try catalog.add(index: name, of: root, on: [name]) }
    }
  }
}

/// Makes a version from the previous one by random steps.
struct ChainMaker {
  var random: SplitMix64
  private var lineage = 0
  private var fresh = 0

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// Classes that had a subclass or a superclass before.
  var families: Set<String> = []

  mutating func takeLineage() -> Int {
    lineage += 1
    return lineage
  }

  /// Returns a name that no property had before.
  mutating func takeName(_ kind: String) -> String {
    fresh += 1
    return "\(kind)\(fresh)"
  }

  private static let types: [FieldType] = [
    .bool, .int16, .int64, .uint32, .double, .string, .data, .date, .array(.plain(.string)),
  ]

  /// Returns a value from a small pool, so that equal values are frequent.
  mutating func value(_ type: FieldType) -> Value {
    let number = random.below(6)
    switch type {
    case .bool: return .bool(number % 2 == 0)
    case .int16, .int64: return .int(Int64(number) - 2)
    case .uint32: return .uint(UInt64(number))
    case .double: return .double(Double(number) / 2)
    case .data: return .data([UInt8](repeating: 7, count: number * 3))
    case .date: return .date(Double(number) * 1000)
    case .array: return .array((0..<number).map { .string("w\($0)") })
    // The last value is stored outside of its row.
    default:
      return .string(number == 5 ? String(repeating: "long ", count: 1500) : "text \(number)")
    }
  }

  mutating func first() -> ChainVersion {
    var version = ChainVersion(number: 1, entities: (0..<2).map { entity("E\($0)") })
    for _ in 0..<random.below(4) { addLink(&version) }
    return version
  }

  mutating func entity(_ name: String, taken: Set<String> = []) -> ChainVersion.Entity {
    var entity = ChainVersion.Entity(name: name, properties: [])
    for _ in 0..<random.below(4) + 1 { add(&entity, taken) }
    return entity
  }

  /// Adds a property. There are few names, so a parked property often comes back. Mostly its name
  /// says its type.
  private mutating func add(_ entity: inout ChainVersion.Entity, _ taken: Set<String>) {
    let number = random.below(7)
    let name = "p\(number)"
    if taken.contains(name) || entity.properties.contains(where: { $0.name == name }) { return }
    let type = random.chance(1, in: 20) ? random.pick(Self.types) : Self.types[number]
    let isOptional = random.chance(1, in: 2)
    let hasDefault = isOptional ? random.chance(1, in: 3) : random.chance(9, in: 10)
    entity.properties.append(
      ChainVersion.Property(
        lineage: takeLineage(), name: name, type: type, isOptional: isOptional,
        initial: hasDefault ? value(type) : nil)
    )
  }

  mutating func next(_ version: ChainVersion) -> ChainVersion {
    var next = version
    next.begin(version.number + 1)
    for _ in 0..<random.below(4) + 1 {
      switch random.below(7) {
      case 0: changeClass(&next)
      case 1, 2, 3: change(&next)
      default: changeLink(&next)
      }
    }
    return next
  }

  private mutating func change(_ version: inout ChainVersion) {
    let place = random.below(version.entities.count)
    let count = version.entities[place].properties.count
    if count == 0 { return }
    let at = random.below(count)
    switch random.below(12) {
    case 0, 1: add(&version.entities[place], version.taken(by: version.entities[place].name))
    case 2, 3: if count > 1 { version.entities[place].properties.remove(at: at) }
    case 4, 5:
      version.entities[place].properties[at].formerName =
        version.entities[place].properties[at].name
      version.entities[place].properties[at].name = takeName("r")
    case 6, 7:
      version.entities[place].properties[at].isOptional.toggle()
      if random.chance(4, in: 5) {
        version.entities[place].properties[at].initial = value(
          version.entities[place].properties[at].type)
      }
    case 8, 9:
      if case .array = version.entities[place].properties[at].type { return }
      version.entities[place].properties[at].isIndexed.toggle()
    case 10:
      if case .array = version.entities[place].properties[at].type { return }
      version.entities[place].properties[at].isUnique.toggle()
    default:
      let name = "E\(random.below(4))"
      if families.contains(name) { return changeClass(&version) }
      if version.entities.contains(where: { $0.name == name }) {
        if version.entities.count > 1 { version.remove(entity: name) }
      } else {
        version.entities.append(entity(name))
      }
    }
  }
}

extension ChainVersion.Entity: CustomStringConvertible {
  var description: String {
    let values = properties.map { one in
      one.name + (one.formerName.map { "(\($0))" } ?? "") + ": \(one.type)" + (one.isOptional ? "?" : "")
        + (one.initial.map { " = \("\($0)".prefix(20))" } ?? "") + (one.isUnique ? " unique" : "")
    }
    let links = links.map { one in
      one.name + (one.formerName.map { "(\($0))" } ?? "") + ": " + (one.isToMany ? "[\(one.target)]" : one.target)
        + (one.isToMany || one.isRequired ? "" : "?") + (one.inverse.map { " inverse \($0)" } ?? "")
    }
    return "\n    " + name + (above.map { ": \($0)" } ?? "") + " { " + (values + links).joined(separator: "; ") + " }"
  }
}
