internal import RoostFile
internal import RoostPages

/// How the keys of a tree look in its pages: the part of the trees that is written twice.
///
/// Everything above works on either form and is specialised for both inside this module.
protocol Form {
  associatedtype Key

  static var leafKind: UInt8 { get }
  static var branchKind: UInt8 { get }
  /// Whether a bound between leaves may be moved a little to become shorter.
  static var seeksShortFences: Bool { get }

  /// Entries are moved between two nodes as long as one part in so many of their room is left: the cheaper it is, the less.
  static var slack: Int { get }

  static func checkKey(_ key: Key) throws(StoreError)
  /// Whether a value of this size stays in the leaf.
  static func keepsInline(_ key: Key, _ count: Int) -> Bool

  // Searching. The page is a node of the right kind and level.
  /// Whether the key is long enough for the node's prefix, so that it may be searched for.
  static func admits(_ page: UnsafeRawPointer, _ key: Key) -> Bool
  static func covers(_ page: UnsafeRawPointer, _ key: Key) -> Bool
  /// Whether nothing bounds the node above.
  static func isLast(_ page: UnsafeRawPointer) -> Bool
  static func child(_ branch: UnsafeRawPointer, _ key: Key) -> Int
  static func search(_ leaf: UnsafeRawPointer, _ key: Key) -> Position
  static func value(_ leaf: UnsafeRawPointer, _ index: Int) -> StoredValue
  /// The bytes of slots and cells in use, and how many there could be.
  static func used(_ page: UnsafeRawPointer) -> Int
  static func room(_ page: UnsafeRawPointer) -> Int

  // Changing a node in place.
  static func insert(_ leaf: UnsafeMutableRawPointer, at index: Int, key: Key, value: StoredValue) -> Bool
  static func replace(_ leaf: UnsafeMutableRawPointer, at index: Int, _ value: StoredValue) -> Bool
  static func remove(_ leaf: UnsafeMutableRawPointer, from: Int, to: Int)
  /// Ends a leaf before a key above all of its own, and prepares the pack for the node behind it; false where that
  /// would change more than the bound, and then nothing changed.
  static func end(_ leaf: UnsafeMutableRawPointer, before key: Key, _ pack: Pack) -> Bool
  /// Puts the fresh nodes into the place of `dropping` children; false if there is no room, and then nothing changed.
  /// The first fresh node begins where the first dropped child did.
  static func exchange(
    _ branch: UnsafeMutableRawPointer, at index: Int, dropping: Int, _ fresh: [FreshNode]
  ) -> Bool

  // Ranges.
  /// A key that is kept.
  associatedtype OwnKey: Equatable
  static var lowest: OwnKey { get }
  static func lowFence(_ page: UnsafeRawPointer) -> OwnKey
  /// nil where nothing bounds the node.
  static func highFence(_ page: UnsafeRawPointer) -> OwnKey?
  static func own(_ key: Key) -> OwnKey
  static func withKey(_ own: OwnKey, _ body: (Key) throws(StoreError) -> Void) throws(StoreError)
  static func isBelow(_ key: Key, _ other: Key) -> Bool
  static func branchKey(_ branch: UnsafeRawPointer, _ index: Int) -> OwnKey
  /// The first child that may hold keys from `low` on; the key need not belong to the node.
  static func firstChild(_ branch: UnsafeRawPointer, _ low: Key) -> Int
  /// How a child lies to a range.
  static func side(_ branch: UnsafeRawPointer, _ index: Int, low: Key, high: Key?) -> Side
  /// The first entry of a leaf that is not below the key, which need not belong to the leaf.
  static func firstAtLeast(_ leaf: UnsafeRawPointer, _ key: Key) -> Int
  /// Prepares the pack for one node that takes the range of some of a branch's children.
  static func begin(_ pack: Pack, _ branch: UnsafeRawPointer, from: Int, to: Int)

  // Rebuilding.
  /// Whether the second node begins where the first ends.
  static func meet(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool
  /// Whether the child's range lies inside its parent's.
  static func holds(_ parent: UnsafeRawPointer, _ child: UnsafeRawPointer) -> Bool
  static func begin(_ pack: Pack, first: UnsafeRawPointer, last: UnsafeRawPointer)
  static func beginUnbounded(_ pack: Pack)
  static func gather(_ pack: Pack, _ page: UnsafeRawPointer, from: Int, to: Int)
  static func append(_ pack: Pack, key: Key, value: StoredValue)
  static func append(_ pack: Pack, _ fresh: FreshNode)
  /// The bound between the entries before `index` and those from it on.
  static func fence(_ pack: Pack, before index: Int, leaf: Bool) -> Fence
  /// What an entry takes at the most.
  static func cost(_ pack: Pack, _ index: Int, leaf: Bool) -> Int
  /// What a node takes of `Node.room`, exactly.
  static func size(_ pack: Pack, from: Int, to: Int, low: Fence, high: Fence, leaf: Bool) -> Int
  /// Puts an entry into one of two neighbouring leaves. One of them is full, so a few entries move over the border between them. Returns
  /// false, and changes nothing, if the form or the leaves do not allow that.
  static func shift(
    _ pack: Pack, _ left: PathNode, right: PathNode, toLeft: Bool, key: Key, value: StoredValue
  ) -> Bool
  /// The leaves cut anew with one more entry; nil where the form has no quicker way than a pack.
  static func recut(
    _ pack: Pack, _ leaves: [PathNode], at place: Int, key: Key, value: StoredValue, into parts: Int
  ) -> Recut?
  // For building: packs in which nothing is shared.
  /// Appends an entry of another pack.
  static func transfer(_ from: Pack, _ index: Int, to pack: Pack)
  /// Empties the pack; its node begins at a fence of another one.
  static func begin(_ pack: Pack, at fence: Fence, of other: Pack)
  static func lastKey(_ pack: Pack, isBelow key: Key) -> Bool

  /// Writes a node whose place and stamp are there already.
  static func write(
    _ pack: Pack, from: Int, to: Int, low: Fence, high: Fence, level: UInt8, tree: UInt32,
    into page: UnsafeMutableRawPointer)
}

/// How a child's range lies to another one.
enum Side {
  case below, across, inside, above
}

/// The bounds on keys and values.
package enum Limits {
  package static let keyBytes = 1024
  package static let valueBytes = 1 << 30
  /// The most bytes that an entry kept in its leaf may take, so that four of them fit.
  package static let entryBytes = Node.room / 4
  /// A value this short stays in the leaf beside a key of any length.
  package static let shortValueBytes = 64
}
