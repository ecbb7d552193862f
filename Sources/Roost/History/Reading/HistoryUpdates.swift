internal import RoostGraph

/// The transactions of a container after a place, and then each new one when it is committed. The
/// sequence ends when its task is cancelled.
///
/// A slow reader uses no memory: transactions stay in the history until they are read. The iterator
/// throws ``SwiftDataError/historyTokenExpired`` if they were removed meanwhile, or if the history
/// was turned off.
public struct HistoryUpdates: AsyncSequence, Sendable {
  public typealias Element = DefaultHistoryTransaction

  let container: ModelContainer
  let start: DefaultHistoryToken

  public func makeAsyncIterator() -> Iterator { Iterator(container, start) }

  /// Returns one transaction after the other, from the start of the sequence. Each iterator has its
  /// own place.
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

    /// Returns the next transaction; nil when the task is cancelled.
    ///
    /// - Throws: ``SwiftDataError/historyTokenExpired`` if the history after the last transaction
    ///   is gone.
    public mutating func next() async throws -> DefaultHistoryTransaction? { try await next(isolation: #isolation) }

    /// Returns the next transaction, on the given actor; nil when the task is cancelled.
    ///
    /// - Throws: ``SwiftDataError/historyTokenExpired`` if the history after the last transaction
    ///   is gone.
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

/// Signals commits: once for all commits since the last signal was received.
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
  /// Returns each transaction after a place, and then each new one, as an asynchronous sequence.
  /// Without a place it begins now.
  ///
  /// ```swift
  /// for try await transaction in try container.historyUpdates(after: token) {
  ///   print(transaction.author ?? "", transaction.changeCount)
  /// }
  /// ```
  ///
  /// - Throws: ``RoostError`` with the code `historyOff` if no store records a history, and `store`
  ///   if a store cannot be read.
  public final func historyUpdates(after token: DefaultHistoryToken? = nil) throws -> HistoryUpdates {
    HistoryUpdates(container: self, start: try token ?? latestHistoryToken)
  }
}
