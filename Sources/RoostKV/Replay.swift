import RoostBytes
import RoostFile
import RoostPages
import RoostTrees

/// The log records of this module, and how they are replayed.
///
/// ## Layout
/// Every piece begins with its kind. `tree` is a varint tree id, `bytes` is a varint length and
/// that many bytes, `rest` extends to the end of the piece.
/// ```
/// 16 createTree    tree, name (rest)           17 createTable   tree, name (rest)
/// 18 drop          name (rest)                 19 rename        name (bytes), new name (rest)
/// 20 put           tree, key (bytes), value (rest)
/// 21 put extents   tree, key (bytes), extent list (rest)
/// 22 remove        tree, key (rest)
/// 23 remove range  tree, u8 has an end, low (bytes), high (rest)
/// 24 put           tree, u64 key, value (rest)
/// 25 put extents   tree, u64 key, extent list (rest)
/// 26 remove        tree, u64 key
/// 27 remove range  tree, u8 has an end, u64 low, u64 high
/// 28 adopt         tree, u8 level, u32 place, u64 check, u64 entries, u64 large values: a tree that was built
/// ```
enum Replay {
  enum Kind: UInt8 {
    case createTree = 16
    case createTable = 17
    case drop = 18
    case rename = 19
    case put = 20
    case putExtents = 21
    case remove = 22
    case removeRange = 23
    case putNumber = 24
    case putNumberExtents = 25
    case removeNumber = 26
    case removeNumbers = 27
    case adopt = 28
  }

  typealias EntryKinds = (put: Kind, putExtents: Kind, remove: Kind, removeRange: Kind)

  static let floor = Store.Floor(
    replay: { (transaction, kind, bytes) throws(StoreError) in
      guard let kind = Kind(rawValue: kind) else { throw unreadable }
      try carryOut(kind, bytes, forest: forest(of: transaction))
    },
    seal: { (transaction) throws(StoreError) in try forest(of: transaction).seal() })

  static var unreadable: StoreError { StoreError(.logDamaged, "a change in the log is unreadable") }

  /// The forest that lives as long as the transaction being replayed.
  private static func forest(of transaction: WriteTransaction) -> Forest {
    transaction.attached { Forest(in: transaction) }
  }

  // MARK: Replay

  static func carryOut(
    _ kind: Kind, _ bytes: UnsafeRawBufferPointer, forest: Forest
  ) throws(StoreError) {
    var reader = PieceFields(bytes)
    switch kind {
    case .createTree, .createTable:
      let id = try reader.tree()
      _ = try forest.create([UInt8](reader.rest()), kind == .createTree ? .bytes : .integers, id: id)
    case .drop:
      _ = try forest.drop([UInt8](reader.rest()))
    case .rename:
      let name = [UInt8](try reader.bytes())
      try forest.rename(name, to: [UInt8](reader.rest()))
    case .put, .putExtents, .remove, .removeRange, .putNumber, .putNumberExtents, .removeNumber, .removeNumbers:
      switch try forest.find(id: try reader.tree())?.trunk {
      case .bytes(let draft): try change(draft, kind, from: &reader)
      case .integers(let draft): try change(draft, kind, from: &reader)
      case nil: throw unreadable
      }
    case .adopt:
      let id = try reader.tree()
      guard reader.count == BuiltTree.byteCount, let found = try forest.find(id: id) else { throw unreadable }
      guard BuiltTree(reader.rest()).give(to: found.trunk) else { throw unreadable }
    }
  }

  private static func change<Draft: KeyedDraft>(
    _ draft: Draft, _ kind: Kind, from reader: inout PieceFields
  ) throws(StoreError) {
    let kinds = Draft.Key.kinds
    switch kind {
    case kinds.put:
      let key = try Draft.Key(&reader, isLast: false)
      try draft.put(key, reader.rest())
    case kinds.putExtents:
      let key = try Draft.Key(&reader, isLast: false)
      guard let list = ExtentList(decoding: reader.rest()) else { throw unreadable }
      try draft.put(key, extents: list)
    case kinds.remove:
      _ = try draft.remove(try Draft.Key(&reader, isLast: true))
    case kinds.removeRange:
      let hasEnd = try reader.byte() != 0
      let low = try Draft.Key(&reader, isLast: false)
      let high = try Draft.Key(&reader, isLast: true)
      try draft.removeRange(low, hasEnd ? high : nil)
    default: throw unreadable
    }
  }
}

/// Decodes the fields of a piece. No field extends beyond the piece.
struct PieceFields {
  private var left: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { left = bytes }

  var count: Int { left.count }

  mutating func byte() throws(StoreError) -> UInt8 {
    guard let first = left.first else { throw Replay.unreadable }
    left = UnsafeRawBufferPointer(rebasing: left.dropFirst())
    return first
  }

  mutating func number() throws(StoreError) -> UInt64 {
    guard left.count >= 8 else { throw Replay.unreadable }
    let value = left.baseAddress!.u64(0)
    left = UnsafeRawBufferPointer(rebasing: left.dropFirst(8))
    return value
  }

  mutating func tree() throws(StoreError) -> UInt32 {
    guard let (value, width) = Varint.decode(left), value < UInt64(UInt32.max) else { throw Replay.unreadable }
    left = UnsafeRawBufferPointer(rebasing: left.dropFirst(width))
    return UInt32(value)
  }

  mutating func bytes() throws(StoreError) -> UnsafeRawBufferPointer {
    guard let (length, width) = Varint.decode(left), length <= UInt64(left.count - width) else {
      throw Replay.unreadable
    }
    let found = UnsafeRawBufferPointer(rebasing: left[width..<width + Int(length)])
    left = UnsafeRawBufferPointer(rebasing: left[(width + Int(length))...])
    return found
  }

  mutating func rest() -> UnsafeRawBufferPointer {
    defer { left = UnsafeRawBufferPointer(start: nil, count: 0) }
    return left
  }
}
