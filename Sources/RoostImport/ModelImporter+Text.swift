public import Roost

extension ModelImporter {
  private var records: RecordImporter { RecordImporter(container, target, options: options) }

  /// Imports everything, and returns when it is on the disk.
  ///
  /// ```swift
  /// let report = try container.importer(for: Song.self).run(.file(folder.appending(path: "songs.csv")))
  /// print(report)
  /// ```
  ///
  /// - Parameters:
  ///   - source: where the records are.
  ///   - progress: called behind each chunk, on this thread.
  /// - Throws: ``RoostError`` of ``RoostError/Code/badInput`` where a record is wrong. What was stored before stays.
  @discardableResult
  public func run(_ source: ImportSource, progress: ((ImportProgress) -> Void)? = nil) throws -> ImportReport {
    try records.run(source, progress: progress)
  }

  /// Imports everything without blocking the caller's thread. If the task is cancelled, the import ends after the current chunk, and the report
  /// says so.
  @discardableResult
  public func run(
    _ source: ImportSource, progress: (@Sendable (ImportProgress) -> Void)? = nil
  ) async throws -> ImportReport { try await records.run(source, progress: progress) }

  /// Begins an import, to look at and to cancel while it runs. It goes on if nobody keeps what is returned.
  public func start(_ source: ImportSource) throws -> ImportRun { try records.start(source) }
}
