package import RoostFile

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Reports the progress of an examination, and ends it early if the caller asks for that.
///
/// Most pages are read twice: for their structure, then for their content. Each reading counts half
/// a page. A page whose content is not decoded, such as that of a large value, counts fully when it
/// is read.
///
/// The caller ends the examination by an error. From then on each read of the file fails, so that
/// every walk ends, in any tree. The findings of such an examination are incomplete, so ``check()``
/// throws.
package final class Pace {
  private let report: (_ pages: Int, _ total: Int) throws -> Void
  private var halves = 0
  private var total = 0
  private var reported = 0
  /// The caller's error that ended the examination.
  package private(set) var failure: (any Error)?

  /// Pages between two reports.
  package static let stride = 64

  /// - Parameter report: called at the begin, from time to time, and at the end with two equal
  ///   numbers. If it throws, the examination ends with that error.
  package init(_ report: @escaping (_ pages: Int, _ total: Int) throws -> Void) { self.report = report }

  package var isEnded: Bool { failure != nil }

  /// Begins an examination of this many pages; again if another process changed the store
  /// meanwhile.
  package func begin(pages: Int) {
    (halves, total, reported) = (0, max(0, pages), 0)
    tell(0)
  }

  /// Counts the first of two readings of a page.
  package func countHalf() { count(halves: 1) }

  /// Counts pages that are not read again.
  package func count(pages: Int) { count(halves: 2 * pages) }

  private func count(halves more: Int) {
    // Damaged trees can share pages, and a page may be read more than twice.
    halves = min(halves + more, 2 * total)
    if halves / 2 - reported >= Self.stride { tell(halves / 2) }
  }

  private func tell(_ pages: Int) {
    if isEnded { return }
    reported = pages
    do { try report(pages, total) } catch { failure = error }
  }

  /// Throws if the caller has ended the examination. The caller's own error is in ``failure``.
  package func check() throws(StoreError) {
    if isEnded { throw StoreError(.busy, "the verification was stopped by its caller") }
  }

  /// Reports the end. Call it after everything was read.
  package func end() throws(StoreError) {
    tell(total)
    try check()
  }
}

/// A file whose reads fail after the caller of an examination has ended it.
final class PacedFile: StorageFile, @unchecked Sendable {
  // Unchecked because one thread examines a store.
  private let base: any StorageFile
  private let pace: Pace

  init(_ base: any StorageFile, _ pace: Pace) {
    self.base = base
    self.pace = pace
  }

  var path: String { base.path }

  func readOnce(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Fault) -> Int {
    if pace.isEnded { throw Fault(ECANCELED) }
    return try base.readOnce(into: buffer, at: offset)
  }

  func writeOnce(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(Fault) -> Int {
    try base.writeOnce(bytes, at: offset)
  }
  func truncateOnce(to size: UInt64) throws(Fault) { try base.truncateOnce(to: size) }
  func allocateOnce(offset: UInt64, length: UInt64) throws(Fault) {
    try base.allocateOnce(offset: offset, length: length)
  }
  func syncOnce() throws(Fault) { try base.syncOnce() }
  func sizeOnce() throws(Fault) -> UInt64 { try base.sizeOnce() }
  func identityOnce() throws(Fault) -> FileIdentity { try base.identityOnce() }
  func lockOnce() throws(Fault) -> Bool { try base.lockOnce() }
  func isHeldOnce() throws(Fault) -> Bool { try base.isHeldOnce() }
  func willRead(offset: UInt64, length: UInt64) { base.willRead(offset: offset, length: length) }
  func close() { base.close() }
}
