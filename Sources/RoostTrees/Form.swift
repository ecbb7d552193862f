internal import RoostFile
internal import RoostPages

/// The encoding of a tree's keys in its pages: the part of the trees that exists twice.
///
/// All other code works with either form and is specialised for both inside this module.
protocol Form {
  associatedtype Key

  static var leafKind: UInt8 { get }
  static var branchKind: UInt8 { get }
  /// Whether a bound between leaves may be moved a little to become shorter.
  static var seeksShortFences: Bool { get }

  /// Entries are moved between two nodes if at least one part in this many of their room stays
  /// free. The cheaper moving is, the smaller the part.
  static var slack: Int { get }

  static func checkKey(_ key: Key) throws(StoreError)
  /// Whether a value of this size stays in the leaf.
  static func keepsInline(_ key: Key, _ count: Int) -> Bool

  // Searching. The page is a node of the right kind and level.
  /// Whether the key is long enough for the node's prefix, so that it may be searched for.
  static func admits(_ page: UnsafeRawPointer, _ key: Key) -> Bool
  static func covers(_ page: UnsafeRawPointer, _ key: Key) -> Bool
  /// Whether the node has no upper bound.
  static func isLast(_ page: UnsafeRawPointer) -> Bool
  static func child(_ branch: UnsafeRawPointer, _ key: Key) -> Int
  static func search(_ leaf: UnsafeRawPointer, _ key: Key) -> Position
  static func value(_ leaf: UnsafeRawPointer, _ index: Int) -> StoredValue
  /// The bytes of slots and cells in use, and the most that are possible.
  static func used(_ page: UnsafeRawPointer) -> Int
  static func room(_ page: UnsafeRawPointer) -> Int

  // Changing a node in place.
  static func insert(_ leaf: UnsafeMutableRawPointer, at index: Int, key: Key, value: StoredValue) -> Bool
  static func replace(_ leaf: UnsafeMutableRawPointer, at index: Int, _ value: StoredValue) -> Bool
  static func remove(_ leaf: UnsafeMutableRawPointer, from: Int, to: Int)
  /// Ends a leaf before a key that is greater than all of its own, and prepares the pack for the
  /// next node. Returns false and changes nothing if more than the bound would change.
  static func end(_ leaf: UnsafeMutableRawPointer, before key: Key, _ pack: Pack) -> Bool
  /// Replaces `dropping` children by the fresh nodes. Returns false and changes nothing if there is
  /// no room. The first fresh node begins where the first dropped child did.
  static func exchange(
    _ branch: UnsafeMutableRawPointer, at index: Int, dropping: Int, _ fresh: [FreshNode]
  ) -> Bool

  // Ranges.
  /// A key with memory of its own.
  associatedtype OwnKey: Equatable
  static var lowest: OwnKey { get }
  static func lowFence(_ page: UnsafeRawPointer) -> OwnKey
  /// Nil if the node has no upper bound.
  static func highFence(_ page: UnsafeRawPointer) -> OwnKey?
  static func own(_ key: Key) -> OwnKey
  static func withKey(_ own: OwnKey, _ body: (Key) throws(StoreError) -> Void) throws(StoreError)
  static func isBelow(_ key: Key, _ other: Key) -> Bool
  static func branchKey(_ branch: UnsafeRawPointer, _ index: Int) -> OwnKey
  /// The first child that may hold keys from `low` on. The key may be outside the node.
  static func firstChild(_ branch: UnsafeRawPointer, _ low: Key) -> Int
  /// The position of a child relative to a range.
  static func side(_ branch: UnsafeRawPointer, _ index: Int, low: Key, high: Key?) -> Side
  /// The first entry of a leaf that is not below the key. The key may be outside the leaf.
  static func firstAtLeast(_ leaf: UnsafeRawPointer, _ key: Key) -> Int
  /// Prepares the pack for one node with the range of some of a branch's children.
  static func begin(_ pack: Pack, _ branch: UnsafeRawPointer, from: Int, to: Int)

  // Rebuilding.
  /// Whether the second node begins where the first one ends.
  static func meet(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool
  /// Whether the child's range is inside its parent's.
  static func holds(_ parent: UnsafeRawPointer, _ child: UnsafeRawPointer) -> Bool
  static func begin(_ pack: Pack, first: UnsafeRawPointer, last: UnsafeRawPointer)
  static func beginUnbounded(_ pack: Pack)
  static func gather(_ pack: Pack, _ page: UnsafeRawPointer, from: Int, to: Int)
  static func append(_ pack: Pack, key: Key, value: StoredValue)
  static func append(_ pack: Pack, _ fresh: FreshNode)
  /// The bound between the entries before `index` and those from it on.
  static func fence(_ pack: Pack, before index: Int, leaf: Bool) -> Fence
  /// The most bytes that an entry takes.
  static func cost(_ pack: Pack, _ index: Int, leaf: Bool) -> Int
  /// The exact number of bytes of `Node.room` that a node takes.
  static func size(_ pack: Pack, from: Int, to: Int, low: Fence, high: Fence, leaf: Bool) -> Int
  /// Inserts an entry into one of two neighbouring leaves. One of them is full, so a few entries
  /// move to the other. Returns false and changes nothing if the form or the leaves do not allow
  /// that.
  static func shift(
    _ pack: Pack, _ left: PathNode, right: PathNode, toLeft: Bool, key: Key, value: StoredValue
  ) -> Bool
  /// Plans how to divide the leaves with one more entry; nil if the form has no quicker way than a
  /// pack.
  static func recut(
    _ pack: Pack, _ leaves: [PathNode], at place: Int, key: Key, value: StoredValue, into parts: Int
  ) -> Recut?
  // For building: packs that share nothing.
  /// Appends an entry of another pack.
  static func transfer(_ from: Pack, _ index: Int, to pack: Pack)
  /// Empties the pack. Its node begins at a fence of another one.
  static func begin(_ pack: Pack, at fence: Fence, of other: Pack)
  static func lastKey(_ pack: Pack, isBelow key: Key) -> Bool

  /// Writes a node whose place and stamp are already written.
  static func write(
    _ pack: Pack, from: Int, to: Int, low: Fence, high: Fence, level: UInt8, tree: UInt32,
    into page: UnsafeMutableRawPointer)
}

/// The position of a child's range relative to another one.
enum Side {
  case below, across, inside, above
}

/// The limits of keys and values.
package enum Limits {
  package static let keyBytes = 1024
  package static let valueBytes = 1 << 30
  /// The most bytes of an entry that is stored in its leaf, so that four of them fit.
  package static let entryBytes = Node.room / 4
  /// A value this short is stored in the leaf with a key of any length.
  package static let shortValueBytes = 64
}
