internal import RoostBytes
internal import RoostFile
internal import RoostTrees

/// Reads lists of rows from one tree.
struct MemberLists {
  enum Source {
    case links(LinkForm, isForward: Bool)
    /// The index of a reference.
    case index(isOptional: Bool)
  }

  let relationship: Relationship
  let tree: ByteTree
  let source: Source

  private func range(_ owner: RowID) -> ByteBuffer {
    var key = ByteBuffer(capacity: 64)
    range(owner, &key)
    return key
  }

  /// Makes the prefix that exactly the entries of a row's list have.
  func range(_ owner: RowID, _ key: inout ByteBuffer) {
    switch source {
    case .links(let form, let isForward): form.prefix(owner, isForward, key: &key)
    case .index(let isOptional): Members.range(owner, isOptional: isOptional, &key)
    }
  }

  /// Whether a row has a list in this tree.
  func holds(_ owner: RowID) throws(StoreError) -> Bool {
    let key = range(owner)
    var cursor = ByteCursor(tree)
    guard try cursor.seek(ByteKey(key.bytes)), let (found, _) = cursor.entry() else { return false }
    return found.begins(with: key.bytes)
  }

  func bounds(_ owner: RowID) throws(StoreError) -> (start: UInt64, end: UInt64) {
    var key = range(owner)
    let start = try tree.rank(of: ByteKey(key.bytes))
    key.goBehindPrefix()
    let end = try tree.rank(of: ByteKey(key.bytes))
    return (start, max(start, end))
  }

  func target(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StoreError) -> RowID {
    switch source {
    case .links(let form, let isForward):
      if let link = form.link(key, value) { return link.row(!isForward) }
    case .index:
      if let entry = IndexEntry.row(key, value) { return entry.row }
    }
    throw LinkDraft.damaged(relationship)
  }

  func row(at position: Int, of owner: RowID) throws(StoreError) -> RowID? {
    let (start, end) = try bounds(owner)
    guard position >= 0, UInt64(position) < end - start else { return nil }
    var cursor = ByteCursor(tree)
    guard try cursor.move(to: start + UInt64(position)), let (key, value) = cursor.entry() else { return nil }
    return try target(key.bytes, value.bytes)
  }

  func position(of row: RowID, in owner: RowID, exactly: Bool) throws(StoreError) -> Int? {
    var key = range(owner)
    switch source {
    case .links(let form, let isForward):
      let (first, second) = isForward ? (owner, row) : (row, owner)
      guard let link = try LinkDraft.find(first, second, form: form, tree: tree, relationship: relationship) else {
        return nil
      }
      if !exactly { return 0 }
      form.key(link, isForward, key: &key)
    case .index:
      guard let found = try tree.withValue(of: ByteKey(key.bytes), { value in IndexEntry.row(key.bytes, value)?.row })
      else {
        KeyCoding.append(row: row, to: &key)
        guard try tree.withValue(of: ByteKey(key.bytes), { _ in true }) != nil else { return nil }
        break
      }
      return found == row ? 0 : nil
    }
    if !exactly { return 0 }
    let (rank, start) = (try tree.rank(of: ByteKey(key.bytes)), try bounds(owner).start)
    guard rank >= start else { throw LinkDraft.damaged(relationship) }
    return Int(clamping: rank - start)
  }
}

extension ByteKey {
  func begins(with prefix: UnsafeRawBufferPointer) -> Bool {
    guard count >= prefix.count else { return false }
    return ByteKey(UnsafeRawBufferPointer(rebasing: bytes[..<prefix.count])).compare(ByteKey(prefix)) == 0
  }
}
