internal import Foundation
internal import RoostFile
internal import RoostGraph
internal import RoostRecords

/// The rows in memory of a program's own store, and the calls to that store.
///
/// A fetch asks the store, writes the returned snapshots into the working set in one commit
/// (``feed(_:askedAt:)``), and answers from there. A model that is known only as a member of a
/// relationship gets a row without values. It is fetched when a property is read, together with its
/// neighbours.
///
/// ## Invariants
/// 1. Only ``feed(_:askedAt:)`` and saves that the store accepted change rows.
/// 2. One call to the store runs at a time, and none within another one.
/// 3. Feeding takes `feeding`, then the writer lock. A save takes the writer lock, then `turn`. No
///    thread waits for `feeding` or for the writer lock while it holds `turn`.
/// 4. Values never replace values that were requested later, nor values of a save after the
///    request: see ``BackingKeys``.
///
/// Unchecked because `turn` guards the store, and the locks the rest.
final class WorkingSet: FetchSource, @unchecked Sendable {
  let store: any DataStore
  let keys = BackingKeys()
  let identifier: String
  private(set) weak var container: ModelContainer?
  private var types: [String: _ModelType] = [:]
  private let turn = Lock()
  private let caller = Lock()
  /// The thread that is calling the store.
  private var callingThread: UInt64 = 0
  let feeding = Lock()
  /// The number of times that the parent context's saves have merged models.
  var mergeCount = 0
  /// The order of tasks that wait for a call to the store. They block no thread.
  private let line = WriteTurns()
  /// Whether the store denied the last save, which is then repeated. Only one save runs at a time.
  var deniedOnce = false
  private let statesLock = Lock()
  /// The contexts that use the store.
  private var states: [ObjectIdentifier: EditingState] = [:]
  /// The states of contexts that began or ended. The next call reports them to the store.
  private var untold: [(state: EditingState, isNew: Bool)] = []
  /// Whether the container was closed, and the store was not told yet.
  private var isEnding = false

  init(_ store: any DataStore) {
    self.store = store
    identifier = store.identifier
  }

  /// Sets the container. Its stores must not keep it alive.
  func attach(_ container: ModelContainer) {
    self.container = container
    types = Dictionary(container.schema.models.map { ($0._$type.name, $0._$type) }) { first, _ in first }
    (store as? any AskedStore)?.begin(StoreNews(workingSet: self))
  }

  /// Called when the container is closed. Tells the store now, or at the end of the running call.
  func close() {
    statesLock.withLock { isEnding = true }
    tellStates()
  }

  /// Whether calls may wait, on any thread. A parent context belongs to its own thread.
  var mayWait: Bool { !(store is ParentStore) }
  package var isContext: Bool { store is ParentStore }

  // MARK: News

  var tellsChanges: Bool { (store as? any AskedStore)?.tellsChanges == true }
  var isFollowed: Bool { container?.stores.followers.isEmpty == false }

  /// Writes changes of other programs into the working set.
  func show(_ body: () throws -> NewsContent) throws {
    let time = keys.now()
    let news = try exclusively(body)
    if news.contents.isEmpty, news.gone.isEmpty { return }
    try feed(news.contents, askedAt: time)
    try remove(news.gone, askedAt: time, isAgain: true)
    CommitWatch.tell()
  }

  // MARK: Calls

  /// Calls the store while no other call is running.
  func call<Result>(_ context: any BackedContext, _ body: (EditingState) throws -> Result) throws -> Result {
    let state = begin(context)
    return try exclusively { try body(state) }
  }

  /// Runs a call to the store while no other call is running.
  func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
    try checkThread()
    if store is any AskedStore, MainQueue.isCurrent {
      Warning.mainThread.say(
        "the main thread waits for the server of \(identifier): use try await context.fetching(_:) there, and save in a model actor or "
          + "with try await container.write. This is printed once")
    }
    turn.acquire()
    defer { tellStates() }
    return try inTurn(body)
  }

  /// Runs a body that has the turn, and gives the turn back.
  private func inTurn<Result>(_ body: () throws -> Result) rethrows -> Result {
    caller.withLock { callingThread = Thread.currentID }
    defer {
      caller.withLock { callingThread = 0 }
      turn.release()
    }
    return try ModelNames.$current.withValue(types) {
      for (state, isNew) in statesLock.withLock({ exchange(&untold, with: []) }) {
        if isNew { store.initializeState(for: state) } else { store.invalidateState(for: state) }
      }
      if statesLock.withLock({ exchange(&isEnding, with: false) }) { (store as? any AskedStore)?.end() }
      return try body()
    }
  }

  /// Tells the store which contexts began and ended, and that the container is closed. If a call is
  /// running, that call does it at its end, so no context waits for it.
  private func tellStates() {
    while statesLock.withLock({ !untold.isEmpty || isEnding }), turn.tryAcquire() { inTurn {} }
  }

  /// Runs work that may wait for a network on a thread of its own, so that the task blocks no
  /// thread.
  func waiting<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await line.takeAsTask(WritePlace(#fileID, #line))
    defer { line.give() }
    return try await OffThread.run { _ in try body() }
  }

  /// Throws if the store is using its own container.
  func checkThread() throws {
    if caller.withLock({ callingThread }) != Thread.currentID { return }
    throw RoostError(
      .conflict,
      "the store \(identifier) used its own container while it was called: it may not fetch, save or load there")
  }

  /// Returns the state of a context. The store is told of a new context before the next call.
  func begin(_ context: any BackedContext) -> EditingState {
    let current = (context.owner as? ContextState)?.editingState
    return statesLock.withLock {
      let known = states[ObjectIdentifier(context)]
      let state = current ?? known ?? EditingState()
      states[ObjectIdentifier(context)] = state
      if known == nil { untold.append((state, isNew: true)) }
      return state
    }
  }

  func end(_ context: any BackedContext) {
    let isKnown = statesLock.withLock {
      guard let state = states.removeValue(forKey: ObjectIdentifier(context)) else { return false }
      untold.append((state, isNew: false))
      return true
    }
    if isKnown { tellStates() }
  }

  func erase() throws {
    try exclusively { try store.erase() }
  }

  // MARK: Writing

  /// Writes into the working set, in a context that does not ask the store. Returns the newest
  /// commit.
  func write(_ container: ModelContainer, _ body: (ModelContext) throws -> Void) throws -> UInt64 {
    let state = ContextState(container.stores, isMain: false, feeds: true)
    let context = ModelContext(container, state)
    try body(context)
    let graph = state.graph(try number(container))
    if graph.changes.hasChanges { try state.call(.saving) { try state.write() } }
    try graph.showNewest()
    return graph.session.seenCommit ?? 0
  }

  /// Removes the models that fulfil a predicate, as the store did.
  func removeAll<Model: PersistentModel>(
    _ model: Model.Type, _ predicate: Predicate<Model>?, includesSubclasses: Bool
  ) throws -> [PersistentIdentifier] {
    guard let container else { return [] }
    let time = keys.now()
    return try feeding.withLock {
      var gone: [any PersistentModel] = []
      _ = try write(container) { context in
        try context.delete(model: model, where: predicate, includeSubclasses: includesSubclasses)
        gone = context.deletedModelsArray
      }
      for object in gone {
        if let map = object.entityMap { keys.noteDeleted(map, object._$state.row, at: time) }
      }
      return gone.filter { $0 is Model }.map(\.persistentModelID)
    }
  }

  /// Returns the index of this store in the container.
  func number(_ container: ModelContainer) throws -> Int {
    guard let number = container.stores.stores.firstIndex(where: { $0.backing === self }) else {
      throw RoostError(.closed, "the container does not use the store \(identifier)")
    }
    return number
  }
}
