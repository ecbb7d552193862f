internal import RoostGraph
internal import RoostRecords
internal import RoostTestSupport

/// One version of random models: entities with properties of random types.
struct ChainVersion {
  struct Property {
    /// What stays the same when the property gets another name.
    var lineage: Int
    var name: String
    /// The name in the version before that gave it this one; a program goes on saying it.
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
  }

  var number: Int
  var entities: [Entity]

  var opening: OpeningVersion { OpeningVersion("\(number).0.0", isWhole: true) }

  /// By entity and property, the original names that a program says whose users have another version.
  func formerNames(in source: ChainVersion?) -> [String: [String: String]] {
    var names: [String: [String: String]] = [:]
    for entity in entities {
      let before = source?.entities.first { $0.name == entity.name }
      for property in entity.properties {
        let same = before?.properties.first { $0.lineage == property.lineage }
        let former = same.map { $0.name == property.name ? nil : $0.name } ?? property.formerName
        names[entity.name, default: [:]][property.name] = former ?? property.formerName
      }
    }
    return names
  }

  /// What an opening compares a store with.
  func plans(_ formerNames: [String: [String: String]]) throws -> [ModelPlan] {
    var catalog = Catalog()
    for entity in entities {
      try catalog.add(entity: entity.name) { (added) throws(RecordFault) in
        for one in entity.properties {
          try added.add(one.name, one.type, isOptional: one.isOptional, initial: one.initial)
        }
      }
      for one in entity.properties {
        if one.isUnique {
          try catalog.add(index: "unique \(one.name)", of: entity.name, on: [one.name], isUnique: true)
        }
        if one.isIndexed { try catalog.add(index: one.name, of: entity.name, on: [one.name]) }
      }
    }
    catalog.version = ModelVersion(
      "",
      parts: formerNames.map { ModelVersion.Part($0.key, fingerprint: 0, digest: 0, parked: [], formerNames: $0.value) }
    )
    return try StoredModels(catalog).plans
  }
}

/// Makes one version from the last one by random steps.
struct ChainMaker {
  private var random: SplitMix64
  private var lineage = 0
  private var fresh = 0

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  private static let types: [FieldType] = [
    .bool, .int16, .int64, .uint32, .double, .string, .data, .date, .array(.plain(.string)),
  ]

  /// A value of a small pool, so that equal ones are frequent.
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
    // The last one stands beside its row.
    default: return .string(number == 5 ? String(repeating: "long ", count: 1500) : "text \(number)")
    }
  }

  mutating func first() -> ChainVersion {
    ChainVersion(number: 1, entities: (0..<2).map { entity("E\($0)") })
  }

  private mutating func entity(_ name: String) -> ChainVersion.Entity {
    var entity = ChainVersion.Entity(name: name, properties: [])
    for _ in 0..<random.below(4) + 1 { add(&entity) }
    return entity
  }

  /// Adds a property. The names are few, so one that was parked often comes back; mostly its name tells its type.
  private mutating func add(_ entity: inout ChainVersion.Entity) {
    let number = random.below(7)
    let name = "p\(number)"
    if entity.properties.contains(where: { $0.name == name }) { return }
    let type = random.chance(1, in: 20) ? random.pick(Self.types) : Self.types[number]
    lineage += 1
    let isOptional = random.chance(1, in: 2)
    let hasDefault = isOptional ? random.chance(1, in: 3) : random.chance(9, in: 10)
    entity.properties.append(
      ChainVersion.Property(
        lineage: lineage, name: name, type: type, isOptional: isOptional, initial: hasDefault ? value(type) : nil))
  }

  mutating func next(_ version: ChainVersion) -> ChainVersion {
    var next = version
    next.number += 1
    for _ in 0..<random.below(4) + 1 { change(&next) }
    return next
  }

  private mutating func change(_ version: inout ChainVersion) {
    let place = random.below(version.entities.count)
    let count = version.entities[place].properties.count
    let at = random.below(count)
    switch random.below(12) {
    case 0, 1: add(&version.entities[place])
    case 2, 3: if count > 1 { version.entities[place].properties.remove(at: at) }
    case 4, 5:
      fresh += 1
      version.entities[place].properties[at].formerName = version.entities[place].properties[at].name
      version.entities[place].properties[at].name = "r\(fresh)"
    case 6, 7:
      version.entities[place].properties[at].isOptional.toggle()
      if random.chance(4, in: 5) {
        version.entities[place].properties[at].initial = value(version.entities[place].properties[at].type)
      }
    case 8, 9:
      if case .array = version.entities[place].properties[at].type { return }
      version.entities[place].properties[at].isIndexed.toggle()
    case 10:
      if case .array = version.entities[place].properties[at].type { return }
      version.entities[place].properties[at].isUnique.toggle()
    default:
      let name = "E\(random.below(4))"
      if let known = version.entities.firstIndex(where: { $0.name == name }) {
        if version.entities.count > 1 { version.entities.remove(at: known) }
      } else {
        version.entities.append(entity(name))
      }
    }
  }
}
