package import RoostFile
package import RoostKV
package import RoostPages

/// Plays a scenario on a simulated file system together with its model, and notes the promises of
/// each moment.
///
/// All errors that it finds are added to `failures`; it continues if possible.
package final class Play {
  package static let path = "/folder/a.roost"

  package let fileSystem: SimulatedFileSystem
  /// The file system of the store, if it is not the simulation itself.
  let seam: any FileSystem
  package private(set) var options: StoreOptions
  package private(set) var store: KeyValueStore?
  package internal(set) var history = History()
  package private(set) var model = Model()
  private var held: [HeldReader] = []
  package private(set) var failures: [String] = []
  /// Whether a sync has failed, so that no later write may succeed before the store is opened
  /// again.
  var mustNotWrite = false
  private var stepsFailed = false
  /// Whether a copy of the store is written, which has no effect on the store itself.
  var isCopying = false
  /// Whether faults are injected: then errors of the store are expected.
  package var expectsErrors = false
  /// Whether a sync may lie: acknowledged commits may be lost, but no answer may be wrong.
  package var deviceLies = false
  package var order: OrderChecker?
  /// The errors of the store so far.
  package private(set) var errors: [StoreError] = []
  /// Called after each mutating call, with the promises of that moment.
  package var onStep: ((RecordedCall, History) -> Void)?

  /// `wrap` may put a file system between the store and the simulation.
  package init(
    _ options: StoreOptions, on fileSystem: SimulatedFileSystem = SimulatedFileSystem(),
    wrap: ((SimulatedFileSystem) -> any FileSystem)? = nil
  ) {
    self.options = options
    self.fileSystem = fileSystem
    seam = wrap?(fileSystem) ?? fileSystem
    fileSystem.recordsSteps = false
    fileSystem.onStep = { [unowned self] step in stepped(step) }
  }

  deinit { fileSystem.onStep = nil }

  /// Continues with a store that a crash left.
  package func take(over history: History, model: Model) {
    self.history = history
    self.model = model
  }

  private func stepped(_ step: RecordedCall) {
    if step.errorNumber != 0 { stepsFailed = true }
    if (step.kind == .sync || step.kind == .syncDirectory) && step.errorNumber != 0 && store != nil && !isCopying {
      mustNotWrite = true
    }
    order?.stepped(step)
    onStep?(step, history)
  }

  package func fail(_ sentence: String) { failures.append(sentence) }

  // MARK: Actions

  package func run(_ scenario: Scenario, afterEach body: () -> Void = {}) {
    open()
    body()
    for action in scenario.actions {
      run(action)
      body()
      if !failures.isEmpty { return }
    }
  }

  package func open() {
    mustNotWrite = false
    stepsFailed = false
    do {
      let opened = try KeyValueStore(Self.path, options: options, fileSystem: seam)
      store = opened
      let (commit, digest) = try opened.digest()
      if let complaint = history.complaint(commit: commit, digest: digest) {
        return fail("after opening: " + complaint)
      }
      model = history.models[Int(commit)]
      // Recovery ends with a checkpoint. If that succeeded, the found state is durable.
      if !deviceLies && !stepsFailed { history.settle(at: Int(commit)) }
      while history.begun > Int(commit) { history.takeBack() }
    } catch { note(error, "open") }
  }

  package func run(_ action: Scenario.Action) {
    if store == nil { open() }
    guard let store else { return }
    switch action {
    case .write(let changes, let durability, let abandons):
      write(store, changes, durability: durability, abandons: abandons)
    case .checkpoint:
      do {
        try store.checkpoint()
        if mustNotWrite { fail("a checkpoint succeeded after a failed sync") }
        promise(history.begun)
      } catch { note(error, "checkpoint") }
    case .reopen:
      releaseAll()
      close()
      open()
    case .hold:
      do { held.append(try HeldReader(store, seenModel(store))) } catch { note(error, "hold") }
    case .release:
      if !held.isEmpty { release(held.removeFirst(), store) }
    case .compact(let pages): compact(store, pages)
    case .backup: backup(store)
    case .salvage: salvage()
    case .readOnly(let closes): readOnly(store, closes: closes)
    }
  }

  /// The state that a reader sees now: after writing has stopped, that may be older than the tip.
  private func seenModel(_ store: KeyValueStore) throws -> Model {
    let commit = try store.read { $0.commit }
    return history.models[Int(commit)]
  }

  private func release(_ reader: HeldReader, _ store: KeyValueStore) {
    do {
      if let complaint = try reader.complaint() { fail(complaint) }
    } catch { note(error, "reading") }
    reader.release(store)
  }

  package func releaseAll() {
    guard let store else { return }
    while !held.isEmpty { release(held.removeFirst(), store) }
  }

  package func close() {
    releaseAll()
    guard let store else { return }
    let mayWrite = !mustNotWrite
    do {
      try store.close()
      if mayWrite && !mustNotWrite { promise(history.begun) }
    } catch { note(error, "close") }
    self.store = nil
  }

  /// Releases the store without closing it: the machine has stopped.
  package func abandon() {
    fileSystem.onStep = nil
    fileSystem.observer = nil
    fileSystem.stopAfter(step: 0)
    releaseAll()
    try? store?.close()
    store = nil
  }

  func promise(_ number: Int) { if !deviceLies { history.promise(number) } }

  /// Checks the whole file, and the content of the newest snapshot.
  package func examine() {
    guard let store else { return }
    do {
      let findings = try Audit.findings(store)
      if !findings.isEmpty { fail(findings.prefix(5).joined(separator: "; ")) }
      let (_, digest) = try store.digest()
      if digest != model.digest { fail("the store reads " + (try store.model().difference(from: model))) }
      promise(history.begun)
    } catch { note(error, "examination") }
  }

  private struct Abandoned: Error {}

  private func write(_ store: KeyValueStore, _ changes: [Change], durability: RoostKV.Durability, abandons: Bool) {
    let mayNot = mustNotWrite
    stepsFailed = false
    var working = model
    var hasBegun = false
    let before = history.begun
    do {
      try store.write(durability) { writer in
        for change in changes { try change.carryOut(writer, &working) }
        if abandons { throw Abandoned() }
        history.begin(working)
        hasBegun = true
      }
      if mayNot { fail("a commit succeeded after a failed sync") }
      let commit = try store.read { $0.commit }
      if commit == UInt64(before) {
        // A transaction without changes makes no commit, and promises nothing.
        if working != model { fail("a commit is not seen that succeeded") }
        return history.takeBack()
      }
      if commit != UInt64(before) + 1 { fail("commit \(commit) is seen where \(before + 1) succeeded") }
      model = working
      if durability == .full {
        promise(history.begun)
        // A checkpoint that fails after the commit may leave a begun segment.
        if !expectsErrors { order?.acknowledged() }
      }
    } catch is Abandoned {
    } catch let error as StoreError where error.code == .commitUncertain {
      // The commit may be found or not.
      if !mustNotWrite && !expectsErrors { fail("uncertain without a failed sync: \(error)") }
      note(error, "write")
      mustNotWrite = true
    } catch {
      if hasBegun { history.takeBack() }
      note(error, "write")
    }
  }

  func note(_ error: any Error, _ what: String) {
    if let error = error as? StoreError {
      errors.append(error)
      if !expectsErrors && !mustNotWrite { fail("\(what): \(error)") }
    } else {
      fail("\(what): \(error)")
    }
  }
}
