import RoostFile

extension TextEntries {
  /// Calls `body` with the value of one entry. Returns false if there is no such entry.
  @discardableResult
  func read(
    _ key: [UInt8], _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Void
  ) throws(StoreError) -> Bool {
    var isFound = false
    try visit(key) { (found, value) throws(StoreError) in
      if found.isEqual(key) {
        isFound = true
        try body(value)
      }
      return false
    }
    return isFound
  }

  /// Visits the entries from a key on.
  func visit(
    _ key: [UInt8], _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let failure = key.withUnsafeBytes { key -> StoreError? in
      do throws(StoreError) {
        try visit(from: key, body)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  /// Visits the entries whose keys begin with `prefix`, beginning at the key `first`.
  func visit(
    prefix: [UInt8], from first: [UInt8]? = nil,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try visit(first ?? prefix) { (key, value) throws(StoreError) in
      guard key.hasPrefix(prefix) else { return false }
      return try body(key, value)
    }
  }
}

extension TextStore {
  func put(_ sink: ByteSink, at key: [UInt8]) throws(StoreError) {
    let bytes = sink.bytes
    try withBytes(key) { (key) throws(StoreError) in try put(bytes, at: key) }
  }

  func delete(_ key: [UInt8]) throws(StoreError) {
    try withBytes(key) { (key) throws(StoreError) in try delete(key) }
  }

  func delete(from first: [UInt8], to last: [UInt8]) throws(StoreError) {
    try withBytes(first) { (first) throws(StoreError) in
      try withBytes(last) { (last) throws(StoreError) in try delete(from: first, to: last) }
    }
  }

  private func withBytes(
    _ key: [UInt8], _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Void
  ) throws(StoreError) {
    let failure = key.withUnsafeBytes { key -> StoreError? in
      do throws(StoreError) {
        try body(key)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }
}
