internal import Foundation
internal import RoostFile
internal import RoostGraph

/// The function that a configuration reports to. Two handlers are equal if they are one object.
final class TraceHandler: Hashable, Sendable {
  let handle: @Sendable (TraceEvent) -> Void

  init(_ handle: @escaping @Sendable (TraceEvent) -> Void) { self.handle = handle }

  static func == (one: TraceHandler, other: TraceHandler) -> Bool { one === other }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Reports the operations of one store.
///
/// Unchecked because the lock guards `busy`.
final class Tracer: @unchecked Sendable {
  let store: String
  private let handler: TraceHandler?
  private let threshold: Duration
  private let output: TraceOutput?
  private let lock = Lock()
  /// The threads that are calling the handler. The handler's own operations are not reported.
  private var busy: Set<UInt64> = []

  /// Returns nil if neither the program nor the environment wants reports.
  init?(store: String, _ handler: TraceHandler?, threshold: Duration, output: TraceOutput? = .environment) {
    if handler == nil, output == nil { return nil }
    self.store = store
    self.handler = handler
    self.threshold = threshold
    self.output = output
  }

  var now: UInt64 { Clock.monotonicNanoseconds() }

  /// Reports a finished operation. No lock is held, and no turn of a context.
  func tell(_ event: TraceEvent) {
    let isUrgent = event.error != nil || event.kind == .repair
    let isWanted = handler != nil && (isUrgent || event.duration >= threshold)
    let isPrinted = output.map { isUrgent || event.duration >= $0.threshold } ?? false
    defer { event.lazyPlan?.seal() }
    if !isWanted && !isPrinted { return }
    let thread = Thread.currentID
    guard lock.withLock({ busy.insert(thread).inserted }) else { return }
    defer { _ = lock.withLock { busy.remove(thread) } }
    if isPrinted { output?.print(event) }
    if isWanted { handler?.handle(event) }
  }

  func hear(_ merge: MergeReport, author: String?, context: String?) {
    var event = TraceEvent(.merge, store, nanoseconds: merge.nanoseconds)
    event.commits = merge.commits
    event.error = merge.failure.map(Doorway.translated)
    event.author = author
    event.context = context
    tell(event)
  }

  /// Reports the pages that were repaired since the last call.
  func tellRepairs(_ graph: GraphStore) {
    for sentence in graph.takeRepairs() {
      var event = TraceEvent(.repair, store, nanoseconds: 0)
      event.pages = 1
      event.detail = sentence
      tell(event)
    }
  }

  /// Reports a getter that returned a default.
  func hear(_ fault: GraphFault, author: String?, context: String?) {
    var event = TraceEvent(.defaultGiven, store, nanoseconds: 0)
    event.entity = fault.entity
    event.error = Doorway.translated(fault)
    event.author = author
    event.context = context
    tell(event)
  }

  func hearCheckpoints(_ graph: GraphStore) -> Int {
    graph.hearCheckpoints { [self] nanoseconds, pages, failure in
      var event = TraceEvent(.checkpoint, store, nanoseconds: nanoseconds)
      event.pages = pages
      event.error = failure.map(Doorway.translated)
      tell(event)
    }
  }
}

/// The trace of opening a store.
struct OpeningTrace {
  private let tracer: Tracer?

  init(_ tracer: Tracer?) { self.tracer = tracer }

  func run(_ body: () throws -> GraphStore) throws -> GraphStore {
    guard let tracer else {
      let store = try body()
      _ = store.takeRecovery()
      return store
    }
    let start = tracer.now
    do {
      let store = try body()
      let end = tracer.now
      // If several containers open a file, the recovery is reported once.
      if let recovery = store.takeRecovery() {
        var event = TraceEvent(.recovery, tracer.store, nanoseconds: recovery.nanoseconds)
        event.commits = recovery.commits
        event.bytes = recovery.bytes
        tracer.tell(event)
      }
      tracer.tell(TraceEvent(.opening, tracer.store, nanoseconds: end - start))
      tracer.tellRepairs(store)
      return store
    } catch {
      var event = TraceEvent(.opening, tracer.store, nanoseconds: tracer.now - start)
      event.error = error
      tracer.tell(event)
      throw error
    }
  }
}

/// The trace output that the environment requests.
///
/// `ROOST_TRACE=1` prints all events to standard error, another number prints those that took at
/// least that many milliseconds, and a path writes all of them to that file.
struct TraceOutput: Sendable {
  let threshold: Duration
  let path: String?

  static let environment = TraceOutput(ProcessInfo.processInfo.environment["ROOST_TRACE"])

  init?(_ setting: String?) {
    guard let setting, !setting.isEmpty, setting != "0" else { return nil }
    if let milliseconds = Double(setting) {
      guard milliseconds.isFinite, milliseconds > 0 else { return nil }
      threshold = setting == "1" ? .zero : .milliseconds(min(milliseconds, 1e12))
      path = nil
    } else {
      threshold = .zero
      path = setting
    }
  }

  private static let lock = Lock()

  func print(_ event: TraceEvent) {
    var text = "\(event)"
    if let plan = event.plan {
      text +=
        "; plan: " + plan.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: ", ")
    }
    let line = Data((text.replacing("\n", with: " ") + "\n").utf8)
    Self.lock.withLock {
      guard let path else {
        // If standard error cannot be written, nothing is printed.
        try? FileHandle.standardError.write(contentsOf: line)
        return
      }
      if !FileManager.default.fileExists(atPath: path) {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
      }
      guard let file = FileHandle(forWritingAtPath: path) else { return }
      _ = try? file.seekToEnd()
      try? file.write(contentsOf: line)
      try? file.close()
    }
  }
}
