import RoostFile
import RoostPages
import RoostTestSupport
import RoostTrees

/// A tree of either kind under test. Keys are always bytes; integers are big-endian.
protocol Subject {
  init(_ root: Root, extents: UInt64, in transaction: WriteTransaction)
  var root: Root { get }
  var extents: UInt64 { get }
  func put(_ key: [UInt8], _ value: [UInt8]) throws(StoreError) -> Put
  func remove(_ key: [UInt8]) throws(StoreError) -> Bool
  func removeRange(_ low: [UInt8], _ high: [UInt8]?) throws(StoreError) -> UInt64
  func removeAll() throws(StoreError)
  func value(of key: [UInt8]) throws(StoreError) -> [UInt8]?
  func rank(of key: [UInt8]) throws(StoreError) -> UInt64
  func count(from low: [UInt8], to high: [UInt8]?) throws(StoreError) -> UInt64
  func forward(in root: Root) throws(StoreError) -> [Entry]
  func backward(in root: Root) throws(StoreError) -> [Entry]
  /// A few entries from the wanted one on, in both directions.
  func around(_ key: [UInt8], atMost: Bool, in root: Root) throws(StoreError) -> [Entry]
  func entry(_ number: UInt64, in root: Root) throws(StoreError) -> Entry?
  /// The entries that have changed, with their former values.
  func difference(from former: Root) throws(StoreError) -> [FormerEntry]
  func verify(_ reach: (Reached) -> Void) -> [Finding]
  static func key(_ shape: KeyShape, _ dice: inout SplitMix64) -> [UInt8]
  static func build(_ entries: [Entry], fill: Int, in transaction: WriteTransaction) throws(StoreError) -> Self
}

struct Entry: Equatable, CustomStringConvertible {
  var key: [UInt8]
  var value: [UInt8]
  var description: String { "\(key.prefix(12))…\(key.count): \(value.count) bytes" }
}

struct FormerEntry: Equatable {
  var key: [UInt8]
  /// Nil if there was none.
  var value: [UInt8]?
}

enum KeyShape: CaseIterable {
  case dense, sparse, sharedPrefix, zeros, long, ascending
}

struct ByteSubject: Subject {
  let draft: ByteTreeDraft
  let view: PageView
  init(_ root: Root, extents: UInt64, in transaction: WriteTransaction) {
    draft = ByteTreeDraft(root, id: 7, extents: extents, in: transaction)
    view = transaction.view
  }

  var root: Root { draft.root }
  var extents: UInt64 { draft.extents }

  func put(_ key: [UInt8], _ value: [UInt8]) throws(StoreError) -> Put {
    try borrow(key) { key throws(StoreError) in
      try value.withUnsafeBufferPointer { (value) throws(StoreError) in
        try draft.put(key, UnsafeRawBufferPointer(value))
      }
    }
  }
  func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
    try borrow(key) { key throws(StoreError) in try draft.remove(key) }
  }
  func removeRange(_ low: [UInt8], _ high: [UInt8]?) throws(StoreError) -> UInt64 {
    try borrow(low) { low throws(StoreError) in
      guard let high else { return try draft.removeRange(low, nil) }
      return try borrow(high) { high throws(StoreError) in try draft.removeRange(low, high) }
    }
  }
  func removeAll() throws(StoreError) { try draft.removeAll() }
  func value(of key: [UInt8]) throws(StoreError) -> [UInt8]? {
    try borrow(key) { key throws(StoreError) in try draft.tree.value(of: key) }
  }
  func rank(of key: [UInt8]) throws(StoreError) -> UInt64 {
    try borrow(key) { key throws(StoreError) in try draft.tree.rank(of: key) }
  }
  func count(from low: [UInt8], to high: [UInt8]?) throws(StoreError) -> UInt64 {
    try borrow(low) { low throws(StoreError) in
      guard let high else { return try draft.tree.count(from: low, to: nil) }
      return try borrow(high) { high throws(StoreError) in try draft.tree.count(from: low, to: high) }
    }
  }
  func forward(in root: Root) throws(StoreError) -> [Entry] {
    var cursor = ByteCursor(ByteTree(root, id: 7, view: view))
    var entries: [Entry] = []
    var isThere = try cursor.first()
    while isThere {
      entries.append(Entry(key: [UInt8](cursor.key.bytes), value: try cursor.value.load(view)))
      isThere = try cursor.next()
    }
    return entries
  }
  func backward(in root: Root) throws(StoreError) -> [Entry] {
    var cursor = ByteCursor(ByteTree(root, id: 7, view: view))
    var entries: [Entry] = []
    var isThere = try cursor.last()
    while isThere {
      entries.append(Entry(key: [UInt8](cursor.key.bytes), value: try cursor.value.load(view)))
      isThere = try cursor.previous()
    }
    return entries
  }
  func around(_ key: [UInt8], atMost: Bool, in root: Root) throws(StoreError) -> [Entry] {
    var cursor = ByteCursor(ByteTree(root, id: 7, view: view))
    var entries: [Entry] = []
    func note(_ isThere: Bool) throws(StoreError) {
      entries.append(
        isThere ? Entry(key: [UInt8](cursor.key.bytes), value: try cursor.value.load(view)) : Entry(key: [], value: []))
    }
    try note(borrow(key) { key throws(StoreError) in try atMost ? cursor.seek(atMost: key) : cursor.seek(key) })
    for step in 0..<6 { try note(step < 2 || step == 5 ? cursor.previous() : cursor.next()) }
    return entries
  }
  func entry(_ number: UInt64, in root: Root) throws(StoreError) -> Entry? {
    var cursor = ByteCursor(ByteTree(root, id: 7, view: view))
    guard try cursor.move(to: number) else { return nil }
    return Entry(key: [UInt8](cursor.key.bytes), value: try cursor.value.load(view))
  }
  func difference(from former: Root) throws(StoreError) -> [FormerEntry] {
    var found: [FormerEntry] = []
    try draft.tree.difference(from: ByteTree(former, id: 7, view: view)) {
      found.append(FormerEntry(key: $0, value: $1))
    }
    return found
  }
  static func build(
    _ entries: [Entry], fill: Int, in transaction: WriteTransaction
  ) throws(StoreError) -> ByteSubject {
    let builder = ByteTreeBuilder(id: 7, fill: fill, in: transaction)
    for entry in entries {
      try borrow(entry.key) { key throws(StoreError) in
        try entry.value.withUnsafeBufferPointer { (value) throws(StoreError) in
          try builder.append(key, UnsafeRawBufferPointer(value))
        }
      }
    }
    let (root, extents) = try builder.finish()
    return ByteSubject(root, extents: extents, in: transaction)
  }
  func verify(_ reach: (Reached) -> Void) -> [Finding] { draft.tree.verify(extents: extents, reach) }

  static func key(_ shape: KeyShape, _ dice: inout SplitMix64) -> [UInt8] {
    switch shape {
    case .dense: return [UInt8(dice.below(4)), UInt8(dice.below(40)), UInt8(dice.below(256))]
    case .sparse: return dice.bytes(dice.below(40))
    case .sharedPrefix:
      return [UInt8](repeating: 97, count: 200) + dice.bytes(1) + [UInt8](repeating: 98, count: 90) + dice.bytes(2)
    case .zeros: return (0..<dice.below(10)).map { _ in UInt8(dice.below(2)) }
    case .long:
      let length = 1024 - dice.below(3)
      let shared = [0, 500, 1010, 1020][dice.below(4)]
      return [UInt8](repeating: 1, count: shared) + dice.bytes(length - shared)
    case .ascending: return dice.bytes(8)
    }
  }
}

func borrow<Result>(
  _ key: [UInt8], _ body: (ByteKey) throws(StoreError) -> Result
) throws(StoreError) -> Result {
  try key.withUnsafeBufferPointer { (bytes) throws(StoreError) in try body(ByteKey(UnsafeRawBufferPointer(bytes))) }
}

extension SplitMix64 {
  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
