package import RoostFile
package import RoostPages
package import RoostRecords

/// A store of objects: its rows, and the models of the rows' objects.
package final class GraphStore: Sendable {
  package let records: RecordStore
  /// Identifies this store among all others.
  package let identifier: String
  /// The backing store, if this is a working set.
  package let backing: (any BackingStore)?
  /// The models of the program, in the order in which they were given.
  package let maps: [EntityMap]
  let feed = CommitFeed()
  package let listeners = CommitListeners()
  let aliases = RowAliases()
  /// Orders writes that must not run at the same time.
  package let writeTurns = WriteTurns()
  let historyShelf = HistoryShelf()
  let defaults = DefaultsTold()
  /// Called within each transaction that writes objects, before it commits. Tests let it throw to
  /// simulate a full disk.
  let room: (@Sendable () throws -> Void)?
  /// Values that the code of a migration stage must set; nil if there are none.
  let pending: PendingValues?
  /// By number of the map.
  let uniqueIndexes: [[Index]]
  /// By number of the map, then of the property.
  let relations: [[Relation?]]
  /// By number of the map, the relationships with a minimum or maximum number of members.
  let countedRelations: [[Relation]]
  /// By number of the map, whether another object's row stores one of its to-one relationships.
  let hasFound: [Bool]
  /// Whether a to-one relationship is its own inverse.
  let hasMutualSingles: Bool
  /// Whether both sides of a relationship are references.
  let hasOneToOnes: Bool
  /// One-way lists, by the home map of their members.
  let oneWays: [Int: [OneWay]]
  /// By home map, the references of subclasses that are required although their fields may be nil.
  let needs: [Int: Set<FieldID>]
  /// By number of the map, the bits of properties that are not stored in the object's own row.
  let outsideRows: [UInt64]
  /// By number of the map, whether the model has relationships that the store does not know.
  let hasLooseLinks: [Bool]
  /// By number of the map, the rules for values; nil if the class has none.
  let checks: [RuleCheck?]
  /// Whether a class has rules for its values.
  package let hasChecks: Bool
  /// Whether any rule has a pattern.
  let hasPatterns: Bool
  /// Whether a class has its own `validate`.
  package let hasJudges: Bool
  /// By map, the bits of properties that the program may compute from values which the store derives.
  /// A save checks their rules last.
  let chainedBits: [UInt64]
  /// The home maps of families in which a class has its own `validate`.
  let judgedHomes: Set<Int>
  /// By the names of a class and its relationship, the message for a wrong number of members.
  let countMessages: [[String]: String]
  /// Whether a model has a derived property that the program computes.
  let computes: Bool
  /// Whether storing a value may run code of the program, such as `encode(to:)`.
  let runsCode: Bool
  private let byType: [ObjectIdentifier: EntityMap]
  private let byEntity: [EntityID: EntityMap]

  /// Opens the store at `path` for these models, or makes it. Adds entities and fields of the
  /// models that the store lacks.
  package convenience init(
    _ path: String, _ models: [ModelPlan], options: StoreOptions = StoreOptions(),
    fileSystem: any FileSystem = DiskFileSystem.shared
  ) throws {
    try self.init(RecordStore(path, options: options, reservesRows: true, fileSystem: fileSystem), models)
  }

  /// A store in memory, which is deleted with this object.
  package convenience init(inMemory options: StoreOptions, _ models: [ModelPlan]) throws {
    try self.init(RecordStore(inMemory: options, reservesRows: true), models)
  }

  init(
    _ records: RecordStore, _ models: [ModelPlan], room: (@Sendable () throws -> Void)? = nil,
    version: OpeningVersion? = nil, isStaged: Bool = false, backing: (any BackingStore)? = nil
  ) throws {
    self.records = records
    self.room = room
    self.backing = backing
    identifier =
      backing?.identifier
      ?? [records.store.identity.high, records.store.identity.low].map { number in
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - digits.count) + digits
      }.joined()
    var keeper = SchemaKeeper(models, version, isStaged: isStaged)
    let catalog = try keeper.settle(records)
    let families = try Family.all(models, catalog, records: records)
    var maps: [EntityMap] = []
    for (number, model) in models.enumerated() {
      let root = model.type.root.name
      guard let entity = catalog.entity(root) else {
        throw RecordFault(.unknown, "the store has no such entity", entity: root)
      }
      maps.append(try EntityMap(number, model.type, entity: entity, family: families[root]))
    }
    self.maps = maps
    pending = try PendingValues(keeper.pending, maps, records: records)
    uniqueIndexes = maps.map { map in catalog.indexes(of: map.entity.id).compactMap { Self.asked($0, map) } }
    let relations = try RelationFinder(catalog, maps, models: models).relations()
    self.relations = relations
    countedRelations = relations.map { relations in
      relations.compactMap { $0 }.filter { $0.minimum > 0 || $0.maximum > 0 }
    }
    hasFound = relations.map { relations in
      relations.contains { relation in if case .found = relation?.way { true } else { false } }
    }
    hasOneToOnes = relations.joined().contains { $0?.isOneToOne == true }
    hasMutualSingles = relations.joined().contains { $0?.isOwnInverse == true && $0?.isList == false }
    oneWays = Self.oneWays(maps, relations)
    needs = Self.needs(maps, relations)
    outsideRows = maps.map { map in
      var (outside, inside): (UInt64, UInt64) = (0, 0)
      for property in map.type.properties.indices {
        let bit = _ModelState.bit(property)
        switch relations[map.number][property]?.way {
        case .list, .found: outside |= bit
        case .reference, nil: inside |= bit
        }
      }
      // Properties may share a bit.
      return outside & ~inside
    }
    hasLooseLinks = maps.map { map in
      map.type.properties.enumerated().contains { number, property in
        switch property.storage {
        case .toOne, .toMany: property.isByHand || relations[map.number][number] == nil
        default: false
        }
      }
    }
    checks = try zip(maps, models).map { map, model in try Self.check(map, model) }
    hasChecks = checks.contains { $0 != nil }
    hasPatterns = checks.contains { $0?.patternBits ?? 0 != 0 }
    judgedHomes = Set(maps.lazy.filter { $0.type.judge != nil }.map(\.home))
    hasJudges = !judgedHomes.isEmpty
    chainedBits = maps.map { map in
      let isChained = zip(maps, models).contains { other, model in
        other.home == map.home && model.derived.contains { $0.kind != .computed }
      }
      return isChained ? map.type.computed.reduce(0) { $0 | _ModelState.bit($1) } : 0
    }
    var messages: [[String]: String] = [:]
    for model in models { for (name, text) in model.countMessages { messages[[model.type.name, name]] = text } }
    countMessages = messages
    runsCode = maps.contains { map in
      map.type.properties.enumerated().contains { number, property in
        if case .value = property.storage { !map.newest.coder(number).isComparedAsStored } else { false }
      }
    }
    computes = models.contains { !$0.type.computed.isEmpty }
    byType = Dictionary(maps.map { (ObjectIdentifier($0.type.model), $0) }) { first, _ in first }
    byEntity = Dictionary(maps.filter(\.isHome).map { ($0.entity.id, $0) }) { first, _ in first }
  }

  package func map(of model: any _ModelObject.Type) -> EntityMap? { byType[ObjectIdentifier(model)] }
  /// The home map, if several classes share the entity.
  package func map(of entity: EntityID) -> EntityMap? { byEntity[entity] }
  package func map(named name: String) -> EntityMap? { maps.first { $0.type.name == name } }

  package func close() throws(StoreError) { try records.close() }
}
