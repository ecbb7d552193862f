internal import Foundation
public import Observation
internal import RoostFile
internal import RoostGraph
internal import RoostRecords

/// Counts the commits that touch some models, by some authors, so that whoever reads ``eventCounter`` hears of them.
///
/// Each commit of any context counts, of this container or of another one that has the same file open in this program. Commits that follow
/// each other quickly may be told at once.
///
/// ```swift
/// let observer = try HistoryObserver(observedModels: [Song.self], modelContainer: container)
/// withObservationTracking {
///   _ = observer.eventCounter
/// } onChange: {
///   print("songs changed")
/// }
/// ```
///
/// Unchecked because the lock guards what changes.
public final class HistoryObserver: Observable, @unchecked Sendable {
  /// The container whose commits are counted. The observer keeps it alive.
  public let modelContainer: ModelContainer
  /// Empty for all.
  public let observedModels: [any PersistentModel.Type]
  /// Empty for all. A commit without an author is by none of them.
  public let authors: Set<String>

  private let registrar = ObservationRegistrar()
  private let lock = Lock()
  private let reading = Lock()
  private var count = 0
  private var place: DefaultHistoryToken
  private var tickets: [CommitListeners.Ticket] = []
  /// Weak, because an actor may keep its observers.
  private weak var isolation: (any Actor)?
  private let isIsolated: Bool

  /// - Parameters:
  ///   - historyTokens: by store, from where on commits count, as ``ModelContainer/remoteChange`` tells it; nil for from now on.
  ///   - observedModels: the models whose changes count, with those that inherit from them; empty for all.
  ///   - authors: whose commits count; empty for all.
  ///   - modelContainer: whose stores are looked at.
  ///   - isolation: where the counter changes: on the actor that makes the observer.
  public init(
    historyTokens: [String: any HistoryToken]? = nil, observedModels: [any PersistentModel.Type] = [],
    authors: Set<String> = [], modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    self.modelContainer = modelContainer
    self.observedModels = observedModels
    self.authors = authors
    self.isolation = isolation
    isIsolated = isolation != nil
    for model in observedModels { _ = try modelContainer.stores.known(model) }
    place = try modelContainer.latestHistoryToken
    if let historyTokens { place = try Self.place(historyTokens, place) }
    let found = try news()
    (count, place) = (found.count, found.place)
    listen()
  }

  deinit { for ticket in tickets { ticket.end() } }

  /// How many commits there were. It only grows.
  public var eventCounter: Int {
    registrar.access(self, keyPath: \.eventCounter)
    return lock.withLock { count }
  }

  /// The places of several tokens as one.
  private static func place(
    _ tokens: [String: any HistoryToken], _ latest: DefaultHistoryToken
  ) throws -> DefaultHistoryToken {
    var places = latest.places
    for (store, token) in tokens {
      guard let number = StoreNumber(store), let known = (token as? DefaultHistoryToken)?.place(in: number),
        let at = places.firstIndex(where: { StoreNumber($0) == number })
      else {
        throw SwiftDataError.historyTokenExpired.about(
          "the token given for \(store) belongs to no store of this container that records a history")
      }
      places[at] = known
    }
    return DefaultHistoryToken(places)
  }

  private func listen() {
    tickets = modelContainer.stores.stores.map { store in
      store.listeners.add { [weak self] begins in
        Task {
          begins()
          await self?.goOn()
        }
      }
    }
    // Something may have been committed since it was looked.
    Task { [weak self] in await self?.goOn() }
  }

  /// Looks on the actor that made it. Where that is gone, nobody is left who would read the counter there.
  private func goOn() async {
    let isolation = isolation
    if isolation == nil, isIsolated { return }
    await goOn(isolation)
  }

  private func goOn(_ isolation: isolated (any Actor)?) async {
    // What was found out is told in the order in which it was.
    let isMore = reading.withLock { () -> Int in
      do {
        let found = try news()
        lock.withLock { place = found.place }
        return found.count
      } catch {
        // It is not known what happened, so something may have.
        guard let latest = try? modelContainer.latestHistoryToken else { return 0 }
        lock.withLock { place = latest }
        return 1
      }
    }
    if isMore == 0 { return }
    registrar.withMutation(of: self, keyPath: \.eventCounter) { lock.withLock { count += isMore } }
  }

  /// The commits behind the place that count, and the place behind all that were looked at.
  private func news() throws -> (count: Int, place: DefaultHistoryToken) {
    var (count, place) = (0, lock.withLock { self.place })
    let latest = try modelContainer.latestHistoryToken
    while true {
      let piece = try modelContainer.history.transactions(after: place, atMost: 500) { store in
        if self.observedModels.isEmpty { return nil }
        return Set(self.observedModels.compactMap { store.map(of: $0)?.entity.id })
      }
      for transaction in piece where counts(transaction) { count += 1 }
      guard let last = piece.last else { return (count, max(place, latest)) }
      place = last.token
    }
  }

  private func counts(_ transaction: DefaultHistoryTransaction) -> Bool {
    if !authors.isEmpty, transaction.author.map({ !authors.contains($0) }) ?? true { return false }
    return observedModels.isEmpty || observedModels.contains { transaction.touches($0) }
  }
}
