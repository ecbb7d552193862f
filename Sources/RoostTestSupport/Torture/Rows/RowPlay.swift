package import RoostFile
package import RoostPages
package import RoostRecords

/// The allowed states of a store of rows after a crash: the model after each commit, and which
/// commits are promised.
package struct RowPast: Sendable {
  /// By the number of the commit; 0 is the empty store.
  package private(set) var models = [RowModel()]
  /// The history after each commit, if it was read.
  package private(set) var chronicles: [Int?] = [nil]
  package private(set) var promised = 0

  package init() {}

  package var begun: Int { models.count - 1 }

  package mutating func begin(_ model: RowModel) {
    models.append(model)
    chronicles.append(nil)
  }

  package mutating func takeBack() {
    models.removeLast()
    chronicles.removeLast()
  }

  package mutating func note(_ chronicle: Int, at commit: Int) { chronicles[commit] = chronicle }
  package mutating func promise(_ number: Int) { promised = max(promised, number) }

  /// After reopening: the found state is durable, and later begun commits do not exist.
  package mutating func settle(at number: Int) { promised = number }

  /// The error in finding this state; nil if it is allowed.
  package func complaint(_ commit: UInt64, _ state: RowState) -> String? {
    if commit < UInt64(promised) { return "commit \(commit) is found where \(promised) was acknowledged" }
    guard commit <= UInt64(begun) else { return "commit \(commit) is found where \(begun) was the last begun" }
    return state.difference(from: models[Int(commit)].state).map { "commit \(commit): \($0)" }
  }
}

/// Plays a scenario of rows on a simulated file system together with its model, and notes the
/// promises of each moment.
package final class RowPlay {
  package static let path = "/folder/rows.roost"

  package let fileSystem: SimulatedFileSystem
  private let seam: any FileSystem
  package let options: StoreOptions
  package private(set) var store: RecordStore?
  package private(set) var past = RowPast()
  package private(set) var model = RowModel()
  package private(set) var failures: [String] = []
  /// The errors of the store so far.
  package private(set) var errors: [StoreError] = []
  private var mustNotWrite = false
  private var stepsFailed = false
  /// Whether faults are injected: then errors of the store are expected.
  package var expectsErrors = false
  /// Whether a sync may lie: acknowledged commits may be lost, but no answer may be wrong.
  package var deviceLies = false
  package var order: OrderChecker?
  package var onStep: ((RecordedCall, RowPast) -> Void)?
  package var trace: ((String) -> Void)?
  /// The number of changes that were made.
  package private(set) var changes = 0
  private let scenario: RowScenario
  private let time = RowClock()
  /// The number of openings; each time another process writes.
  private var openings: UInt64 = 0

  package init(_ scenario: RowScenario, wrap: ((SimulatedFileSystem) -> any FileSystem)? = nil) {
    self.scenario = scenario
    options = scenario.options
    fileSystem = SimulatedFileSystem()
    seam = wrap?(fileSystem) ?? fileSystem
    fileSystem.recordsSteps = false
    fileSystem.onStep = { [unowned self] step in stepped(step) }
  }

  deinit { fileSystem.onStep = nil }

  private func stepped(_ step: RecordedCall) {
    if step.errorNumber != 0 {
      stepsFailed = true
      if (step.kind == .sync || step.kind == .syncDirectory) && store != nil { mustNotWrite = true }
    }
    order?.stepped(step)
    onStep?(step, past)
  }

  package func fail(_ sentence: String) { failures.append(sentence) }

  // MARK: Actions

  package func run(afterEach body: () -> Void = {}) {
    open()
    body()
    begin()
    body()
    for action in scenario.actions where failures.isEmpty {
      run(action)
      body()
    }
  }

  /// The first transaction makes the catalog.
  package func begin() {
    guard let store, past.begun == 0 || model.state.catalog.isEmpty else { return }
    write(store, .full, abandons: false) { [scenario] writer, working in
      if scenario.isFullHistory { try writer.setHistory(.full) }
      working.isFull = scenario.isFullHistory
      working.state.mode = scenario.isFullHistory ? .full : .changes
      try writer.change { $0 = try RowModel.catalog() }
      working.begin(catalog: writer.catalog.encoded)
    }
  }

  package func open() {
    mustNotWrite = false
    stepsFailed = false
    do {
      openings += 1
      let opened = try RecordStore(
        Self.path, options: options, fileSystem: seam, clock: { [time] in time.read() },
        writer: { [openings] in HistoryWriter("play", process: openings) })
      store = opened
      let (commit, state) = try opened.read { ($0.commit, try RowState($0)) }
      if let complaint = past.complaint(commit, state) { return fail("after opening: " + complaint) }
      model = past.models[Int(commit)]
      if !deviceLies && !stepsFailed { past.settle(at: Int(commit)) }
      while past.begun > Int(commit) { past.takeBack() }
    } catch { note(error, "open") }
  }

  package func run(_ action: RowScenario.Action) {
    if store == nil { open() }
    guard let store else { return }
    if model.state.catalog.isEmpty { begin() }
    trace?("\(action)")
    switch action {
    case .write(let seed, let count, let durability, let abandons):
      var generator = SplitMix64(seed: seed)
      let isNamed = generator.chance(1, in: scenario.namedOneIn)
      write(store, durability, abandons: abandons) { [scenario, past, trace] writer, working in
        var changes = RowChanges(base: UInt64(past.begun), generator: generator)
        changes.largeOneIn = scenario.largeOneIn
        changes.hasNamed = isNamed
        changes.trace = trace
        try changes.carryOut(count, writer, model: &working)
      }
      changes += count
    case .checkpoint:
      do {
        try store.store.checkpoint()
        if mustNotWrite { fail("a checkpoint succeeded after a failed sync") }
        promise(past.begun)
      } catch { note(error, "checkpoint") }
    case .reopen:
      close()
      open()
    case .readOnly: readOnly()
    }
  }

  private func promise(_ number: Int) { if !deviceLies { past.promise(number) } }

  package func close() {
    guard let store else { return }
    let mayWrite = !mustNotWrite
    do {
      try store.close()
      if mayWrite && !mustNotWrite { promise(past.begun) }
    } catch { note(error, "close") }
    self.store = nil
  }

  /// Releases the store without closing it: the machine has stopped.
  package func abandon() {
    fileSystem.onStep = nil
    fileSystem.observer = nil
    fileSystem.stopAfter(step: 0)
    try? store?.close()
    store = nil
  }

  /// Checks the whole file, and the content of the newest snapshot.
  package func examine() {
    guard let store else { return }
    do {
      if let finding = try RowAudit.findings(store).first { fail(finding.description) }
      try store.read { reader in
        if let difference = try RowState(reader).difference(from: model.state) { fail("the store: " + difference) }
        if model.isFull, let complaint = try RowChronicle.complaint(reader, model.state) { fail(complaint) }
      }
      promise(past.begun)
    } catch { note(error, "examination") }
  }

  private struct Abandoned: Error {}

  private func write(
    _ store: RecordStore, _ durability: SyncMode, abandons: Bool,
    body: (RecordWriter, inout RowModel) throws -> Void
  ) {
    let mayNot = mustNotWrite
    stepsFailed = false
    var working = model
    var hasBegun = false
    let before = past.begun
    do {
      try store.write(durability, author: "author \(before % 3)") { writer in
        try body(writer, &working)
        if abandons { throw Abandoned() }
        working.state.catalog = writer.catalog.encoded
        past.begin(working)
        hasBegun = true
      }
      if mayNot { fail("a commit succeeded after a failed sync") }
      let (commit, chronicle) = try store.read { ($0.commit, try RowChronicle.digest($0)) }
      if commit == UInt64(before) {
        // A transaction without changes makes no commit, and promises nothing.
        if working.state != model.state { fail("a commit is not seen that succeeded") }
        return past.takeBack()
      }
      if commit != UInt64(before) + 1 { fail("commit \(commit) is seen where \(before + 1) succeeded") }
      model = working
      past.note(chronicle, at: past.begun)
      if durability == .full {
        promise(past.begun)
        if !expectsErrors { order?.acknowledged() }
      }
    } catch is Abandoned {
    } catch let error as StoreError where error.code == .commitUncertain {
      if !mustNotWrite && !expectsErrors { fail("uncertain without a failed sync: \(error)") }
      note(error, "write")
      mustNotWrite = true
    } catch {
      // The read after the commit may have failed.
      let commit = hasBegun ? try? store.read { $0.commit } : nil
      if hasBegun && commit != UInt64(before) + 1 { past.takeBack() } else if hasBegun { model = working }
      note(error, "write")
    }
  }

  /// Opens the store for reading only, which must see all appended commits and write nothing.
  private func readOnly() {
    let calls = fileSystem.step
    do {
      var options = options
      options.readOnly = true
      let reader = try RecordStore(Self.path, options: options, fileSystem: seam)
      let (commit, state) = try reader.read { ($0.commit, try RowState($0)) }
      try reader.close()
      if let complaint = past.complaint(commit, state) {
        fail("reading only: " + complaint)
      } else if !expectsErrors && !deviceLies && commit != UInt64(past.begun) {
        fail("reading only: commit \(commit) is seen where \(past.begun) is the last")
      }
      if fileSystem.step != calls { fail("an opening for reading only wrote something") }
    } catch { note(error, "reading only") }
  }

  private func note(_ error: any Error, _ what: String) {
    if let error = error as? StoreError {
      errors.append(error)
      if !expectsErrors && !mustNotWrite { fail("\(what): \(error)") }
    } else {
      fail("\(what): \(error)")
    }
  }
}

/// A clock that advances by one at each call, and sometimes goes back.
final class RowClock: @unchecked Sendable {
  // Unchecked because one thread uses the store.
  private var now: UInt64 = 1_700_000_000_000
  private var looks = 0

  func read() -> UInt64 {
    looks += 1
    if looks % 9 == 0 { now -= 20 } else { now += 3 }
    return now
  }
}
