import Foundation
import SwiftData
import Testing

/// All functions of SwiftData's context, with its signatures. Programs hide their context behind
/// such a protocol to replace it in tests, and then an additional default argument breaks the
/// conformance.
private protocol ContextSurface: AnyObject, Equatable, SendableMetatype {
  var author: String? { get set }
  var editingState: EditingState { get set }
  var undoManager: UndoManager? { get set }
  var insertedModelsArray: [any PersistentModel] { get }
  var changedModelsArray: [any PersistentModel] { get }
  var deletedModelsArray: [any PersistentModel] { get }
  var container: ModelContainer { get }
  var autosaveEnabled: Bool { get set }
  var hasChanges: Bool { get }

  func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel
  func registeredModel<T>(for persistentModelID: PersistentIdentifier) -> T? where T: PersistentModel
  func insert<T>(_ model: T) where T: PersistentModel
  func delete<T>(_ model: T) where T: PersistentModel
  func delete<T>(model: T.Type, where predicate: Predicate<T>?, includeSubclasses: Bool) throws where T: PersistentModel
  func rollback()
  func processPendingChanges()
  func save() throws
  func transaction(block: () throws -> Void) throws
  func enumerate<T>(
    _ fetch: FetchDescriptor<T>, batchSize: Int, allowEscapingMutations: Bool, block: (_ model: T) throws -> Void
  ) throws where T: PersistentModel
  func fetch<T>(_ descriptor: FetchDescriptor<T>) throws -> [T] where T: PersistentModel
  func fetch<T>(_ descriptor: FetchDescriptor<T>, batchSize: Int) throws -> FetchResultsCollection<T>
  where T: PersistentModel
  func fetchCount<T>(_ descriptor: FetchDescriptor<T>) throws -> Int where T: PersistentModel
  func fetchIdentifiers<T>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier] where T: PersistentModel
  func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> where T: PersistentModel
  func fetchHistory<T>(_ descriptor: HistoryDescriptor<T>) throws -> [T] where T: HistoryTransaction
  func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws where T: HistoryTransaction

  static var willSave: Notification.Name { get }
  static var didSave: Notification.Name { get }
}

extension ModelContext: ContextSurface {}

/// Values by key path, as SwiftData declares them: setters do not mutate the value itself.
private struct Values<Model: PersistentModel> {
  let backing: any BackingData<Model>

  func set<Value: Codable>(_ keyPath: KeyPath<Model, Value>, _ value: Value) {
    backing.setValue(forKey: keyPath, to: value)
  }
  func get<Value: Codable>(_ keyPath: KeyPath<Model, Value>) -> Value { backing.getValue(forKey: keyPath) }
}

extension HistoryDescriptor {
  fileprivate var isOfDefaults: Bool { TransactionType.self == DefaultHistoryTransaction.self }
}

/// Each line that Docs/COMPATIBILITY.md calls the same, as SwiftData declares it.
@Suite struct SurfaceTests {
  /// Uses a context only through the protocol.
  private func play(_ context: some ContextSurface) throws -> [String] {
    var notes: [String] = []
    context.author = "surface"
    context.autosaveEnabled = false
    context.undoManager = nil
    context.insert(Garden(name: "one"))
    context.insert(Garden(name: "two"))
    context.processPendingChanges()
    notes.append("\(context.insertedModelsArray.count) \(context.hasChanges) \(context.editingState.author ?? "")")
    try context.save()
    let descriptor = FetchDescriptor<Garden>(sortBy: [SortDescriptor(\.name)])
    try context.enumerate(descriptor, batchSize: 1, allowEscapingMutations: false) { notes.append($0.name) }
    let gardens = try context.fetch(descriptor)
    let batches = try context.fetch(descriptor, batchSize: 1)
    notes.append("\(gardens.count) \(batches.map(\.name)) \(try context.fetchCount(descriptor))")
    let identifiers = try context.fetchIdentifiers(descriptor)
    notes.append("\(try context.fetchIdentifiers(descriptor, batchSize: 1).elementsEqual(identifiers))")
    let first: Garden? = context.registeredModel(for: identifiers[0])
    notes.append("\(first === gardens[0]) \(context.model(for: identifiers[1]) === gardens[1])")
    gardens[0].area = 2
    notes.append("\(context.changedModelsArray.count)")
    context.rollback()
    try context.transaction { context.delete(gardens[0]) }
    try context.delete(model: Garden.self, where: #Predicate { $0.name == "two" }, includeSubclasses: true)
    notes.append("\(context.deletedModelsArray.count)")
    try context.save()
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    notes.append("\(history.count) \(history.allSatisfy { $0.author == "surface" })")
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    notes.append("\(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count)")
    return notes
  }

  @Test func `a context, through a protocol with all of its functions`() throws {
    let file = freshFile()
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    let container = try ModelContainer(for: Garden.self, Hut.self, configurations: ModelConfiguration(url: file))
    let notes = try play(ModelContext(container))
    #expect(
      notes == [
        "2 true surface", "one", "two", "2 [\"one\", \"two\"] 2", "true", "true true", "1", "1", "3 true", "0",
      ])
    let make: (ModelContainer) -> ModelContext = ModelContext.init
    #expect(make(container).container == container)
  }

  @Test func `a container and its configurations`() throws {
    let schema = Schema([Garden.self, Hut.self])
    let memory = ModelConfiguration("memory", schema: schema, isStoredInMemoryOnly: true)
    let make: (Schema, (any SchemaMigrationPlan.Type)?, [ModelConfiguration]) throws -> ModelContainer = {
      try ModelContainer(for: $0, migrationPlan: $1, configurations: $2)
    }
    let container = try make(schema, nil, [memory])
    let own: [any DataStoreConfiguration] = [ModelConfiguration(isStoredInMemoryOnly: true)]
    #expect(try ModelContainer(for: schema, configurations: own).configurations.count == 1)
    #expect(
      try ModelContainer(for: Hut.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)) != container)
    #expect(
      container.configurations.map(\.name) == ["memory"] && memory.id == memory.url && !memory.debugDescription.isEmpty)
    let context = ModelContext(container)
    context.insert(Hut(street: "s", number: 1))
    try context.save()
    container.deleteAllData()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Hut>()) == 0)
    let full = ModelConfiguration(
      "full", schema: schema, url: freshFile(), allowsSave: true, cloudKitDatabase: .none)
    #expect(
      full.allowsSave && full.schema === schema && !full.isStoredInMemoryOnly && full.cloudKitContainerIdentifier == nil
    )
    try full.validate()
    #expect(ModelContainer.remoteChange != ModelContext.didSave)
  }

  @Test func `a schema's parts can all be set`() throws {
    let name = Schema.Attribute(.unique, .externalStorage, originalName: "title", hashModifier: "2")
    #expect(name.originalName == "title" && name.options == [.unique, .externalStorage] && name.hashModifier == "2")
    let size = Schema.Attribute(
      name: "size", originalName: nil, options: [], valueType: Int.self, defaultValue: 3, hashModifier: nil)
    #expect(size.isAttribute && !size.isRelationship && !size.isOptional && size.defaultValue as? Int == 3)
    size.isOptional = true
    #expect(size.isOptional && size != Schema.Attribute(name: "size", valueType: Int.self))
    let decoded = try JSONDecoder().decode(Schema.Attribute.self, from: JSONEncoder().encode(size))
    #expect(decoded.isOptional && decoded == size)
    size.name = "length"
    size.valueType = Double.self
    let owner = Schema.Relationship(
      .unique, deleteRule: .deny, minimumModelCount: 1, maximumModelCount: 1, originalName: nil, inverse: \Bed.garden,
      hashModifier: nil)
    owner.name = "owner"
    owner.destination = "Person"
    owner.valueType = Garden.self
    owner.inverseName = "things"
    #expect(owner.isToOneRelationship && owner.isUnique && owner.inverseKeyPath == \Bed.garden && owner.keypath == nil)

    let entity = Schema.Entity("Thing", subentities: Schema.Entity("Small"), properties: size, owner)
    #expect(entity.subentities.map(\.name) == ["Small"] && entity.properties.map(\.name) == ["length", "owner"])
    name.name = "name"
    name.valueType = String.self
    entity.attributesByName["name"] = name
    #expect(entity.attributes.count == 2 && entity.storedProperties.map(\.name) == ["length", "owner", "name"])
    entity.relationshipsByName = [:]
    #expect(entity.relationships.isEmpty)
    entity.storedPropertiesByName["length"] = nil
    #expect(entity.storedProperties.map(\.name) == ["name"])
    entity.inheritedPropertiesByName["size"] = Schema.Attribute(name: "size", valueType: Int.self)
    entity.uniquenessConstraints = [["name"]]
    entity.indices = [["size"]]
    // Inherited attributes stay inherited if attributes are set together.
    entity.attributesByName["color"] = Schema.Attribute(name: "color", valueType: String.self)
    #expect(entity.storedProperties.map(\.name) == ["name", "color"])
    #expect(entity.inheritedPropertiesByName.keys.sorted() == ["size"] && entity.attributesByName.count == 3)

    let schema = Schema(entity, version: Schema.Version(2, 1, 0))
    let again = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
    #expect(again == schema && again.hashValue == schema.hashValue && !schema.debugDescription.isEmpty)
    #expect(Schema.schemaEncodingVersion <= schema.encodingVersion && schema.version.description == "2.1.0")
    #expect(Schema(Garden.self, Hut.self).entity(for: Hut.self)?.name == Schema.entityName(for: Hut.self))
  }

  @Test func `constraints have their properties`() throws {
    let index = Schema.Index<Hut>([\.street], [\.number, \.street])
    let tree = Schema.Index<Hut>(.binary([\.street]), .rtree([\.number]))
    let unique = Schema.Unique<Hut>([\.street, \.number])
    #expect(index.indices.count == 2 && tree.indices.count == 2 && unique.constraints.count == 1 && unique.isUnique)
    #expect(index != tree && Set([unique, unique]).count == 1)
    let texts = [(index as any CustomDebugStringConvertible).debugDescription, String(reflecting: unique)]
    #expect(texts.allSatisfy { $0.contains("street") && $0.contains("number") })
    let coded = try JSONDecoder().decode(Schema.Unique<Hut>.self, from: JSONEncoder().encode(unique))
    #expect(coded == unique)
  }

  @Test func `values by key path are set through a constant`() {
    let fresh: any BackingData<Hut> = Hut.createBackingData()
    let values = Values(backing: fresh)
    values.set(\.street, "s")
    values.set(\.number, 3)
    #expect(values.get(\.street) == "s" && values.get(\.number) == 3 && values.backing.persistentModelID == nil)
    let hut = Hut(backingData: values.backing)
    #expect(hut.street == "s" && hut.number == 3)
    let own = Values(backing: hut.persistentBackingData)
    own.set(\.number, 4)
    #expect(hut.number == 4 && own.get(\.number) == 4)
  }

  @Test func `the properties of a history descriptor`() throws {
    typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>
    let plain: (Predicate<DefaultHistoryTransaction>?) -> Descriptor = Descriptor.init(predicate:)
    #expect(plain(nil).predicate == nil && plain(nil).fetchLimit == 0 && Descriptor().sortBy.isEmpty)
    #expect(Descriptor(sortBy: [SortDescriptor(\.timestamp)]).isOfDefaults)
  }

  @Test func `changes of the history are compared`() throws {
    let file = freshFile()
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    let context = ModelContext(try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: file)))
    let note = Note("n")
    context.insert(note)
    try context.save()
    note.text = "t"
    try context.save()
    context.delete(note)
    try context.save()
    func changes() throws -> [HistoryChange] {
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes)
    }
    let (first, second) = (try changes(), try changes())
    #expect(first.count == 3 && second.count == 3)
    var (inserts, updates, deletes) = (0, 0, 0)
    for (one, other) in zip(first, second) {
      switch (one, other) {
      case (.insert(let one as DefaultHistoryInsert<Note>), .insert(let other as DefaultHistoryInsert<Note>)):
        inserts += one == other && digest(one.hash(into:)) == digest(other.hash(into:)) ? 1 : 0
      case (.update(let one as DefaultHistoryUpdate<Note>), .update(let other as DefaultHistoryUpdate<Note>)):
        updates += one == other && digest(one.hash(into:)) == digest(other.hash(into:)) ? 1 : 0
      case (.delete(let one as DefaultHistoryDelete<Note>), .delete(let other as DefaultHistoryDelete<Note>)):
        deletes += one == other && digest(one.hash(into:)) == digest(other.hash(into:)) ? 1 : 0
      default: Issue.record("the same history has other changes")
      }
    }
    #expect(inserts == 1 && updates == 1 && deletes == 1)
    context.insert(Note("m"))
    try context.save()
    guard case .insert(let one as DefaultHistoryInsert<Note>) = try changes().first,
      case .insert(let other as DefaultHistoryInsert<Note>) = try changes().last
    else {
      Issue.record("there are two insertions")
      return
    }
    #expect(!(one == other))
    // Two transactions change one property of one model.
    let last = try #require(try context.fetch(FetchDescriptor<Note>()).first)
    for text in ["a", "b"] {
      last.text = text
      try context.save()
    }
    let both = try changes().suffix(2).compactMap { change -> DefaultHistoryUpdate<Note>? in
      if case .update(let update as DefaultHistoryUpdate<Note>) = change { update } else { nil }
    }
    #expect(both.count == 2 && !(both[0] == both[1]))
  }

  private func digest(_ body: (inout Hasher) -> Void) -> Int {
    var hasher = Hasher()
    body(&hasher)
    return hasher.finalize()
  }

  /// Otherwise such a type could not be passed between actors.
  @Test func `a versioned schema and its plan cross actors`() async {
    let schema: any VersionedSchema.Type = GardenSchema.self
    let plan: any SchemaMigrationPlan.Type = GardenPlan.self
    let versions = await Task.detached { [schema.versionIdentifier] + plan.schemas.map { $0.versionIdentifier } }.value
    #expect(versions.first == Schema.Version(2, 0, 0) && versions.count == plan.schemas.count + 1)
  }

  #if canImport(Roost)
    @Test func `the names of the expansion may be written by hand`() throws {
      let context = ModelContext(
        try ModelContainer(for: Marked.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
      let marked = Marked()
      (marked.count, marked.steps) = (5, [1, 2])
      context.insert(marked)
      try context.save()
      let found = try ModelContext(context.container).all(Marked.self)
      #expect(found.map(\.count) == [5] && found.map(\.steps) == [[1, 2]])
    }

    @Test func `a configuration of a program's own is valid unless it says otherwise`() throws {
      try (JSONStore.Configuration(file: freshFile()) as any DataStoreConfiguration).validate()
    }
  #endif

  @Test func `all errors`() {
    let all: [SwiftDataError] = [
      .includePendingChangesWithBatchSize, .unsupportedPredicate, .unsupportedKeyPath,
      .sortingPendingChangesWithIdentifiers,
      .unsupportedSortDescriptor, .duplicateConfiguration, .configurationFileNameTooLong,
      .configurationFileNameContainsInvalidCharacters, .configurationSchemaNotFoundInContainerSchema,
      .loadIssueModelContainer,
      .modelValidationFailure, .missingModelContext, .backwardMigration, .unknownSchema, .historyTokenExpired,
      .invalidTransactionFetchRequest,
    ]
    #expect(Set(all).count == 16)
    let stores: Set<DataStoreError> = [
      .unsupportedFeature, .preferInMemoryFilter, .preferInMemorySort, .invalidPredicate,
    ]
    #expect(stores.count == 4)
  }

  @Test func `identifiers, collections and the rest`() throws {
    let one = try PersistentIdentifier.identifier(for: "store", entityName: "Hut", primaryKey: 1)
    let two = try PersistentIdentifier.identifier(for: "store", entityName: "Hut", primaryKey: 2)
    #expect(one < two && one.id != two.id && one.entityName == "Hut" && one.storeIdentifier == "store")
    func hold<C: RelationshipCollection>(_ type: C.Type) -> Bool { C.PersistentElement.self == Bed.self }
    #expect(hold([Bed].self) && hold(Optional<[Bed]>.self))
    let state = try makeContext().editingState
    #expect(state.author == nil && state.id == state.id)
    let keys: [ModelContext.NotificationKey] = [
      .queryGeneration, .invalidatedAllIdentifiers, .insertedIdentifiers, .updatedIdentifiers, .deletedIdentifiers,
    ]
    #expect(Set(keys.map(\.rawValue)).count == 5)
    func isRoot<Model: PersistentModel>(_ type: Model.Type) -> Bool { Model.Root.self == Model.self }
    #expect(isRoot(Hut.self) && Hut.schemaMetadata.count > 7)
    let metadata = Schema.PropertyMetadata(
      name: "n", keypath: \Hut.number, defaultValue: 1, metadata: Schema.Attribute(.unique))
    #expect(Mirror(reflecting: metadata).children.first { $0.label == "defaultValue" }?.value as? Int == 1)
    let plain = FetchDescriptor<Hut>(predicate: #Predicate { $0.number == 1 }, sortBy: [SortDescriptor(\.number)])
    #expect(plain == plain && plain != FetchDescriptor<Hut>())
  }
}

#if canImport(Roost)
  /// With the attributes that SwiftData's own expansion writes before properties.
  @Model final class Marked {
    @_PersistedProperty var count: Int = 1
    @_TransformablePersistedProperty @Attribute(.transformable(by: "Plain")) var steps: [Int] = []

    init() {}
  }
#endif
