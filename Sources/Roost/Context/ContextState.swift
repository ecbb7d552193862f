public import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// The state of a context: the objects of each store, and the settings of the program.
///
/// The main context's state belongs to its container. The state of any other context belongs to its
/// ``ModelContext`` and ends with it; if it saves automatically, it saves before that.
final class ContextState {
  let stores: StoreSet
  let isMain: Bool
  private let feeds: Bool
  private var graphs: [GraphContext?]
  private weak var shown: ModelContext?
  private weak var container: ModelContainer?
  var editingState = EditingState()
  /// The answers that the async form of the current call got from the stores; nil for other calls.
  var asked: AnyObject?
  /// Counts the memory of the current selection or aggregate; nil if none runs.
  var queryMemory: QueryMemory?
  /// Collects explanations while `explain { }` runs its closure; nil otherwise.
  var explaining: AnyObject?
  #if !canImport(Darwin)
    /// Records changes for undo; nil without an undo manager.
    var recorder: (any ChangeRecording)? { didSet { for graph in open { graph.changes.watcher = recorder } } }
  #endif
  /// The name of the context in traces.
  var name: String?
  var autosaveEnabled: Bool { didSet { stores.contexts.note(self, savesByItself: autosaveEnabled) } }
  var observesObjects: Bool {
    get { observesAsTold ?? open.contains { $0.objects.observesObjects } }
    set {
      observesAsTold = newValue
      for graph in open { graph.objects.observe(newValue) }
    }
  }
  /// Whether objects send observation notifications, as the program set it. Nil if the context
  /// decides.
  private var observesAsTold: Bool?
  var durability = ModelContext.Durability.full {
    didSet { for graph in open { graph.saver.isRelaxed = durability == .relaxed } }
  }
  var isStrict = false {
    didSet { for graph in open { graph.objects.isStrict = isStrict } }
  }
  var mergesChanges = true {
    didSet { for graph in open { graph.session.mergesChanges = mergesChanges } }
  }
  var mergePolicy = ModelContext.MergePolicy.objectWins { didSet { choosePolicies() } }
  var uniquePolicy = ModelContext.UniquePolicy.upsert { didSet { choosePolicies() } }
  /// The unique policies of single classes.
  private var uniqueRules: [(place: StoreSet.Place, policy: RoostGraph.UniquePolicy)] = []
  var checksUnique = false
  /// The identifiers of restored models in this store, by the identifiers that they had before.
  var restored: [PersistentIdentifier: PersistentIdentifier] = [:]
  /// The error of a function that cannot throw. The next save throws it, once.
  var failure: (any Error)?
  private var autosave: Task<Void, Never>?
  private var pause = AutosavePause()
  private var listening: [CommitListeners.Ticket] = []
  /// The depth of nested calls.
  @exclusivity(unchecked) private var depth = 0
  private let watchers = ContextWatchers()
  private var isSerial = false
  private var isEnded = false
  /// The number of committed saves and bulk writes.
  private(set) var commitCount = 0

  /// - Parameter feeds: whether the context writes fetched rows into working sets.
  init(_ stores: StoreSet, isMain: Bool, feeds: Bool = false) {
    self.feeds = feeds
    self.stores = stores
    self.isMain = isMain
    graphs = Array(repeating: nil, count: stores.stores.count)
    autosaveEnabled = isMain
    observesAsTold = isMain ? true : nil
    if isMain {
      stores.contexts.note(self, savesByItself: true)
      startAutosave()
      listen()
    }
  }

  deinit {
    autosave?.cancel()
    for ticket in listening { ticket.end() }
    if autosaveEnabled {
      if !isEnded, !stores.contexts.isClosed { saveAtEnd() }
      stores.contexts.note(self, savesByItself: false)
    }
    for graph in open { graph.close() }
    stores.contexts.remove(open)
    CommitWatch.tell()
  }

  /// Returns the public context.
  func context(of container: ModelContainer) -> ModelContext {
    if let shown { return shown }
    let made = ModelContext(container, self)
    shown = made
    self.container = container
    return made
  }

  /// The public context, for an object that knows only this state.
  var context: ModelContext? { shown ?? container.map { context(of: $0) } }

  func show(_ context: ModelContext, of container: ModelContainer) {
    shown = context
    self.container = container
  }

  /// Makes this the context of one serial write. It shows one snapshot, and a property that another
  /// context changed since is a conflict.
  func beginWrite() {
    isSerial = true
    mergePolicy = .error
  }

  /// Ends the context while references to it remain. All later calls throw.
  func end() {
    isEnded = true
    for graph in open { graph.close() }
  }

  /// Whether the context of a store shows a snapshot that is not the newest.
  var isOutdated: Bool { open.contains { $0.session.isOutdated || $0.saver.metOthers } }
  /// Whether other programs changed the same models in the store of a working set.
  var metOthers: Bool { open.contains(where: \.saver.metOthers) }

  func noteCommit() { commitCount += 1 }

  // MARK: Stores

  /// The contexts of the stores that were used.
  var open: [GraphContext] { graphs.compactMap { $0 } }

  func graph(_ store: Int) -> GraphContext {
    if let known = graphs[store] { return known }
    let made = GraphContext(stores.stores[store], feeds: feeds)
    made.owner = self
    made.session.user = ObjectIdentifier(self)
    made.saver.author = editingState.author ?? ""
    if let observesAsTold { made.objects.observe(observesAsTold) }
    made.saver.isRelaxed = durability == .relaxed
    made.objects.isStrict = isStrict
    made.session.mergesChanges = mergesChanges
    made.set(mergePolicy, uniquePolicy)
    #if !canImport(Darwin)
      made.changes.watcher = recorder
    #endif
    made.session.hearDefault = { [weak made] fault in if let made { Self.hear(fault, made) } }
    if let tracer = stores.tracers?[store] {
      made.session.hearMerge = { [weak self] merge in
        if let self { tracer.hear(merge, author: editingState.author, context: name) }
      }
    }
    if !watchers.isEmpty { hear(made) }
    for rule in uniqueRules where rule.place.store == store {
      made.saver.uniquePolicies[rule.place.map.number] = rule.policy
    }
    if isSerial { made.session.makeSerial() }
    if isEnded { made.close() }
    stores.contexts.add(made)
    graphs[store] = made
    return made
  }

  /// Prints a warning if a getter returned a default, because its type does not accept the stored
  /// value.
  private static func hear(_ fault: GraphFault, _ graph: GraphContext) {
    let property = "\(fault.entity ?? "").\(fault.property ?? "")"
    Warning.refused.say(
      "\(fault). This is printed once for each property", about: "\(graph.store.identifier) \(property)")
    guard let state = graph.owner as? ContextState, let tracers = state.stores.tracers,
      let place = state.stores.stores.firstIndex(where: { $0 === graph.store })
    else { return }
    tracers[place]?.hear(fault, author: state.editingState.author, context: state.name)
  }

  /// Notifies `watcher`, from now on, when models or values that this context shows may have
  /// changed.
  func watch(_ watcher: any ContextWatching) {
    watchers.add(watcher)
    for graph in open { hear(graph) }
  }

  private func hear(_ graph: GraphContext) {
    graph.session.hearChange = { [weak self] in self?.watchers.tell() }
  }

  private func choosePolicies() { for graph in open { graph.set(mergePolicy, uniquePolicy) } }

  func setUniquePolicy(_ policy: RoostGraph.UniquePolicy?, _ place: StoreSet.Place) {
    uniqueRules.removeAll { $0.place.map === place.map }
    if let policy { uniqueRules.append((place, policy)) }
    graphs[place.store]?.saver.uniquePolicies[place.map.number] = policy
  }

  func graph(of model: any _ModelObject) throws -> GraphContext {
    // With one store, the store itself refuses unknown classes.
    if graphs.count == 1 { return graph(0) }
    guard let place = stores.place(of: type(of: model)) else {
      throw RoostError(
        .unknownModel,
        "the container was not made for \(type(of: model)._$type.name): name it where the container is made")
    }
    return graph(place.store)
  }

  /// Runs a call that may throw. Throws if another thread uses the context.
  func call<Result>(_ activity: GraphContext.Call, _ body: () throws -> Result) throws -> Result {
    var isOuter = false
    // Notifications of commits are sent after the turn is given back.
    defer { if isOuter { CommitWatch.tell() } }
    func inside() throws -> Result {
      isOuter = depth == 0
      depth += 1
      defer { depth -= 1 }
      return try body()
    }
    return try Doorway.pass {
      if isEnded { throw GraphFault(.closed, "the context has ended: make a new one") }
      try stores.contexts.checkOpen()
      // Most contexts have one store.
      if graphs.count == 1 {
        guard let only = graphs[0] else { return try inside() }
        return try only.call(activity, inside)
      }
      func within(_ graphs: ArraySlice<GraphContext>) throws -> Result {
        guard let first = graphs.first else { return try inside() }
        return try first.call(activity) { try within(graphs.dropFirst()) }
      }
      return try within(open[...])
    }
  }

  /// Fetches the model of an identifier, if it is in a store of the program's own and was not
  /// fetched yet.
  func bring(_ identifier: PersistentIdentifier) throws {
    guard !feeds, let place = stores.place(named: identifier.entityName),
      let backing = stores.stores[place.store].backing,
      backing.identifier == identifier.store
    else { return }
    let graph = graph(place.store)
    if let (place, row) = stores.row(of: identifier) { return try graph.load(unloaded: [(place.map, row)]) }
    try call(.fetching) { try backing.bring(identifier.entityName, identifier.key, for: graph) }
  }

  /// Takes over commits of other contexts, unless the program has turned that off.
  func catchUp() { for graph in open { graph.quietly(.reading, otherwise: ()) {} } }

  /// Runs a body for a caller that cannot throw. The next save throws its error.
  func attempt(_ body: () throws -> Void) {
    do { try body() } catch {
      if failure == nil { failure = Doorway.translated(error) }
    }
  }

  var hasChanges: Bool {
    failure != nil || open.contains { graph in graph.quietly(.reading, otherwise: true) { graph.changes.hasChanges } }
  }

  /// Whether a save has something to do: to write changes, or to throw an earlier error.
  var needsSave: Bool { hasChanges || open.contains { $0.objects.failure != nil } }

  // MARK: The steps of a save

  /// Throws the error of an earlier function that could not throw.
  func throwFailure() throws {
    guard let failure else { return }
    self.failure = nil
    throw failure
  }

  /// Takes over commits of other contexts, and makes both sides of each relationship agree. Returns
  /// whether a save has something to do.
  func prepareSave() -> Bool {
    for graph in open { graph.prepareSave(isOutermost: depth == 1) }
    return needsSave
  }

  /// Writes all changes in one transaction for each store.
  func write() throws {
    // All stores: `validate` may change models of one that this context has not used yet.
    let all = stores.stores.count == 1 ? open : stores.stores.indices.map(graph)
    do { try GraphContext.save(all, isRelaxed: durability == .relaxed) } catch let refusal as SaveRefusal {
      throw stores.error(refusal)
    }
  }

  /// Lets the undo manager record the current changes.
  func noteChanges() {
    #if !canImport(Darwin)
      recorder?.noteChanges()
    #endif
  }

  func noteSaved() {
    noteCommit()
    #if !canImport(Darwin)
      recorder?.isSaved()
    #endif
  }

  func forgetChanges(areSaved: Bool) {
    #if !canImport(Darwin)
      if areSaved { recorder?.didSave() } else { recorder?.forget() }
    #endif
  }

  func forgetFailures() {
    failure = nil
    pause.end()
  }

  /// Ends the pause of autosave. A save or a rollback may have removed the cause of its failure.
  func endPause() { pause.end() }

  // MARK: Autosave

  private func saveByItself() {
    if !autosaveEnabled || !pause.isOver() { return catchUp() }
    do {
      if needsSave, let context { try context.tracedSave(nil) { try context.saveNow() } }
      pause.end()
    } catch {
      if pause.begin() {
        Warning.autosave.say("autosave failed, and will try again: \(error)")
      }
    }
    catchUp()
  }

  /// Without a run loop nothing signals the end of an event, so a task saves at intervals.
  private func startAutosave() {
    // Unsafe, because only the main actor uses it, and the context belongs to the main actor.
    nonisolated(unsafe) weak let state = self
    autosave = Task { @MainActor in
      while !Task.isCancelled {
        try? await Task.sleep(for: .milliseconds(500))
        guard let state, !Task.isCancelled else { return }
        state.saveByItself()
      }
    }
  }

  /// Receives notifications of commits, and takes them over on the main actor.
  private func listen() {
    // Unsafe for that reason too: the closure that runs elsewhere only passes it on.
    nonisolated(unsafe) weak let state = self
    listening = stores.stores.map { store in
      store.listeners.add(
        { done in
          Task { @MainActor in
            done()
            state?.catchUp()
          }
        }, for: ObjectIdentifier(self))
    }
  }
}

/// The author of a context's changes, and a number that identifies the context.
public struct EditingState: Identifiable, Sendable {
  /// A number that no other context has. A store of your program's own distinguishes contexts by
  /// it.
  public let id = UUID()
  /// The name that the history stores with changes of the context; nil for none.
  /// ``ModelContext/author`` is the same value.
  public var author: String?

  package init() {}
}

#if !canImport(Darwin)
  /// Records the changes of a context, so that they can be undone.
  protocol ChangeRecording: ChangeWatching {
    /// Records the changes since the last call.
    func noteChanges()
    /// Called after the changes are stored and before the notification, whose observers may change
    /// more.
    func isSaved()
    /// Called after the notification of the save.
    func didSave()
    /// Forgets the changes after the context has discarded them.
    func forget()
  }
#endif
