#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The calls of `StorageFile` and `FileSystem`.
package enum CallKind: String, Sendable, CaseIterable {
  /// Opening an existing file without changing it.
  case open
  /// Opening a file that the call creates or empties.
  case create
  case read, write, truncate, allocate, sync, size, identity, lock
  case rename, link, remove, lookUp, syncDirectory

  /// Whether the call can change what a crash leaves.
  package var mutates: Bool {
    switch self {
    case .create, .write, .truncate, .allocate, .sync, .rename, .link, .remove, .syncDirectory: true
    case .open, .read, .size, .identity, .lock, .lookUp: false
    }
  }
}

/// One recorded call.
///
/// Only mutating calls are numbered, from 1. A reading call has the number of the last mutating
/// call before it, so that readers on other threads do not shift the numbers.
package struct RecordedCall: Sendable, CustomStringConvertible {
  package var number: Int
  package var kind: CallKind
  package var path: String
  package var offset: UInt64
  /// The requested number of bytes; for truncations and allocations the resulting size.
  package var length: Int
  /// The error number of the call, or 0.
  package var errorNumber: Int32 = 0

  package var description: String {
    let outcome = errorNumber == 0 ? "" : " failed with \(errorNumber)"
    return "\(number) \(kind.rawValue) \(path) \(offset)+\(length)" + outcome
  }
}

/// Observes mutating calls in the order in which they take effect.
///
/// Each method runs under the file system's lock, so the order is exact, and it must not call the
/// file system. A call that fails, or that a fault makes ineffective, is not reported. There is one
/// exception: a sync whose failure is reported late looks like a successful sync.
package protocol CallObserver: AnyObject, Sendable {
  /// The bytes that will be written, after a short transfer has cut them.
  func willWrite(_ path: String, at offset: UInt64, _ bytes: UnsafeRawBufferPointer)
  func willResize(_ path: String, to size: UInt64)
  func didSync(_ path: String)
  /// A name changed: `other` is the new name of a rename or a link.
  func didChangeName(_ kind: CallKind, _ path: String, other: String?)
  func didSyncDirectory(_ folder: String)
}

extension CallObserver {
  package func willWrite(_ path: String, at offset: UInt64, _ bytes: UnsafeRawBufferPointer) {}
  package func willResize(_ path: String, to size: UInt64) {}
  package func didSync(_ path: String) {}
  package func didChangeName(_ kind: CallKind, _ path: String, other: String?) {}
  package func didSyncDirectory(_ folder: String) {}
}

/// The error numbers of the simulation, so that tests need not import the C library.
package enum ErrorNumber {
  package static let io = EIO
  package static let noSpace = ENOSPC
  package static let quota = EDQUOT
  package static let interrupted = EINTR
  package static let badHandle = EBADF
  package static let tooBig = EFBIG
  package static let invalid = EINVAL
  package static let notFound = ENOENT
  package static let exists = EEXIST
  package static let tooManyFiles = EMFILE
}
