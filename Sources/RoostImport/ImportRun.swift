public import Roost
internal import RoostFile
internal import class RoostTransfer.ImportCancellation

/// An import that runs on threads of its own.
///
/// Unchecked because the lock protects all mutable state.
public final class ImportRun: @unchecked Sendable {
  /// The progress after each chunk. A slow reader gets only the newest value. The stream ends with
  /// the import. Only one loop may read it.
  public let progress: AsyncStream<ImportProgress>
  private let cancellation = ImportCancellation()
  private let lock = Lock()
  private var result: Result<ImportReport, any Error>?
  private var waiting: [CheckedContinuation<ImportReport, any Error>] = []

  typealias Body =
    @Sendable (ImportCancellation, _ tell: @escaping @Sendable (ImportProgress) -> Void) throws -> ImportReport

  init(_ body: @escaping Body) throws {
    let (stream, told) = AsyncStream<ImportProgress>.makeStream(bufferingPolicy: .bufferingNewest(1))
    progress = stream
    let thread = try ImportErrors.pass {
      try Thread { [self] in
        let result = Result { try body(cancellation) { told.yield($0) } }
        told.finish()
        let waiting = lock.withLock {
          self.result = result
          defer { self.waiting = [] }
          return self.waiting
        }
        for one in waiting { one.resume(with: result) }
      }
    }
    thread.detach()
  }

  /// Ends the import after the current chunk.
  public func cancel() { cancellation.cancel() }

  /// The report, after the import has ended.
  ///
  /// - Throws: the error that ended the import.
  public var report: ImportReport {
    get async throws {
      try await withCheckedThrowingContinuation { continuation in
        let known = lock.withLock {
          if result == nil { waiting.append(continuation) }
          return result
        }
        if let known { continuation.resume(with: known) }
      }
    }
  }
}
