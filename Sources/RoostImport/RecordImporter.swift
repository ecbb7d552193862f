public import Roost
internal import class RoostTransfer.ImportCancellation

/// Imports texts of records into a container.
///
/// One thread reads and parses, another one stores, so memory does not grow with the input. Each
/// chunk of records is one transaction. Contexts and the history see it as any other commit.
public struct RecordImporter: Sendable {
  /// How records are imported. A change takes effect in the next run.
  public var options: ImportOptions
  let container: ModelContainer
  let target: ImportTarget

  init(_ container: ModelContainer, _ target: ImportTarget, options: ImportOptions) {
    self.container = container
    self.target = target
    self.options = options
  }

  /// Imports all records, and returns when they are synced.
  ///
  /// - Parameters:
  ///   - source: the place of the records.
  ///   - progress: called after each chunk, on this thread.
  /// - Throws: ``Roost/RoostError`` with ``Roost/RoostError/Code/badInput`` if a record is invalid.
  ///   Chunks that were stored before stay.
  @discardableResult
  public func run(_ source: ImportSource, progress: ((ImportProgress) -> Void)? = nil) throws -> ImportReport {
    try run(source, ImportCancellation(), progress: progress)
  }

  /// Imports all records without blocking the caller's thread. If the task is cancelled, the import
  /// ends after the current chunk, and the report says so.
  ///
  /// - Throws: what the synchronous form throws.
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

  /// Begins an import that can be observed and cancelled while it runs. It continues if the result
  /// is not kept.
  ///
  /// - Throws: ``Roost/RoostError`` with the code `badValue` if an option or the format is wrong.
  ///   Errors in records are thrown by ``ImportRun/report``.
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
  /// Makes an importer for a class, or for an entity that a store of the container has, by its
  /// name.
  ///
  /// ```swift
  /// let report = try container.importer(forEntity: "Song").run(.text("title,year\nHeroes,1977\n", .csv))
  /// print(report)
  /// ```
  ///
  /// - Throws: ``Roost/RoostError/Code/unknownModel`` if neither a class nor a stored entity has the name.
  public func importer(forEntity name: String, options: ImportOptions = ImportOptions()) throws -> RecordImporter {
    RecordImporter(self, try importTarget(named: name), options: options)
  }
}
