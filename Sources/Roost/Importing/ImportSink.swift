internal import RoostGraph

/// Stores the chunks of an import of models or snapshots, one after the other.
protocol ImportSink: AnyObject, Sendable {
  /// How many elements a chunk has.
  var size: Int { get }
  /// Elements that an earlier run had dealt with.
  var skipped: Int { get }
  var progress: ImportProgress { get }

  /// Whether later elements may reference what came with one that an earlier run stored.
  func knows(_ element: Int) -> Bool
  /// Lets later elements reference the rows that an element and what came with it became in an earlier run.
  func recall(_ element: Int, _ model: some PersistentModel) throws
  /// Stores a chunk of models, which a closure makes.
  func store(_ body: (ImportedModels) throws -> Void) throws
  func store(snapshots: some Sequence<SnapshotContent>) throws
  /// Ends an import whose input ended, or that was cancelled.
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
