internal import RoostFile
internal import Synchronization

/// Who is at a context at the moment.
///
/// A context belongs to one thread at a time. Whoever does something with it that is not a plain load takes the turn, so two
/// threads that are at it at once find out. Where nothing can be thrown the second one waits, and what happened is told later. It does not wait for
/// ever, because the first one may be waiting for it.
///
/// Unchecked because the lock guards the story, patience is set before anybody waits, and all else is atomic.
final class Turn: @unchecked Sendable {
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
      case .merging: "was taking over changes"
      case .closing: "was giving changes up"
      }
    }
  }

  /// The thread's number and, in the low byte, what it does; 0 for nobody.
  private let holder = Atomic<UInt64>(0)
  private let hasStory = Atomic<Bool>(false)
  private let lock = Lock()
  private var story = ""
  /// How long somebody waits who cannot be told, in nanoseconds.
  var patience: UInt64 = 10_000_000_000

  enum Taking {
    /// It is this call's, which must give it back.
    case taken
    /// This thread has it already, and another call will give it back.
    case held
    /// Another thread has it, and does not give it back.
    case denied
  }

  /// Takes the turn, and waits for it if need be.
  @inline(__always)
  func take(_ activity: Activity, _ place: @autoclosure () -> String = "") -> Taking {
    let me = Thread.currentID << 8
    let (isMine, now) = holder.compareExchange(
      expected: 0, desired: me | activity.rawValue, successOrdering: .acquiring, failureOrdering: .relaxed)
    if isMine { return .taken }
    if now & ~0xFF == me { return .held }
    let story = Self.tell(now, me | activity.rawValue, place())
    note(story)
    if wait(me | activity.rawValue) { return .taken }
    note(story + ", waited too long for it, and went on without")
    return .denied
  }

  /// The same, but it throws where another thread has the turn.
  func takeOrThrow(_ activity: Activity) throws(GraphFault) -> Bool {
    let me = Thread.currentID << 8
    let (isMine, now) = holder.compareExchange(
      expected: 0, desired: me | activity.rawValue, successOrdering: .acquiring, failureOrdering: .relaxed)
    if isMine { return true }
    if now & ~0xFF == me { return false }
    throw Self.fault(Self.tell(now, me | activity.rawValue, ""))
  }

  /// Whether somebody found out that two threads are at it.
  var hasWaiting: Bool { hasStory.load(ordering: .relaxed) }

  func give() { holder.store(0, ordering: .releasing) }

  /// Throws what was found out where nothing could be thrown, once.
  @inline(__always)
  func check() throws(GraphFault) { if hasStory.load(ordering: .relaxed) { throw takeStory() } }

  private func takeStory() -> GraphFault {
    lock.withLock {
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
      // Most calls end soon; for the others nobody need be awake.
      Thread.sleep(microseconds: turns < 1000 ? 50 : 1000)
    }
    return true
  }

  /// Notes something for the next call that can say it.
  func note(_ new: String) {
    lock.withLock {
      story = new
      hasStory.store(true, ordering: .relaxed)
    }
  }

  private static func fault(_ story: String) -> GraphFault {
    GraphFault(
      .twoThreads, story + "; a context belongs to one thread at a time: give each thread or actor a context of its own"
    )
  }

  private static func tell(_ one: UInt64, _ other: UInt64, _ place: String) -> String {
    func text(_ word: UInt64) -> String {
      "thread \(String(word >> 8, radix: 16)) " + (Activity(rawValue: word & 0xFF)?.description ?? "was at it")
    }
    return text(other) + (place.isEmpty ? "" : " \(place)") + " while " + text(one)
  }
}
