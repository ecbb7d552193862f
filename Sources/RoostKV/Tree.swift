public import RoostFile
import RoostPages
import RoostTrees

/// An ordered map from bytes to bytes, as one snapshot has it.
public struct Tree {
  let tree: ByteTree
  let scope: Scope

  init(_ tree: ByteTree, _ scope: Scope) {
    self.tree = tree
    self.scope = scope
  }

  /// How many keys there are.
  public var count: Int { Int(clamping: tree.root.count) }
  public var isEmpty: Bool { tree.root.isEmpty || tree.root.count == 0 }

  /// The value of a key, copied; nil if there is none.
  @inlinable
  public func value(_ key: some Bytes) throws -> [UInt8]? {
    try withValue(key) { $0.withUnsafeBytes { [UInt8]($0) } }
  }

  /// The value of a key as text; bytes that are not UTF-8 are replaced.
  @inlinable
  public func string(_ key: some Bytes) throws -> String? {
    try withValue(key) { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
  }

  @inlinable
  public func contains(_ key: some Bytes) throws -> Bool { try withValue(key) { _ in true } ?? false }

  /// Calls `body` with the value where it lies, without copying; nil if there is none.
  ///
  /// The closure must not change the store.
  @inlinable
  public func withValue<Result>(_ key: some Bytes, _ body: (RawSpan) throws -> Result) throws -> Result? {
    try key.withBytes { key in
      let found = try find(key)
      guard let found else { return nil }
      if let outside = found.outside { return try body(outside.span.bytes) }
      defer { leave() }
      return try body(RawSpan(_unsafeBytes: found.bytes))
    }
  }

  /// A value found: borrowed until `leave`, or read from outside its leaf.
  @usableFromInline struct Found {
    @usableFromInline let bytes: UnsafeRawBufferPointer
    @usableFromInline let outside: [UInt8]?

    @usableFromInline init(bytes: UnsafeRawBufferPointer, outside: [UInt8]?) {
      self.bytes = bytes
      self.outside = outside
    }
  }

  /// Finds the value. The slot stays entered where the answer borrows it.
  @usableFromInline
  func find(_ key: UnsafeRawBufferPointer) throws(StoreError) -> Found? {
    try scope.check()
    guard key.count <= Limits.keyBytes else { return nil }
    let slot = tree.view.slot
    slot.enter()
    var isBorrowed = false
    defer { if !isBorrowed { slot.leave() } }
    guard let value = try tree.find(ByteKey(key)) else { return nil }
    if value.isExtents {
      let copy = try tree.view.readExtents(try TreeDamage.extents(value))
      return Found(bytes: UnsafeRawBufferPointer(start: nil, count: 0), outside: copy)
    }
    isBorrowed = true
    return Found(bytes: value.bytes, outside: nil)
  }

  @usableFromInline func leave() { tree.view.slot.leave() }

  // MARK: Order

  /// How many keys are below `key`.
  public func rank(of key: some Bytes) throws -> Int {
    try scope.check()
    return try key.withBytes { Int(clamping: try tree.rank(of: ByteKey($0))) }
  }

  /// How many keys there are from `low` up to and without `high`, in the time of two look-ups.
  public func count(from low: some Bytes, to high: some Bytes) throws -> Int {
    max(0, try rank(of: high) - rank(of: low))
  }

  /// A cursor, before the first entry.
  public func cursor() throws -> Cursor {
    try scope.check()
    return Cursor(ByteCursor(tree), scope)
  }

  /// Calls `body` for each entry in order, from `low` (nil: the first) up to and without `high` (nil: to the end), until
  /// it returns false.
  public func forEach(
    from low: [UInt8]? = nil, to high: [UInt8]? = nil, _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Bool
  ) throws {
    var cursor = try cursor()
    var isThere = if let low { try cursor.seek(low) } else { try cursor.first() }
    while isThere {
      if let high, try cursor.isKey(atLeast: high) { return }
      let goesOn = try cursor.withEntry { try body($0, $1) }
      if !goesOn { return }
      isThere = try cursor.next()
    }
  }
}
