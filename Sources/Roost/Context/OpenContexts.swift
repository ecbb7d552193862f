internal import RoostFile
internal import RoostGraph
internal import Synchronization

/// The contexts of a container's stores. They end when the container is closed, or when the program
/// ends.
///
/// A context belongs to its thread. `close()` takes the turn of each context before it touches it.
final class OpenContexts: @unchecked Sendable {
  // Unchecked because `lock` guards all fields but `closed`, which is atomic.
  private struct Weak {
    weak var state: ContextState?
  }

  private let lock = Lock()
  private var graphs: [ObjectIdentifier: GraphContext] = [:]
  private var selfSaving: [ObjectIdentifier: Weak] = [:]
  private let closed = Atomic<Bool>(false)
  /// Whether all contexts have ended.
  private var isShut = false
  private var reason = "the container was closed: make a new one"

  /// Whether the container was closed.
  var isClosed: Bool { closed.load(ordering: .acquiring) }

  func checkOpen() throws {
    if isClosed { throw GraphFault(.closed, lock.withLock { reason }) }
  }

  /// Sets the reason that errors give after the container is closed.
  func explain(_ reason: String) { lock.withLock { self.reason = reason } }

  /// Adds a context that begins to use a store. Its owner removes it when it ends.
  func add(_ graph: GraphContext) {
    lock.withLock { graphs[ObjectIdentifier(graph)] = graph }
    if isClosed { _ = graph.shut(until: .max) }
  }

  func remove(_ ended: [GraphContext]) {
    let removed = lock.withLock { ended.map { graphs.removeValue(forKey: ObjectIdentifier($0)) } }
    withExtendedLifetime(removed) {}
  }

  /// Whether the main context uses a store. Then only the main actor may end it.
  var hasMain: Bool {
    lock.withLock { !isShut && graphs.values.contains { ($0.owner as? ContextState)?.isMain == true } }
  }

  /// Notes whether a context has autosave.
  func note(_ state: ContextState, savesByItself: Bool) {
    lock.withLock { selfSaving[ObjectIdentifier(state)] = savesByItself ? Weak(state: state) : nil }
  }

  /// Returns the contexts with autosave, each with the graphs that it uses. Returns none if the
  /// lock is not free before the deadline.
  func savers(until deadline: UInt64 = .max) -> [(state: ContextState, graphs: [GraphContext])] {
    guard lock.acquire(until: deadline) else { return [] }
    defer { lock.release() }
    return selfSaving.values.compactMap { saver in
      saver.state.map { state in (state, graphs.values.filter { $0.owner === state }) }
    }
  }

  /// Makes all later calls throw.
  func close() { closed.store(true, ordering: .releasing) }

  /// Ends all contexts. Returns false if one is in use until the deadline.
  func shut(until deadline: UInt64) -> Bool {
    guard lock.acquire(until: deadline) else { return false }
    let all = Array(graphs.values)
    lock.release()
    // Ends each of them, even if one is in use.
    let isWhole = all.filter { !$0.isShutOrCanBe(until: deadline) }.isEmpty
    if isWhole { lock.withLock { isShut = true } }
    return isWhole
  }
}

extension GraphContext {
  /// A context that is ending on another thread may still have its snapshot, so this waits for that
  /// too.
  fileprivate func isShutOrCanBe(until deadline: UInt64) -> Bool { shut(until: deadline) || session.isClosed }
}
