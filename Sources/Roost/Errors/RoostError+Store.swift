@_exported public import struct RoostFile.StoreError

extension RoostError {
  /// What the engine said where the code is `store` or `closed`: that the disk is full, a page damaged, the store open in another process. It
  /// has a code of its own to match on; nil for other errors.
  public var storeError: StoreError? { underlyingError as? StoreError }
}
