internal import Foundation
internal import RoostFile
internal import RoostGraph
internal import Synchronization

/// Tells everybody in the program of commits to a container's stores, and lets go of history that is too old.
///
/// A commit is noted while its context has the turn, and told by the same thread when it has given that back: so whoever hears of it may do
/// anything, and nothing is told later than a call returns.
final class CommitWatch: Sendable {
  private let tickets: [CommitListeners.Ticket]

  init(_ container: ModelContainer, _ configurations: [ModelConfiguration]) {
    let notice = Notice(container, configurations)
    tickets = container.stores.stores.map { store in
      store.listeners.add { begins in
        begins()
        Self.waiting.note(notice)
      }
    }
  }

  deinit { for ticket in tickets { ticket.end() } }

  /// Tells what this thread has committed.
  @inline(__always)
  static func tell() { if waiting.isSomebody { waiting.tell() } }

  private static let waiting = Waiting()
}

/// What is to be told for one container.
private final class Notice: Sendable {
  private weak let container: ModelContainer?
  private let retentions: [(store: Int, retention: ModelConfiguration.HistoryRetention)]
  private let pauseNanoseconds: UInt64
  private let nextPruning: Atomic<UInt64>

  init(_ container: ModelContainer, _ configurations: [ModelConfiguration]) {
    self.container = container
    retentions = configurations.enumerated().compactMap { number, configuration in
      configuration.allowsSave ? configuration.historyRetention.map { (number, $0) } : nil
    }
    let shortest = retentions.map(\.retention.milliseconds).min() ?? 0
    // A removal is a commit, so it does not come with each of them.
    pauseNanoseconds = UInt64(clamping: min(max(shortest / 16, 1000), 3_600_000)) * 1_000_000
    nextPruning = Atomic(Clock.monotonicNanoseconds() + pauseNanoseconds)
  }

  func tell() {
    guard let container else { return }
    container.stores.followers.follow()
    prune(container)
    var tokens: [String: DefaultHistoryToken] = [:]
    for store in container.stores.stores {
      if let place = try? store.latestTokenIfOn { tokens[store.identifier] = DefaultHistoryToken(place) }
    }
    NotificationCenter.default.post(
      name: ModelContainer.remoteChange, object: container,
      userInfo: [ModelContext.NotificationKey.historyTokens.rawValue: tokens])
  }

  private func prune(_ container: ModelContainer) {
    if retentions.isEmpty { return }
    let now = Clock.monotonicNanoseconds()
    let due = nextPruning.load(ordering: .relaxed)
    guard now >= due,
      nextPruning.compareExchange(expected: due, desired: now + pauseNanoseconds, ordering: .relaxed).exchanged
    else { return }
    // What was committed is committed. What cannot be removed now is removed later.
    for (store, retention) in retentions { try? retention.prune(container.stores.stores[store]) }
  }
}

/// What threads have noted and not yet told.
///
/// Unchecked because the lock guards all of it, but for the count, by which those who have nothing to tell see that.
private final class Waiting: @unchecked Sendable {
  private let lock = Lock()
  private var notices: [UInt64: [Notice]] = [:]
  private let count = Atomic<Int>(0)

  var isSomebody: Bool {
    @inline(__always) get { count.load(ordering: .relaxed) != 0 }
  }

  func note(_ notice: Notice) {
    let thread = Thread.currentID
    lock.withLock {
      if notices[thread]?.contains(where: { $0 === notice }) == true { return }
      notices[thread, default: []].append(notice)
      count.store(notices.count, ordering: .relaxed)
    }
  }

  func tell() {
    let thread = Thread.currentID
    let mine = lock.withLock {
      let mine = notices.removeValue(forKey: thread)
      count.store(notices.count, ordering: .relaxed)
      return mine
    }
    for notice in mine ?? [] { notice.tell() }
  }
}
