internal import RoostFile
internal import Synchronization

/// The lock of one context. It detects two threads that use the context at once.
///
/// A context belongs to one thread at a time. Every call except a plain load of a property takes
/// the lock. If another thread has it, a call that can throw throws. A call that cannot throw
/// waits, and the next call that can throws the error. The wait has a limit, because the first
/// thread may be waiting for the second.
///
/// Unchecked because `mutex` guards the story, `patience` is set before a thread waits, and the
/// rest is atomic.
///
/// ## Invariants
/// 1. At most one thread has the lock. It may enter again: only its outermost call gives the lock
///    back.
/// 2. Every wait of two threads is reported once, by the next call that can throw.
final class ContextLock: @unchecked Sendable {
  enum Activity: UInt64, CustomStringConvertible {
    case reading = 1
    case changing, fetching, saving, inserting, deleting, merging, closing

    var description: String {
      switch self {
      case .reading: "was reading"
      case .changing: "was changing an object"
      case .fetching: "was fetching"
      case .saving: "was saving"
      case .inserting: "was inserting"
      case .deleting: "was deleting"
      case .merging: "was merging changes"
      case .closing: "was discarding changes"
      }
    }
  }

  /// The thread's number and, in the low byte, its activity; 0 if no thread has the lock.
  private let holder = Atomic<UInt64>(0)
  private let hasStory = Atomic<Bool>(false)
  private let mutex = Lock()
  private var story = ""
  /// The longest wait of a call that cannot throw, in nanoseconds.
  var patience: UInt64 = 10_000_000_000

  enum Taking {
    /// This call took the lock and must give it back.
    case taken
    /// This thread has the lock already, and an outer call will give it back.
    case held
    /// Another thread has the lock, and did not give it back in time.
    case denied
  }

  /// Takes the lock, and waits for it if another thread has it.
  @inline(__always)
  func take(_ activity: Activity, _ place: @autoclosure () -> String = "") -> Taking {
    let me = Thread.currentID << 8
    let (isMine, now) = holder.compareExchange(
      expected: 0, desired: me | activity.rawValue, successOrdering: .acquiring, failureOrdering: .relaxed)
    if isMine { return .taken }
    if now & ~0xFF == me { return .held }
    let story = Self.tell(now, me | activity.rawValue, place: place())
    note(story)
    if wait(me | activity.rawValue) { return .taken }
    note(story + ", waited too long for it, and went on without it")
    return .denied
  }

  /// Takes the lock, or throws if another thread has it. Returns false if this thread has it
  /// already.
  func takeOrThrow(_ activity: Activity) throws(GraphFault) -> Bool {
    let me = Thread.currentID << 8
    let (isMine, now) = holder.compareExchange(
      expected: 0, desired: me | activity.rawValue, successOrdering: .acquiring, failureOrdering: .relaxed)
    if isMine { return true }
    if now & ~0xFF == me { return false }
    throw Self.fault(Self.tell(now, me | activity.rawValue, place: ""))
  }

  /// Whether two threads met and no call has thrown that yet.
  var hasWaiting: Bool { hasStory.load(ordering: .relaxed) }

  func give() { holder.store(0, ordering: .releasing) }

  /// Throws once if two threads met in a call that could not throw.
  @inline(__always)
  func check() throws(GraphFault) { if hasStory.load(ordering: .relaxed) { throw takeStory() } }

  private func takeStory() -> GraphFault {
    mutex.withLock {
      hasStory.store(false, ordering: .relaxed)
      return Self.fault(story)
    }
  }

  @inline(never)
  private func wait(_ word: UInt64) -> Bool {
    let start = Clock.monotonicNanoseconds()
    var turns = 0
    while !holder.weakCompareExchange(
      expected: 0, desired: word, successOrdering: .acquiring, failureOrdering: .relaxed
    ).exchanged {
      turns += 1
      if turns < 100 {
        Thread.yield()
        continue
      }
      if Clock.monotonicNanoseconds() - start > patience { return false }
      // Most calls end soon. The thread sleeps through the others.
      Thread.sleep(microseconds: turns < 1000 ? 50 : 1000)
    }
    return true
  }

  /// Records the error that the next call that can throws.
  func note(_ new: String) {
    mutex.withLock {
      story = new
      hasStory.store(true, ordering: .relaxed)
    }
  }

  private static func fault(_ story: String) -> GraphFault {
    GraphFault(
      .twoThreads, story + "; a context belongs to one thread at a time: give each thread or actor a context of its own"
    )
  }

  private static func tell(_ one: UInt64, _ other: UInt64, place: String) -> String {
    func text(_ word: UInt64) -> String {
      "thread \(String(word >> 8, radix: 16)) " + (Activity(rawValue: word & 0xFF)?.description ?? "was using it")
    }
    return text(other) + (place.isEmpty ? "" : " \(place)") + " while " + text(one)
  }
}
