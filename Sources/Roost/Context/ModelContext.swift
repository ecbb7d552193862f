public import Foundation
internal import RoostFile
internal import RoostGraph
internal import RoostRecords

/// Models as one user of a container sees and changes them. It belongs to one thread, or actor, at a time.
///
/// Each function that throws can also throw a ``RoostError`` with one of these codes: `closed` after the container was closed, `twoThreads`
/// if another thread is in a call of this context, `unknownModel` for a class that the container does not have, and `store` if the
/// store's file cannot be read or written.
public class ModelContext: Equatable, SendableMetatype {
  /// The container whose stores the context reads and writes. The context keeps it alive.
  public let container: ModelContainer
  let state: ContextState

  /// A context of its own. It saves when it is told to.
  ///
  /// ```swift
  /// let context = ModelContext(container)
  /// ```
  public init(_ container: ModelContainer) {
    self.container = container
    state = ContextState(container.stores, isMain: false)
    state.show(self, of: container)
  }

  init(_ container: ModelContainer, _ state: ContextState) {
    self.container = container
    self.state = state
  }

  public static func == (one: ModelContext, other: ModelContext) -> Bool { one.state === other.state }

  /// Whether it saves from time to time, and at its end.
  public var autosaveEnabled: Bool {
    get { state.autosaveEnabled }
    set { state.autosaveEnabled = newValue }
  }

  /// Whether models tell those who read them of changes, as `withObservationTracking` and user interfaces ask for.
  ///
  /// The main context always does. Any other context begins to when it finds a tracking: at a fetch inside of one, when a model
  /// is read there that was not loaded, and when one of its first 200 models is read there. Set it to true where a context
  /// has made more models before the first tracking, and to false where no tracking should make readings slower.
  public var observesObjects: Bool {
    get { state.observesObjects }
    set { state.observesObjects = newValue }
  }

  /// Who makes the changes, for the history.
  public var author: String? {
    get { state.editingState.author }
    set { editingState.author = newValue }
  }

  /// The author of the context's changes, and its number, as a store of the program's own sees them.
  public var editingState: EditingState {
    get { state.editingState }
    set {
      state.editingState = newValue
      for graph in state.open { graph.saver.author = newValue.author ?? "" }
    }
  }

  /// Whether the next save has something to write: models that were inserted, changed or deleted.
  public var hasChanges: Bool { state.hasChanges }

  /// The models that were inserted, and not saved yet. The list is made at each call.
  public var insertedModelsArray: [any PersistentModel] { models { $0.changes.insertedObjects } }
  /// The saved models that were changed, and whose changes are not saved yet.
  public var changedModelsArray: [any PersistentModel] { models { $0.changes.changedObjects } }
  /// The saved models that were deleted, and whose deletion is not saved yet. Models that delete rules took along are
  /// among them.
  public var deletedModelsArray: [any PersistentModel] { models { $0.changes.deletedObjects } }

  func models(_ list: (GraphContext) -> [any _ModelObject]) -> [any PersistentModel] {
    state.open.flatMap { graph in
      graph.processPendingChanges()
      return list(graph).compactMap { $0 as? any PersistentModel }
    }
  }

  // MARK: Changing

  /// Takes a model into the context, with everything that it leads to. The next save writes it.
  ///
  /// ```swift
  /// let song = Song(title: "Warszawa", year: 1977)
  /// context.insert(song)
  /// try context.save()
  /// ```
  ///
  /// It does not throw, as in SwiftData: if the model cannot be inserted, such as one of another context, the next save throws.
  public func insert<T>(_ model: T) where T: PersistentModel {
    state.attempt {
      let graph = try state.graph(of: model)
      if state.checksUnique { try graph.checkUnique(model) }
      try graph.insert(model)
    }
  }

  /// Deletes a model with the next save, and those that its delete rules take along. It is gone from fetches and relationships
  /// at once.
  ///
  /// ```swift
  /// for song in try context.fetch(old) { context.delete(song) }
  /// try context.save()
  /// ```
  public func delete<T>(_ model: T) where T: PersistentModel {
    // One that is in no context is nobody's to delete.
    if model.graphContext == nil { return }
    state.attempt { try state.graph(of: model).delete(model) }
  }

  /// Lets relationships that were changed on one side agree with the other.
  public func processPendingChanges() {
    for graph in state.open { graph.processPendingChanges() }
    state.noteChanges()
  }

  /// Writes all changes; or none, if it throws: then they wait as before. Each store of the container is asked whether it
  /// takes them before the first of them commits.
  @_disfavoredOverload
  public func save() throws {
    state.endPause()
    try saveNow()
  }

  /// The steps of a save. Your program's code runs between the two calls (observers of ``willSave``, an undo manager) and after the second one
  /// (observers of models and of ``didSave``). It may change anything, also save.
  func saveNow() throws {
    try state.throwFailure()
    try CallInterrupt.look()
    guard try state.call(.saving, state.prepareSave) else { return }
    NotificationCenter.default.post(name: Self.willSave, object: self)
    state.noteChanges()
    let report = try state.call(.saving) {
      _ = state.prepareSave()
      let report = SaveReport(self)
      try state.write()
      state.noteSaved()
      return report
    }
    state.forgetChanges(areSaved: true)
    // The save is done, so nothing ends its observers.
    CallInterrupt.with(nil) { report.post() }
  }

  /// Gives all changes up: inserted models are in no context again, others are what is stored.
  public func rollback() {
    state.forgetFailures()
    for graph in state.open { graph.rollback() }
    state.forgetChanges(areSaved: false)
  }

  /// Gives all changes up, and reads every model anew.
  public func reset() {
    state.forgetFailures()
    for graph in state.open { graph.reset() }
    state.forgetChanges(areSaved: false)
  }

  /// Runs a closure, then saves this context.
  ///
  /// This is no transaction of a database. The save is atomic, but other contexts may commit between a read and the save. Changes
  /// made before the call are saved too. If the closure throws, nothing is saved, and its changes stay pending until
  /// ``rollback()``. To read a value and write another one that depends on it, use
  /// `container.write`.
  @_disfavoredOverload
  public func transaction(block: () throws -> Void) throws {
    try block()
    try save()
  }
}

/// Two names for what SwiftData's documentation says and what it does.
struct SaveReport {
  private let context: ModelContext
  private let updated: [PersistentIdentifier]
  private let deleted: [PersistentIdentifier]
  /// The inserted models: their identifiers name their store when they are saved.
  private let newcomers: [(graph: GraphContext, objects: [any _ModelObject])]

  init(_ context: ModelContext) {
    self.context = context
    newcomers = context.state.open.map { ($0, $0.changes.insertedObjects) }
    updated = context.state.open.flatMap { Self.identifiers($0.changes.changedObjects, $0) }
    deleted =
      context.state.open.flatMap { Self.identifiers($0.changes.deletedObjects, $0) }
      + context.state.open.flatMap { graph in
        graph.deletedRows.map { row in graph.store.identifier(row.map.type.name, row.row.number) }
      }
  }

  /// Of objects that have rows. Asking each for its own takes longer.
  ///
  /// - Parameter merged: of new objects, the rows that they became; these and deleted objects are left out.
  private static func identifiers(
    _ objects: [any _ModelObject], _ graph: GraphContext, but merged: MergedRows? = nil
  ) -> [PersistentIdentifier] {
    var all: [PersistentIdentifier] = []
    all.reserveCapacity(objects.count)
    // Most are of the class of the one before.
    var last: (type: ObjectIdentifier, name: String)?
    for object in objects {
      if let merged, object.isMarkedDeleted || merged.contains(object) { continue }
      let type = type(of: object)
      let name = last.flatMap { $0.type == ObjectIdentifier(type) ? $0.name : nil } ?? type._$type.name
      last = (ObjectIdentifier(type), name)
      all.append(graph.store.identifier(name, object._$state.row))
    }
    return all
  }

  func post() {
    var inserted: [PersistentIdentifier] = []
    var merged: [PersistentIdentifier] = []
    for (graph, objects) in newcomers {
      // Some have become models that were there.
      let rows = MergedRows(graph)
      inserted += Self.identifiers(objects, graph, but: rows)
      merged += rows.identifiers(graph)
    }
    let names = Array(Set(merged.map(\.entityName)))
    let known = Set(self.updated.filter { names.contains($0.entityName) })
    let updated = self.updated + merged.sorted().filter { !known.contains($0) }
    let lists = [inserted, updated, deleted]
    // Looking up one key takes as long as a small row, and this looks up none.
    let told = Self.listsByKey.mapValues { lists[$0] as Any }
    NotificationCenter.default.post(name: ModelContext.didSave, object: context, userInfo: told)
  }

  /// Which list each key gets: 0 the inserted models, 1 the updated, 2 the deleted ones. It is never written, so threads may share it.
  nonisolated(unsafe) private static let listsByKey: [AnyHashable: Int] = [
    "inserted": 0, ModelContext.NotificationKey.insertedIdentifiers.rawValue: 0,
    "updated": 1, ModelContext.NotificationKey.updatedIdentifiers.rawValue: 1,
    "deleted": 2, ModelContext.NotificationKey.deletedIdentifiers.rawValue: 2,
  ]
}

/// The stored rows into which the last save of a context merged new models, by their models' names.
private struct MergedRows {
  private var rows: [(name: String, rows: Set<UInt64>)] = []

  init(_ graph: GraphContext) {
    for merge in graph.saver.lastSave.merges where !merge.isAmongNew {
      let name = merge.existing.entity
      let place = rows.firstIndex { $0.name == name } ?? rows.endIndex
      if place == rows.endIndex { rows.append((name, [])) }
      rows[place].rows.insert(merge.existing.row)
    }
  }

  func contains(_ object: any _ModelObject) -> Bool {
    if rows.isEmpty { return false }
    let name = type(of: object)._$type.name
    return rows.contains { $0.name == name && $0.rows.contains(object._$state.row) }
  }

  /// In the order of their names and rows.
  func identifiers(_ graph: GraphContext) -> [PersistentIdentifier] {
    rows.sorted { $0.name < $1.name }.flatMap { name, rows in rows.sorted().map { graph.store.identifier(name, $0) } }
  }
}

extension ModelContext {
  /// Posted before a save that has something to write, with the context as its object.
  public static let willSave = Notification.Name("SwiftData.ModelContext.willSave")
  /// Posted after it, with the identifiers of what was written.
  public static let didSave = Notification.Name("SwiftData.ModelContext.didSave")

  /// What ``didSave`` tells, each a list of identifiers. SwiftData itself posts `"inserted"`, `"updated"` and `"deleted"`, so
  /// both are there.
  public enum NotificationKey: String {
    /// Declared by SwiftData, and never posted here.
    case queryGeneration
    /// A bulk write changed more than 100,000 models. No list names them: fetch again.
    case invalidatedAllIdentifiers
    /// The identifiers of models that the save inserted.
    case insertedIdentifiers
    /// The identifiers of models that the save changed.
    case updatedIdentifiers
    /// The identifiers of models that the save deleted, also by delete rules.
    case deletedIdentifiers
    /// Posted with ``ModelContainer/remoteChange`` alone: by store identifier, the token after its newest commit.
    case historyTokens
  }
}
