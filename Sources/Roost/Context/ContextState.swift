public import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// What a context is made of: the objects of each store, and what users set.
///
/// The main context's state belongs to its container; any other one to its ``ModelContext``. It ends with that, and saves
/// before, if it saves by itself.
final class ContextState {
  let stores: StoreSet
  let isMain: Bool
  private let feeds: Bool
  private var graphs: [GraphContext?]
  private weak var shown: ModelContext?
  private weak var container: ModelContainer?
  var editingState = EditingState()
  /// What the async form of a call, which runs at the moment, has asked the stores; nil for other calls.
  var asked: AnyObject?
  /// Counts the memory of the selection or the aggregate that runs at the moment; else nil.
  var queryMemory: QueryMemory?
  /// What collects explanations, while `explain { }` runs its closure; else nil.
  var explaining: AnyObject?
  #if !canImport(Darwin)
    /// Registers changes to be undone; nil without an undo manager.
    var recorder: (any ChangeRecording)? { didSet { for graph in open { graph.changes.watcher = recorder } } }
  #endif
  /// What traces call it.
  var name: String?
  var autosaveEnabled: Bool { didSet { stores.contexts.note(self, savesByItself: autosaveEnabled) } }
  var observesObjects: Bool {
    get { observesAsTold ?? open.contains { $0.objects.observesObjects } }
    set {
      observesAsTold = newValue
      for graph in open { graph.objects.observe(newValue) }
    }
  }
  /// Nil where contexts find out by themselves.
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
  /// Those of single classes.
  private var uniqueRules: [(place: StoreSet.Place, policy: RoostGraph.UniquePolicy)] = []
  var checksUnique = false
  /// The identifiers that restored models have here, by those that they had before.
  var restored: [PersistentIdentifier: PersistentIdentifier] = [:]
  /// Why a function that cannot throw did nothing; the next save says it, once.
  var failure: (any Error)?
  private var autosave: Task<Void, Never>?
  private var pause = AutosavePause()
  private var listening: [CommitListeners.Ticket] = []
  /// How many calls are under way, one in the other.
  @exclusivity(unchecked) private var depth = 0
  private let watchers = ContextWatchers()
  private var isSerial = false
  private var isEnded = false
  /// How many saves and bulk writes were committed.
  private(set) var commitCount = 0

  /// - Parameter feeds: whether it writes into working sets what was fetched.
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

  /// The context that users see.
  func context(of container: ModelContainer) -> ModelContext {
    if let shown { return shown }
    let made = ModelContext(container, self)
    shown = made
    self.container = container
    return made
  }

  /// The same, for an object that only knows this.
  var context: ModelContext? { shown ?? container.map { context(of: $0) } }

  func show(_ context: ModelContext, of container: ModelContainer) {
    shown = context
    self.container = container
  }

  /// Makes this the context of one serial write: it shows one snapshot, and a property that others changed since is a conflict.
  func beginWrite() {
    isSerial = true
    mergePolicy = .error
  }

  /// Ends it before its last reference goes: from here on all its calls throw.
  func end() {
    isEnded = true
    for graph in open { graph.close() }
  }

  /// Whether a context of one of the stores shows an older state than the newest.
  var isOutdated: Bool { open.contains { $0.session.isOutdated || $0.saver.metOthers } }
  /// Whether other programs changed the same models in the store behind a working set.
  var metOthers: Bool { open.contains(where: \.saver.metOthers) }

  func noteCommit() { commitCount += 1 }

  // MARK: Stores

  /// Those that were used.
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

  /// A getter gave a default for a stored value that its type does not accept.
  private static func hear(_ fault: GraphFault, _ graph: GraphContext) {
    let property = "\(fault.entity ?? "").\(fault.property ?? "")"
    Warning.refused.say(
      "\(fault). This is printed once for each property", about: "\(graph.store.identifier) \(property)")
    guard let state = graph.owner as? ContextState, let tracers = state.stores.tracers,
      let place = state.stores.stores.firstIndex(where: { $0 === graph.store })
    else { return }
    tracers[place]?.hear(fault, author: state.editingState.author, context: state.name)
  }

  /// Tells `watcher`, from now on, when models or values that this context shows may have changed.
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
    // Where there is no choice the store itself refuses what it does not know.
    if graphs.count == 1 { return graph(0) }
    guard let place = stores.place(of: type(of: model)) else {
      throw RoostError(
        .unknownModel,
        "the container was not made for \(type(of: model)._$type.name): name it where the container is made")
    }
    return graph(place.store)
  }

  /// Runs a call that may throw: no other thread may be at the context.
  func call<Result>(_ activity: GraphContext.Call, _ body: () throws -> Result) throws -> Result {
    var isOuter = false
    // What was committed is told when the turn is given back.
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
      // There mostly is one.
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

  /// Fetches the model of an identifier, if its store is a program's own and the model was not fetched yet.
  func bring(_ identifier: PersistentIdentifier) throws {
    guard !feeds, let place = stores.place(named: identifier.entityName),
      let backing = stores.stores[place.store].backing,
      backing.identifier == identifier.store
    else { return }
    let graph = graph(place.store)
    if let (place, row) = stores.row(of: identifier) { return try graph.load(unloaded: [(place.map, row)]) }
    try call(.fetching) { try backing.bring(identifier.entityName, identifier.key, for: graph) }
  }

  /// Takes over what others committed, unless that is to wait.
  func catchUp() { for graph in open { graph.quietly(.reading, otherwise: ()) {} } }

  /// Runs what cannot say that it failed; the next save says it.
  func attempt(_ body: () throws -> Void) {
    do { try body() } catch {
      if failure == nil { failure = Doorway.translated(error) }
    }
  }

  var hasChanges: Bool {
    failure != nil || open.contains { graph in graph.quietly(.reading, otherwise: true) { graph.changes.hasChanges } }
  }

  /// Whether a save has something to do, if only to say why it cannot.
  var needsSave: Bool { hasChanges || open.contains { $0.objects.failure != nil } }

  // MARK: The steps of a save

  /// Throws why an earlier function, which cannot throw, did nothing.
  func throwFailure() throws {
    guard let failure else { return }
    self.failure = nil
    throw failure
  }

  /// Takes over what others committed, and lets both sides of each relationship agree. Returns whether a save has something to do.
  func prepareSave() -> Bool {
    for graph in open { graph.prepareSave(isOutermost: depth == 1) }
    return needsSave
  }

  /// Writes all changes in one transaction for each store.
  func write() throws {
    do { try GraphContext.save(open, isRelaxed: durability == .relaxed) } catch let refusal as SaveRefusal {
      throw stores.error(refusal)
    }
  }

  /// A chance for whoever registers changes to look at them.
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

  /// Somebody saves, or gives changes up: whatever made saving by itself fail may be over.
  func endPause() { pause.end() }

  // MARK: Saving by itself

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

  /// Without a run loop nobody says that an event is over, so it looks from time to time.
  private func startAutosave() {
    // Unsafe, because it is used on the main actor alone, where this context belongs.
    nonisolated(unsafe) weak let state = self
    autosave = Task { @MainActor in
      while !Task.isCancelled {
        try? await Task.sleep(for: .milliseconds(500))
        guard let state, !Task.isCancelled else { return }
        state.saveByItself()
      }
    }
  }

  /// Hears of commits at once, and takes them over on the main actor.
  private func listen() {
    // Unsafe for the same reason: the closure that runs elsewhere only hands it on.
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

/// Who edits, and on whose behalf.
public struct EditingState: Identifiable, Sendable {
  /// A number that no other context has. A store of the program's own tells contexts apart by it.
  public let id = UUID()
  /// The name that the history notes for changes of the context; nil for none. ``ModelContext/author`` is the same
  /// value.
  public var author: String?

  package init() {}
}

#if !canImport(Darwin)
  /// Registers the changes of a context, so that they can be undone.
  protocol ChangeRecording: ChangeWatching {
    /// Registers what has changed since the last call.
    func noteChanges()
    /// The changes are saved now. Called before the notification, whose observers may change more.
    func isSaved()
    /// A save has ended, and its notification was posted.
    func didSave()
    /// Forgets the changes: the context gave them up.
    func forget()
  }
#endif
