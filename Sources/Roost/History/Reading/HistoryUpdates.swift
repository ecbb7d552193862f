internal import RoostGraph

/// The transactions of a container behind a place, and then each new one when it is committed. It ends when its task is cancelled.
///
/// What is read too slowly waits in the history, not in memory. It throws ``SwiftDataError/historyTokenExpired`` where that was removed
/// meanwhile, or the history was switched off.
public struct HistoryUpdates: AsyncSequence, Sendable {
  public typealias Element = DefaultHistoryTransaction

  let container: ModelContainer
  let start: DefaultHistoryToken

  public func makeAsyncIterator() -> Iterator { Iterator(container, start) }

  /// Gives one transaction after the other, from the start of the sequence. Each iterator has a place of its own.
  public struct Iterator: AsyncIteratorProtocol {
    private let container: ModelContainer
    private let bell: Bell
    private var rings: AsyncStream<Void>.Iterator
    private var place: DefaultHistoryToken
    private var piece: ArraySlice<DefaultHistoryTransaction> = []

    init(_ container: ModelContainer, _ start: DefaultHistoryToken) {
      self.container = container
      place = start
      bell = Bell(container)
      rings = bell.rings.makeAsyncIterator()
    }

    /// The next one; nil when the task is cancelled.
    public mutating func next() async throws -> DefaultHistoryTransaction? { try await next(isolation: #isolation) }

    /// The next transaction, on the actor that is given; nil when the task is cancelled. Throws
    /// ``SwiftDataError/historyTokenExpired`` if the history after the last one is gone.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> DefaultHistoryTransaction? {
      while !Task.isCancelled {
        if let next = piece.popFirst() {
          place = next.token
          return next
        }
        piece = try container.history.transactions(after: place, atMost: 256)[...]
        if !piece.isEmpty { continue }
        if await rings.next(isolation: actor) == nil { return nil }
      }
      return nil
    }
  }
}

/// Rings when something is committed, once for all that came since it was heard last.
private final class Bell: Sendable {
  let rings: AsyncStream<Void>
  private let tickets: [CommitListeners.Ticket]

  init(_ container: ModelContainer) {
    let (rings, ringer) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.rings = rings
    tickets = container.stores.stores.map { store in
      store.listeners.add { begins in
        begins()
        ringer.yield()
      }
    }
  }

  deinit { for ticket in tickets { ticket.end() } }
}

extension ModelContainer {
  /// Each transaction behind a place, and then those that are committed, as an asynchronous sequence; without a place from now on.
  ///
  /// ```swift
  /// for try await transaction in try container.historyUpdates(after: token) {
  ///   print(transaction.author ?? "", transaction.changeCount)
  /// }
  /// ```
  public final func historyUpdates(after token: DefaultHistoryToken? = nil) throws -> HistoryUpdates {
    HistoryUpdates(container: self, start: try token ?? latestHistoryToken)
  }
}
