internal import Foundation
internal import RoostTransfer
internal import Synchronization

/// Imports texts of records into a container.
///
/// A thread reads and takes apart, another one stores, so memory does not grow with the input. A chunk of records is one transaction. Contexts hear of it
/// as of any other commit, and the history tells it.
public struct RecordImporter: Sendable {
  public var options: ImportOptions
  let container: ModelContainer
  let target: ImportTarget

  init(_ container: ModelContainer, _ target: ImportTarget, _ options: ImportOptions) {
    self.container = container
    self.target = target
    self.options = options
  }

  /// Imports everything, and returns when it is on the disk.
  ///
  /// - Parameters:
  ///   - source: where the records are.
  ///   - progress: called behind each chunk, on this thread.
  /// - Throws: ``RoostError`` of ``RoostError/Code/badInput`` where a record is wrong. What was stored before stays.
  @discardableResult
  public func run(_ source: ImportSource, progress: ((ImportProgress) -> Void)? = nil) throws -> ImportReport {
    try run(source, ImportCancellation(), progress)
  }

  /// The same without holding the caller's thread up. A task that is cancelled ends the import behind the chunk at hand, and the report says so.
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
    try options.check()
    _ = try source.format()
    return try ImportRun { cancellation, tell in
      try run(source, cancellation) { now in
        progress?(now)
        tell(now)
      }
    }
  }

  private func run(
    _ source: ImportSource, _ cancellation: ImportCancellation, _ progress: ((ImportProgress) -> Void)?
  ) throws -> ImportReport {
    try ImportErrors.pass {
      try options.check()
      let (format, input) = (try source.format().plain, try source.open())
      let plain = options.plain(into: target.entity, hasUnique: try target.hasUnique(), try target.shape())
      let (clock, notice) = (ImportProgressClock(input), ImportNotice(target))
      let rejects = options.rejects.map { RejectFile($0.path(percentEncoded: false), format) }
      var isResumed = false
      var header: (() -> TableHeader?)?
      let importer = Importer(
        target.store.records, plain, cancellation: cancellation, watch: notice,
        progress: progress.map { tell in { tell(clock.progress($0)) } },
        reject: rejects.map { file in { try file.add($0, header: header?(), isResumed: isResumed) } })
      header = { [unowned importer] in importer.header }
      isResumed = try importer.isResumed()
      let found = try withExtendedLifetime(container) { try importer.run(input, format) }
      return report(found, clock)
    }
  }

  private func report(_ found: RoostTransfer.ImportReport, _ clock: ImportProgressClock) -> ImportReport {
    var report = ImportReport()
    report.progress = clock.progress(found.progress)
    if !found.isCancelled { report.progress.fraction = 1 }
    report.faults = found.faults.map { ImportFault($0) }
    report.unresolved = found.unresolved.map {
      ImportReport.Unresolved(
        model: target.identifier($0.row), property: $0.property, key: $0.key, reason: .init($0.reason))
    }
    report.unresolvedCount = found.unresolvedCount
    report.isCancelled = found.isCancelled
    return report
  }
}

extension ModelContainer {
  /// Imports records by the name of a class, or of an entity that a store of the container has, without its type.
  public func importer(forEntity name: String, options: ImportOptions = ImportOptions()) throws -> RecordImporter {
    RecordImporter(self, try Doorway.pass { try ImportTarget(name, stores) }, options)
  }
}

/// Says how far an import of a text came, and how long that took.
final class ImportProgressClock {
  private let input: CountedInput?
  private let start = ContinuousClock.now

  init(_ input: CountedInput?) { self.input = input }

  func progress(_ plain: RoostTransfer.ImportProgress) -> ImportProgress {
    var progress = ImportProgress(plain)
    progress.elapsed = ContinuousClock.now - start
    if let input, let total = input.total {
      let done = input.isPacked ? input.read : plain.bytes
      progress.fraction = total == 0 ? 1 : min(1, Double(done) / Double(total))
    }
    return progress
  }
}

enum ImportErrors {
  /// Gives errors from further down a type that users can match on.
  static func pass<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw shown(error) }
  }

  static func shown(_ error: any Error) -> any Error {
    let fault = (error as? TransferFault).map { ImportFault($0) } ?? error as? ImportFault
    if let fault { return RoostError(.badInput, fault.description, fault) }
    return Doorway.translated(error)
  }
}
