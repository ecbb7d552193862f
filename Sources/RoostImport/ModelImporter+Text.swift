public import Roost

extension ModelImporter {
  private var records: RecordImporter { RecordImporter(container, target, options: options) }

  /// Imports all records, and returns when they are synced.
  ///
  /// ```swift
  /// let report = try container.importer(for: Song.self).run(.file(folder.appending(path: "songs.csv")))
  /// print(report)
  /// ```
  ///
  /// - Parameters:
  ///   - source: the place of the records.
  ///   - progress: called after each chunk, on this thread.
  /// - Throws: ``RoostError`` with ``RoostError/Code/badInput`` if a record is invalid. Chunks that
  ///   were stored before stay.
  @discardableResult
  public func run(_ source: ImportSource, progress: ((ImportProgress) -> Void)? = nil) throws -> ImportReport {
    try records.run(source, progress: progress)
  }

  /// Imports all records without blocking the caller's thread. If the task is cancelled, the import
  /// ends after the current chunk, and the report says so.
  ///
  /// - Throws: what the synchronous form throws.
  @discardableResult
  public func run(
    _ source: ImportSource, progress: (@Sendable (ImportProgress) -> Void)? = nil
  ) async throws -> ImportReport { try await records.run(source, progress: progress) }

  /// Begins an import that can be observed and cancelled while it runs. It continues if the result
  /// is not kept.
  ///
  /// - Throws: ``RoostError`` with the code `badValue` if an option or the format is wrong. Errors
  ///   in records are thrown by `ImportRun.report`.
  public func start(_ source: ImportSource) throws -> ImportRun { try records.start(source) }
}
