internal import Foundation
public import Observation
internal import RoostFile
internal import RoostGraph
internal import RoostRecords

/// Counts the commits that change models of the given classes, by the given authors, and notifies
/// observers of ``eventCounter``.
///
/// Each commit of any context counts, in this container or in another container of this program
/// with the same file. Commits in quick succession may cause one notification.
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
/// Unchecked because the lock guards all fields that change.
public final class HistoryObserver: Observable, @unchecked Sendable {
  /// The container whose commits are counted. The observer keeps it alive.
  public let modelContainer: ModelContainer
  /// The models whose changes count. Empty for all.
  public let observedModels: [any PersistentModel.Type]
  /// The authors whose commits count. Empty for all. With authors, a commit without an author does
  /// not count.
  public let authors: Set<String>

  private let registrar = ObservationRegistrar()
  private let lock = Lock()
  private let reading = Lock()
  private var count = 0
  private var place: DefaultHistoryToken
  private var tickets: [CommitListeners.Ticket] = []
  /// Weak, because an actor may own its observers.
  private weak var isolation: (any Actor)?
  private let isIsolated: Bool

  /// Starts to count commits.
  ///
  /// - Parameters:
  ///   - historyTokens: for each store, the place after which commits count, as
  ///     ``ModelContainer/remoteChange`` sends it; nil for now.
  ///   - observedModels: the classes whose changes count, with their subclasses; empty for all.
  ///   - authors: the authors whose commits count; empty for all.
  ///   - modelContainer: the container whose stores are observed.
  ///   - isolation: the actor on which the counter changes. By default it is the actor that makes
  ///     the observer.
  /// - Throws: ``RoostError`` with the code `unknownModel` if the container does not have a class,
  ///   and `historyOff` if no store records a history. ``SwiftDataError/historyTokenExpired`` if a
  ///   token belongs to no store of the container.
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

  /// The number of commits so far. It only grows.
  public var eventCounter: Int {
    registrar.access(self, keyPath: \.eventCounter)
    return lock.withLock { count }
  }

  /// Joins several tokens into one.
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
    // A commit may have happened since the last look.
    Task { [weak self] in await self?.goOn() }
  }

  /// Counts on the actor that made the observer. If that actor is gone, no reader of the counter is
  /// left.
  private func goOn() async {
    let isolation = isolation
    if isolation == nil, isIsolated { return }
    await goOn(isolation)
  }

  private func goOn(_ isolation: isolated (any Actor)?) async {
    // Counts are published in the order in which they were found.
    let isMore = reading.withLock { () -> Int in
      do {
        let found = try news()
        lock.withLock { place = found.place }
        return found.count
      } catch {
        // The history could not be read, so there may have been a commit.
        guard let latest = try? modelContainer.latestHistoryToken else { return 0 }
        lock.withLock { place = latest }
        return 1
      }
    }
    if isMore == 0 { return }
    registrar.withMutation(of: self, keyPath: \.eventCounter) { lock.withLock { count += isMore } }
  }

  /// Counts the relevant commits after the place. Returns the count, and the place after all
  /// commits that it read.
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
