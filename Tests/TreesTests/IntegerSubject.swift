import RoostFile
import RoostPages
import RoostTestSupport
import RoostTrees

struct IntegerSubject: Subject {
  let draft: IntegerTreeDraft
  let view: PageView
  init(_ root: Root, extents: UInt64, in transaction: WriteTransaction) {
    draft = IntegerTreeDraft(root, id: 9, extents: extents, in: transaction)
    view = transaction.view
  }

  private static func number(_ key: [UInt8]) -> UInt64 { key.reduce(0) { $0 << 8 | UInt64($1) } }
  private static func bytes(_ key: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: key >> (56 - 8 * $0)) }
  }

  var root: Root { draft.root }
  var extents: UInt64 { draft.extents }

  func put(_ key: [UInt8], _ value: [UInt8]) throws(StoreError) -> Put {
    try value.withUnsafeBufferPointer { (value) throws(StoreError) in
      try draft.put(Self.number(key), UnsafeRawBufferPointer(value))
    }
  }
  func remove(_ key: [UInt8]) throws(StoreError) -> Bool { try draft.remove(Self.number(key)) }
  func removeRange(_ low: [UInt8], _ high: [UInt8]?) throws(StoreError) -> UInt64 {
    try draft.removeRange(Self.number(low), high.map(Self.number))
  }
  func removeAll() throws(StoreError) { try draft.removeAll() }
  func value(of key: [UInt8]) throws(StoreError) -> [UInt8]? { try draft.tree.value(of: Self.number(key)) }
  func rank(of key: [UInt8]) throws(StoreError) -> UInt64 { try draft.tree.rank(of: Self.number(key)) }
  func count(from low: [UInt8], to high: [UInt8]?) throws(StoreError) -> UInt64 {
    try draft.tree.count(from: Self.number(low), to: high.map(Self.number))
  }
  func forward(in root: Root) throws(StoreError) -> [Entry] {
    var cursor = IntegerCursor(IntegerTree(root, id: 9, view: view))
    var entries: [Entry] = []
    // Without a first move, `next` starts at the first entry.
    while try cursor.next() {
      entries.append(Entry(key: Self.bytes(cursor.key), value: try cursor.value.load(view)))
    }
    return entries
  }
  func backward(in root: Root) throws(StoreError) -> [Entry] {
    var cursor = IntegerCursor(IntegerTree(root, id: 9, view: view))
    var entries: [Entry] = []
    while try cursor.previous() {
      entries.append(Entry(key: Self.bytes(cursor.key), value: try cursor.value.load(view)))
    }
    return entries
  }
  func around(_ key: [UInt8], atMost: Bool, in root: Root) throws(StoreError) -> [Entry] {
    var cursor = IntegerCursor(IntegerTree(root, id: 9, view: view))
    var entries: [Entry] = []
    func note(_ isThere: Bool) throws(StoreError) {
      entries.append(
        isThere ? Entry(key: Self.bytes(cursor.key), value: try cursor.value.load(view)) : Entry(key: [], value: []))
    }
    try note(atMost ? cursor.seek(atMost: Self.number(key)) : cursor.seek(Self.number(key)))
    for step in 0..<6 { try note(step < 2 || step == 5 ? cursor.previous() : cursor.next()) }
    return entries
  }
  func entry(_ number: UInt64, in root: Root) throws(StoreError) -> Entry? {
    var cursor = IntegerCursor(IntegerTree(root, id: 9, view: view))
    guard try cursor.move(to: number) else { return nil }
    return Entry(key: Self.bytes(cursor.key), value: try cursor.value.load(view))
  }
  func difference(from former: Root) throws(StoreError) -> [FormerEntry] {
    var found: [FormerEntry] = []
    try draft.tree.difference(from: IntegerTree(former, id: 9, view: view)) {
      found.append(FormerEntry(key: Self.bytes($0), value: $1))
    }
    return found
  }
  static func build(
    _ entries: [Entry], fill: Int, in transaction: WriteTransaction
  ) throws(StoreError) -> IntegerSubject {
    let builder = IntegerTreeBuilder(id: 9, fill: fill, in: transaction)
    for entry in entries {
      try entry.value.withUnsafeBufferPointer { (value) throws(StoreError) in
        try builder.append(number(entry.key), UnsafeRawBufferPointer(value))
      }
    }
    let (root, extents) = try builder.finish()
    return IntegerSubject(root, extents: extents, in: transaction)
  }
  func verify(_ reach: (Reached) -> Void) -> [Finding] { draft.tree.verify(extents: extents, reach) }

  static func key(_ shape: KeyShape, _ dice: inout SplitMix64) -> [UInt8] {
    switch shape {
    case .dense: return bytes(UInt64(dice.below(3000)))
    case .sparse, .long, .ascending: return bytes(dice.next())
    case .sharedPrefix: return bytes(1 << 40 + UInt64(dice.below(5000)))
    case .zeros: return bytes([0, 1, .max, .max - 1, 1 << 63][dice.below(5)] &+ UInt64(dice.below(5)))
    }
  }
}
