internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Writes extents with typed errors. `withUnsafeBytes` of arrays passes on only `any Error`.
extension WriteTransaction {
  func writeExtents(_ bytes: [UInt8]) throws(StoreError) -> ExtentList {
    let result = bytes.withUnsafeBytes { bytes -> Result<ExtentList, StoreError> in
      do throws(StoreError) { return .success(try writeExtents(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}

extension ByteTreeDraft {
  func put(_ key: ByteKey, _ bytes: [UInt8]) throws(StoreError) {
    let result = bytes.withUnsafeBytes { bytes -> Result<Void, StoreError> in
      do throws(StoreError) {
        try put(key, bytes)
        return .success(())
      } catch { return .failure(error) }
    }
    try result.get()
  }
}
