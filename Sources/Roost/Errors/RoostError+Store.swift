@_exported public import struct RoostFile.StoreError

extension RoostError {
  /// The engine's error, if the code is `store` or `closed`: a full disk, a damaged page, a store
  /// that another process has open. Match on its own code. Nil for other errors.
  public var storeError: StoreError? { underlyingError as? StoreError }
}
