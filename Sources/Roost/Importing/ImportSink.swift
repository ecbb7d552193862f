internal import RoostGraph

/// Stores the chunks of an import of models or snapshots, one after the other.
protocol ImportSink: AnyObject, Sendable {
  /// The number of elements in a chunk.
  var size: Int { get }
  /// The number of elements that an earlier run had handled.
  var skipped: Int { get }
  var progress: ImportProgress { get }

  /// Whether later elements may reference models of an element that an earlier run stored.
  func knows(_ element: Int) -> Bool
  /// Lets later elements reference the rows of an element that an earlier run stored.
  func recall(_ element: Int, _ model: some PersistentModel) throws
  /// Stores a chunk of models that a closure makes.
  func store(_ body: (ImportedModels) throws -> Void) throws
  func store(snapshots: some Sequence<SnapshotContent>) throws
  /// Ends an import that is complete or was cancelled.
  func finish(isCancelled: Bool) throws -> ImportReport
  /// Ends an import after an error.
  func abandon()
  func close()
}

/// The models of a chunk before they are stored.
final class ImportedModels {
  var made: [Result<any PersistentModel, any Error>] = []
  private let badRecords: ImportOptions.BadRecords

  init(_ options: ImportOptions) { badRecords = options.badRecords }

  func add(model: some PersistentModel) { made.append(.success(model)) }

  /// Notes that a model could not be made.
  func leaveOut(_ error: any Error) throws {
    if case .stop = badRecords { throw error }
    made.append(.failure(error))
  }
}
