import RoostBytes
import RoostFile
import RoostPages
import RoostTrees

/// A key of a tree: bytes, or a number of 64 bits.
///
/// `RoostTrees` has its types twice, once for each kind of key. The protocols in this file describe
/// the common members of two such types, so `RoostKV` has its code once. The compiler specialises
/// that code for each kind. Generic types in `RoostTrees` would be slow, because the compiler does
/// not specialise their members in other modules.
protocol TreeKey {
  /// The kinds of log records that change entries with such keys.
  static var kinds: Replay.EntryKinds { get }
  static var lowest: Self { get }

  /// Reads a key from a log record. The last field of a record has no length.
  init(_ fields: inout PieceFields, isLast: Bool) throws(StoreError)
  /// The number of bytes of the key in a log record.
  func byteCount(isLast: Bool) -> Int
  /// Writes the key into a log record. Returns its number of bytes.
  func encode(to memory: UnsafeMutableRawPointer, isLast: Bool) -> Int
}

extension ByteKey: TreeKey {
  static var kinds: Replay.EntryKinds { (.put, .putExtents, .remove, .removeRange) }
  static var lowest: ByteKey { .empty }

  init(_ fields: inout PieceFields, isLast: Bool) throws(StoreError) {
    self.init(isLast ? fields.rest() : try fields.bytes())
  }

  func byteCount(isLast: Bool) -> Int { (isLast ? 0 : Varint.byteCount(UInt64(count))) + count }

  func encode(to memory: UnsafeMutableRawPointer, isLast: Bool) -> Int {
    let head = isLast ? 0 : Varint.encode(UInt64(count), to: memory)
    (memory + head).copyMemory(from: start, byteCount: count)
    return head + count
  }
}

extension UInt64: TreeKey {
  static var kinds: Replay.EntryKinds { (.putNumber, .putNumberExtents, .removeNumber, .removeNumbers) }
  static var lowest: UInt64 { 0 }

  init(_ fields: inout PieceFields, isLast: Bool) throws(StoreError) { self = try fields.number() }

  func byteCount(isLast: Bool) -> Int { 8 }

  func encode(to memory: UnsafeMutableRawPointer, isLast: Bool) -> Int {
    memory.set64(0, self)
    return 8
  }
}

/// `ByteCursor` or `IntegerCursor`.
protocol KeyedCursor: ~Copyable {
  associatedtype Key: TreeKey
  var isAtEntry: Bool { get }
  mutating func first() throws(StoreError) -> Bool
  mutating func last() throws(StoreError) -> Bool
  mutating func next() throws(StoreError) -> Bool
  mutating func previous() throws(StoreError) -> Bool
  mutating func move(to number: UInt64) throws(StoreError) -> Bool
  mutating func seek(_ key: Key) throws(StoreError) -> Bool
  mutating func seek(atMost key: Key) throws(StoreError) -> Bool
  func entry() -> (key: Key, value: StoredValue)?
}

extension ByteCursor: KeyedCursor {}
extension IntegerCursor: KeyedCursor {}

/// `ByteTreeDraft` or `IntegerTreeDraft`.
protocol KeyedDraft {
  associatedtype Key: TreeKey
  @discardableResult func put(_ key: Key, _ value: UnsafeRawBufferPointer) throws(StoreError) -> Put
  @discardableResult func put(_ key: Key, extents: ExtentList) throws(StoreError) -> Put
  func remove(_ key: Key) throws(StoreError) -> Bool
  @discardableResult func removeRange(_ low: Key, _ high: Key?) throws(StoreError) -> UInt64
}

extension ByteTreeDraft: KeyedDraft {}
extension IntegerTreeDraft: KeyedDraft {}
