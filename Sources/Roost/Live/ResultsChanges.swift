public import Foundation

/// The results after some commits, and the changes since the previous element.
public struct ResultsChange<Element> {
  /// The current results.
  public let results: LiveResults<Element>
  /// The results of the previous element of the sequence; empty at first.
  public let formerResults: LiveResults<Element>
  /// The difference between the former and the current results.
  public let difference: ResultsDifference
}

extension ResultsChange: Sendable where Element: Sendable {}

extension LiveResults {
  /// Returns the section of a position, and the position within it. Without sections all results
  /// are in section 0.
  public func indexPath(_ position: Int) -> IndexPath {
    let place = sections.map { $0.place(of: position) } ?? (0, position)
    return place.map { [$0.section, $0.item] } ?? []
  }
}

/// The results of a descriptor each time commits change them: see ``ModelContainer/changes(of:)``.
public struct ResultsChanges<Content: Sendable>: AsyncSequence, Sendable {
  public typealias Element = ResultsChange<Content>
  public typealias Failure = any Error

  let read: @Sendable () -> LiveReader<ResultsChange<Content>>

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: read()) }

  /// Waits for changes of the results. Each iterator follows the commits from its first call.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let reader: LiveReader<ResultsChange<Content>>

    /// Waits until the results differ from the last call's. Returns nil when the container was
    /// closed, and when the task is cancelled.
    ///
    /// - Throws: ``RoostError`` with the code `closed` in the first call if the container was
    ///   closed before, and what a fetch of the descriptor throws.
    public mutating func next() async throws -> ResultsChange<Content>? { try await reader.next() }
  }
}

/// A value each time commits change it: see ``ModelContainer/changes(in:_:)``.
public struct ValueChanges<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = any Error

  let read: @Sendable () -> LiveReader<Element>

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: read()) }

  /// Waits for new values. Each iterator follows the commits from its first call.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let reader: LiveReader<Element>

    /// Waits until the value differs from the last call's. Returns nil when the container was
    /// closed, and when the task is cancelled.
    ///
    /// - Throws: ``RoostError`` with the code `closed` in the first call if the container was
    ///   closed before, and what the computation of the value throws.
    public mutating func next() async throws -> Element? { try await reader.next() }
  }
}
