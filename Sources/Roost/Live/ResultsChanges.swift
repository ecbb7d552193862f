public import Foundation

/// Results after some commits, and what these changed.
public struct ResultsChange<Element> {
  /// All results now.
  public let results: LiveResults<Element>
  /// All results of the element of the sequence before; none at first.
  public let formerResults: LiveResults<Element>
  /// What leads from the former results to those of now.
  public let difference: ResultsDifference
}

extension ResultsChange: Sendable where Element: Sendable {}

extension LiveResults {
  /// The section and the place within it of a position. Without sections all results are in section 0.
  public func indexPath(_ position: Int) -> IndexPath {
    let place = sections.map { $0.place(of: position) } ?? (0, position)
    return place.map { [$0.section, $0.item] } ?? []
  }
}

/// The results of a descriptor whenever commits change them: see ``ModelContainer/changes(of:)``.
public struct ResultsChanges<Content: Sendable>: AsyncSequence, Sendable {
  public typealias Element = ResultsChange<Content>
  public typealias Failure = any Error

  let read: @Sendable () -> LiveReader<ResultsChange<Content>>

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: read()) }

  /// Waits for changes of the results, one after the other. Each iterator follows the commits from its first call on.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let reader: LiveReader<ResultsChange<Content>>

    /// Waits until the results are others than at the last call. It is nil when the container was closed, and when the task is cancelled.
    /// The first call throws ``RoostError/Code/closed`` if the container was closed before.
    public mutating func next() async throws -> ResultsChange<Content>? { try await reader.next() }
  }
}

/// A value whenever commits make it another one: see ``ModelContainer/changes(in:_:)``.
public struct ValueChanges<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = any Error

  let read: @Sendable () -> LiveReader<Element>

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: read()) }

  /// Waits for other values, one after the other. Each iterator follows the commits from its first call on.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let reader: LiveReader<Element>

    /// Waits until the value is another than at the last call. It is nil when the container was closed, and when the task is cancelled.
    /// The first call throws ``RoostError/Code/closed`` if the container was closed before.
    public mutating func next() async throws -> Element? { try await reader.next() }
  }
}
