public import Roost
internal import class RoostTransfer.ImportCancellation

/// Imports texts of records into a container.
///
/// A thread reads and takes apart, another one stores, so memory does not grow with the input. A chunk of records is one transaction. Contexts hear of it
/// as of any other commit, and the history tells it.
public struct RecordImporter: Sendable {
  /// How records are imported. A change counts for the next run.
  public var options: ImportOptions
  let container: ModelContainer
  let target: ImportTarget

  init(_ container: ModelContainer, _ target: ImportTarget, options: ImportOptions) {
    self.container = container
    self.target = target
    self.options = options
  }

  /// Imports everything, and returns when it is on the disk.
  ///
  /// - Parameters:
  ///   - source: where the records are.
  ///   - progress: called behind each chunk, on this thread.
  /// - Throws: ``Roost/RoostError`` of ``Roost/RoostError/Code/badInput`` where a record is wrong. What was stored before stays.
  @discardableResult
  public func run(_ source: ImportSource, progress: ((ImportProgress) -> Void)? = nil) throws -> ImportReport {
    try run(source, ImportCancellation(), progress: progress)
  }

  /// Imports everything without blocking the caller's thread. If the task is cancelled, the import ends after the current chunk, and the report
  /// says so.
  @discardableResult
  public func run(
    _ source: ImportSource, progress: (@Sendable (ImportProgress) -> Void)? = nil
  ) async throws -> ImportReport {
    let run = try start(source, progress)
    return try await withTaskCancellationHandler {
      try await run.report
    } onCancel: {
      run.cancel()
    }
  }

  /// Begins an import, to look at and to cancel while it runs. It goes on if nobody keeps what is returned.
  public func start(_ source: ImportSource) throws -> ImportRun { try start(source, nil) }

  private func start(
    _ source: ImportSource, _ progress: (@Sendable (ImportProgress) -> Void)?
  ) throws -> ImportRun {
    try options.checkText()
    _ = try source.format()
    return try ImportRun { cancellation, tell in
      try run(source, cancellation) { now in
        progress?(now)
        tell(now)
      }
    }
  }
}

extension ModelContainer {
  /// Imports records by the name of a class, or of an entity that a store of the container has, without its type.
  ///
  /// ```swift
  /// let report = try container.importer(forEntity: "Song").run(.text("title,year\nHeroes,1977\n", .csv))
  /// print(report)
  /// ```
  ///
  /// - Throws: ``RoostError/Code/unknownModel`` if neither a class nor a stored entity has the name.
  public func importer(forEntity name: String, options: ImportOptions = ImportOptions()) throws -> RecordImporter {
    RecordImporter(self, try importTarget(named: name), options: options)
  }
}
