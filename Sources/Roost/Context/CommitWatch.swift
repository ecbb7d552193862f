internal import Foundation
internal import RoostFile
internal import RoostGraph
internal import Synchronization

/// Notifies the program of commits to a container's stores, and removes history that is too old.
///
/// A commit is noted while its context has the turn. The same thread sends the notifications after
/// it has given the turn back, and before the call returns. So observers may call the context.
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

  /// Sends the notifications for the commits of this thread.
  @inline(__always)
  static func tell() { if waiting.isSomebody { waiting.tell() } }

  private static let waiting = Waiting()
}

/// The notification for one container.
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
    // A removal of history is a commit itself, so it does not follow every commit.
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
    // The commit has succeeded, so a failed removal is no error. The next removal tries again.
    for (store, retention) in retentions { try? retention.prune(container.stores.stores[store]) }
  }
}

/// The notifications that threads have noted and not yet sent.
///
/// Unchecked because the lock guards all fields except the count. Threads read the count without
/// the lock to see that there is nothing to send.
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
