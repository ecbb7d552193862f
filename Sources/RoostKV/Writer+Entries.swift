import RoostFile
import RoostPages
import RoostTrees

/// Changes entries for ``WritableTree`` and ``WritableTable``. Each change is logged.
extension Writer {
  /// Puts an entry. Returns true if the key is new.
  @inline(__always)
  func put<Draft: KeyedDraft>(
    _ key: Draft.Key, _ value: UnsafeRawBufferPointer, in draft: Draft, id: UInt32
  ) throws(StoreError) -> Bool {
    try change { () throws(StoreError) in
      let put: Put
      if value.count >= ExtentList.namedFrom, transaction.canName {
        let count = key.byteCount(isLast: true)
        guard count <= Limits.keyBytes else {
          throw StoreError(.keyTooLong, "a key of \(count) bytes; at most \(Limits.keyBytes) are possible")
        }
        let list = try transaction.writeExtents(value)
        put = try draft.put(key, extents: list)
        try ByteKey.borrowing(list.encoded) { (list) throws(StoreError) in
          try Replay.record(transaction, Draft.Key.kinds.putExtents, tree: id, key: key, rest: list.bytes)
        }
      } else {
        put = try draft.put(key, value)
        try Replay.record(transaction, Draft.Key.kinds.put, tree: id, key: key, rest: value)
      }
      try transaction.relieve()
      return put == .inserted
    }
  }

  /// Removes an entry. Returns false if the key is not there.
  @inline(__always)
  func remove<Draft: KeyedDraft>(_ key: Draft.Key, in draft: Draft, id: UInt32) throws(StoreError) -> Bool {
    try change { () throws(StoreError) in
      guard try draft.remove(key) else { return false }
      try Replay.record(transaction, removalIn: id, of: key)
      try transaction.relieve()
      return true
    }
  }

  /// Removes the entries from `low` up to, but without, `high`. Returns their number.
  func removeRange<Draft: KeyedDraft>(
    _ low: Draft.Key, _ high: Draft.Key?, in draft: Draft, id: UInt32
  ) throws(StoreError) -> Int {
    try change { () throws(StoreError) in
      let removed = try draft.removeRange(low, high)
      try Replay.record(transaction, removalIn: id, from: low, to: high)
      return Int(clamping: removed)
    }
  }
}
