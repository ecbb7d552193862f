internal import RoostFile
internal import RoostPages
internal import RoostText
internal import RoostTrees

/// Stores the entries of a full text index in its tree during a transaction.
final class TextTreeDraft: TextStore {
  private let draft: ByteTreeDraft
  private var changes = 0

  init(_ draft: ByteTreeDraft) { self.draft = draft }

  func visit(
    from key: UnsafeRawBufferPointer,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try draft.tree.visit(from: key, body)
  }

  func put(_ value: UnsafeRawBufferPointer, at key: UnsafeRawBufferPointer) throws(StoreError) {
    if value.count < ExtentList.namedFrom {
      try draft.put(ByteKey(key), value)
    } else {
      // Replay makes the value again, so the log does not name its extent.
      try draft.put(ByteKey(key), extents: draft.transaction.writeExtents(value, mayName: false))
    }
    try relieve()
  }

  func delete(_ key: UnsafeRawBufferPointer) throws(StoreError) {
    _ = try draft.remove(ByteKey(key))
    try relieve()
  }

  func delete(from first: UnsafeRawBufferPointer, to last: UnsafeRawBufferPointer) throws(StoreError) {
    try draft.removeRange(ByteKey(first), ByteKey(last))
    try relieve()
  }

  /// Writes drafts early if there are too many: many changes make many drafts, whose number is
  /// bounded.
  private func relieve() throws(StoreError) {
    changes &+= 1
    if changes & 7 == 0 { try draft.transaction.relieve() }
  }
}

extension ByteTree {
  /// Visits the entries from a key on, in order, until `body` returns false.
  func visit(
    from key: UnsafeRawBufferPointer,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var cursor = ByteCursor(self)
    var isThere = try cursor.seek(ByteKey(key))
    while isThere, let (found, value) = cursor.entry() {
      if value.isExtents {
        let outside = try value.load(view)
        if try !Self.pass(found.bytes, outside, to: body) { return }
      } else if try !body(found.bytes, value.bytes) {
        return
      }
      isThere = try cursor.next()
    }
  }

  private static func pass(
    _ key: UnsafeRawBufferPointer, _ value: [UInt8],
    to body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    let result = value.withUnsafeBytes { value -> Result<Bool, StoreError> in
      do throws(StoreError) { return .success(try body(key, value)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
