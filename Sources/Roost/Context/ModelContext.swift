public import Foundation
internal import RoostFile
internal import RoostGraph
internal import RoostRecords

/// Shows and changes the models of a container. A context belongs to one thread or actor at a time.
///
/// Each function that throws can also throw ``RoostError`` with one of these codes: `closed` after
/// the container was closed, `twoThreads` if another thread is in a call of this context,
/// `unknownModel` for a class that the container does not have, and `store` if the store's file
/// cannot be read or written.
public class ModelContext: Equatable, SendableMetatype {
  /// The container whose stores the context reads and writes. The context keeps it alive.
  public let container: ModelContainer
  let state: ContextState

  /// Makes a context. It does not save automatically.
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

  /// Whether the context saves automatically: from time to time, and at its end.
  public var autosaveEnabled: Bool {
    get { state.autosaveEnabled }
    set { state.autosaveEnabled = newValue }
  }

  /// Whether models notify observers of changes, for `withObservationTracking` and user interfaces.
  ///
  /// The main context always does. Any other context turns it on when it detects a tracking: at a
  /// fetch inside a tracking, when a tracking reads a model that was not loaded, and when a
  /// tracking reads one of the first 200 models. Set it to true if the context makes more models
  /// before the first tracking. Set it to false if no tracking should make reads slower.
  public var observesObjects: Bool {
    get { state.observesObjects }
    set { state.observesObjects = newValue }
  }

  /// The author of the changes, for the history.
  public var author: String? {
    get { state.editingState.author }
    set { editingState.author = newValue }
  }

  /// The author of the context's changes and the context's number, for a store of your program's
  /// own.
  public var editingState: EditingState {
    get { state.editingState }
    set {
      state.editingState = newValue
      for graph in state.open { graph.saver.author = newValue.author ?? "" }
    }
  }

  /// Whether there are unsaved changes: models that were inserted, changed or deleted.
  public var hasChanges: Bool { state.hasChanges }

  /// The models that were inserted and not saved yet. Each read makes the list.
  public var insertedModelsArray: [any PersistentModel] { models { $0.changes.insertedObjects } }
  /// The saved models with changes that are not saved yet.
  public var changedModelsArray: [any PersistentModel] { models { $0.changes.changedObjects } }
  /// The saved models whose deletion is not saved yet. Models that delete rules deleted are among
  /// them.
  public var deletedModelsArray: [any PersistentModel] { models { $0.changes.deletedObjects } }

  func models(_ list: (GraphContext) -> [any _ModelObject]) -> [any PersistentModel] {
    state.open.flatMap { graph in
      graph.processPendingChanges()
      return list(graph).compactMap { $0 as? any PersistentModel }
    }
  }

  // MARK: Changing

  /// Inserts a model, with all models that it references. The next save writes them.
  ///
  /// ```swift
  /// let song = Song(title: "Warszawa", year: 1977)
  /// context.insert(song)
  /// try context.save()
  /// ```
  ///
  /// It does not throw, as in SwiftData. If the model cannot be inserted, such as a model of
  /// another context, the next save throws.
  public func insert<T>(_ model: T) where T: PersistentModel {
    if model.refuseScratchInsertion() { return }
    state.attempt {
      let graph = try state.graph(of: model)
      if state.checksUnique { try graph.checkUnique(model) }
      try graph.insert(model)
    }
  }

  /// Deletes a model with the next save, and applies its delete rules. Fetches and relationships no
  /// longer show it from now on.
  ///
  /// ```swift
  /// for song in try context.fetch(old) { context.delete(song) }
  /// try context.save()
  /// ```
  public func delete<T>(_ model: T) where T: PersistentModel {
    // A model without a context cannot be deleted.
    if model.graphContext == nil { return model.refuseScratchDeletion() }
    state.attempt { try state.graph(of: model).delete(model) }
  }

  /// Makes both sides of changed relationships agree, and records the changes for undo.
  public func processPendingChanges() {
    for graph in state.open { graph.processPendingChanges() }
    state.noteChanges()
  }

  /// Writes all unsaved changes. If it throws, it writes none, and the changes stay unsaved. With
  /// several stores, each checks the changes before the first one commits.
  ///
  /// - Throws: what ``save(fileID:line:)`` throws.
  @_disfavoredOverload
  public func save() throws {
    state.endPause()
    try saveNow()
  }

  /// Runs the steps of a save. Code of your program runs before the write (observers of
  /// ``willSave``, an undo manager) and after it (observers of models and of ``didSave``). That
  /// code may change anything, and may save.
  func saveNow() throws {
    try state.throwFailure()
    try CallInterrupt.look()
    try followParent()
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
    // The save has succeeded, so a cancelled call must not interrupt its observers.
    CallInterrupt.with(nil) { report.post() }
  }

  /// Discards all unsaved changes. Inserted models belong to no context again, and other models
  /// show their stored values.
  public func rollback() {
    state.forgetFailures()
    for graph in state.open { graph.rollback() }
    state.forgetChanges(areSaved: false)
  }

  /// Discards all unsaved changes, and reads every model again when it is used.
  public func reset() {
    state.forgetFailures()
    for graph in state.open { graph.reset() }
    state.forgetChanges(areSaved: false)
  }

  /// Runs a closure, then saves this context.
  ///
  /// This is not a database transaction. The save is atomic, but other contexts may commit between
  /// a read and the save. Changes from before the call are saved too. If the closure throws,
  /// nothing is saved, and its changes stay unsaved until ``rollback()``. To read a value and write
  /// another one that depends on it, use `container.write`.
  ///
  /// - Throws: what the closure throws, and what ``save(fileID:line:)`` throws.
  @_disfavoredOverload
  public func transaction(block: () throws -> Void) throws {
    try block()
    try save()
  }
}

/// The notification of a save. It has two keys for each list: one from SwiftData's documentation,
/// and one that SwiftData posts.
struct SaveReport {
  private let context: ModelContext
  private let updated: [PersistentIdentifier]
  private let deleted: [PersistentIdentifier]
  /// The inserted models. Their identifiers name a store only after the save.
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

  /// Returns the identifiers of objects that have rows. To read each object's own identifier takes
  /// longer.
  ///
  /// - Parameter merged: the rows into which new objects were merged; these objects and deleted
  ///   objects are left out.
  private static func identifiers(
    _ objects: [any _ModelObject], _ graph: GraphContext, but merged: MergedRows? = nil
  ) -> [PersistentIdentifier] {
    var all: [PersistentIdentifier] = []
    all.reserveCapacity(objects.count)
    // Most objects are of the class of the previous one.
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
      // Some were merged into stored models.
      let rows = MergedRows(graph)
      inserted += Self.identifiers(objects, graph, but: rows)
      merged += rows.identifiers(graph)
    }
    let names = Array(Set(merged.map(\.entityName)))
    let known = Set(self.updated.filter { names.contains($0.entityName) })
    let updated = self.updated + merged.sorted().filter { !known.contains($0) }
    let lists = [inserted, updated, deleted]
    // This looks up no key, because a look-up takes as long as reading a small row.
    let told = Self.listsByKey.mapValues { lists[$0] as Any }
    NotificationCenter.default.post(name: ModelContext.didSave, object: context, userInfo: told)
  }

  /// The list for each key: 0 the inserted models, 1 the updated, 2 the deleted ones. It is never
  /// written, so threads may share it.
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

  /// Returns the identifiers, sorted by names and rows.
  func identifiers(_ graph: GraphContext) -> [PersistentIdentifier] {
    rows.sorted { $0.name < $1.name }.flatMap { name, rows in rows.sorted().map { graph.store.identifier(name, $0) } }
  }
}

extension ModelContext {
  /// Posted before a save that has something to write, with the context as its object.
  public static let willSave = Notification.Name("SwiftData.ModelContext.willSave")
  /// Posted after a save, with the identifiers of the written models.
  public static let didSave = Notification.Name("SwiftData.ModelContext.didSave")

  /// The keys of ``didSave``, each with a list of identifiers. SwiftData itself posts `"inserted"`,
  /// `"updated"` and `"deleted"`, so the notification has both names.
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
    /// The token after the newest commit of each store, by the store's identifier. Only
    /// ``ModelContainer/remoteChange`` has it.
    case historyTokens
  }
}
