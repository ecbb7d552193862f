import RoostBytes
import RoostFile
import RoostPages

/// A write transaction of ``WordFloor``.
final class WordWriter {
  unowned let transaction: WriteTransaction
  var root: Root

  private init(_ transaction: WriteTransaction) {
    self.transaction = transaction
    root = transaction.base.catalog
  }

  /// The writer that belongs to a transaction: made once, then found again.
  static func of(_ transaction: WriteTransaction) -> WordWriter {
    transaction.attached { WordWriter(transaction) }
  }

  // MARK: Changes

  func set(_ index: Int, _ word: UInt64) throws(StoreError) {
    transaction.view.slot.enter()
    defer { transaction.view.slot.leave() }
    let leaf = try leaf(index / WordFloor.wordsPerLeaf, .integerLeaf)
    leaf.set64(WordFloor.start + index % WordFloor.wordsPerLeaf * 8, word)
    try transaction.record(WordFloor.Piece.word, count: 12) { memory in
      memory.set32(0, UInt32(index))
      memory.set64(4, word)
    }
  }

  func word(_ index: Int) throws(StoreError) -> UInt64 {
    try WordReader(view: transaction.view, root: root).word(index)
  }

  func put(_ cell: Int, _ value: [UInt8]) throws(StoreError) {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: value.count, alignment: 8)
    defer { copy.deallocate() }
    copy.copyBytes(from: value)
    try put(cell, UnsafeRawBufferPointer(copy))
  }

  func put(_ cell: Int, _ value: UnsafeRawBufferPointer) throws(StoreError) {
    let list = try transaction.writeExtents(value)
    try store(cell, list)
    if list.isNamed {
      try record(cell, WordFloor.Piece.named, list.encoded.withUnsafeBytes { Array($0) })
    } else {
      try record(cell, WordFloor.Piece.value, Array(value))
    }
  }

  /// Puts a list whose extents are at their places already, like a replay.
  func place(_ cell: Int, _ list: ExtentList) throws(StoreError) { try store(cell, list) }

  func remove(_ cell: Int) throws(StoreError) {
    try store(cell, nil)
    try record(cell, WordFloor.Piece.removal, [])
  }

  /// Fills the log with a piece of this many bytes.
  func pad(_ count: Int) throws(StoreError) {
    try transaction.record(WordFloor.Piece.padding, count: count) { memory in
      memory.initializeMemory(as: UInt8.self, repeating: 0xA5, count: count)
    }
  }

  private func store(_ cell: Int, _ list: ExtentList?) throws(StoreError) {
    transaction.view.slot.enter()
    defer { transaction.view.slot.leave() }
    let leaf = try leaf(WordFloor.leaves, .byteLeaf)
    if let old = WordFloor.list(leaf, cell) { try transaction.killExtents(old) }
    let at = WordFloor.start + cell * WordFloor.cellBytes
    leaf.set16(at, UInt16(list?.encodedCount ?? 0))
    list?.encode(into: leaf + at + 2)
  }

  private func record(_ cell: Int, _ kind: UInt8, _ bytes: [UInt8]) throws(StoreError) {
    try transaction.record(kind, count: 4 + bytes.count) { memory in
      memory.set32(0, UInt32(cell))
      bytes.withUnsafeBytes {
        if let start = $0.baseAddress { (memory + 4).copyMemory(from: start, byteCount: $0.count) }
      }
    }
  }

  /// The leaf at `index` of the root, ready to be changed.
  private func leaf(_ index: Int, _ kind: Page.Kind) throws(StoreError) -> UnsafeMutableRawPointer {
    let branch: UnsafeMutableRawPointer
    if root.isEmpty {
      let made = try transaction.allocate()
      WordFloor.writeHeader(made.memory, .integerBranch, level: 1, made.page, transaction.stamp)
      root = Root(reference: PageReference(made.page), level: 1, count: 0)
      branch = made.memory
    } else {
      let edited = try transaction.edit(root.reference)
      if edited.moved { root.reference = PageReference(edited.page) }
      branch = edited.memory
    }
    let child = WordFloor.child(branch, index)
    if child.page.place == 0 {
      let made = try transaction.allocate()
      WordFloor.writeHeader(made.memory, kind, level: 0, made.page, transaction.stamp)
      WordFloor.setChild(branch, index, PageReference(made.page))
      return made.memory
    }
    let edited = try transaction.edit(child)
    if edited.moved { WordFloor.setChild(branch, index, PageReference(edited.page)) }
    return edited.memory
  }

  // MARK: Steps

  struct Savepoint {
    let point: WriteTransaction.Savepoint
    let root: Root
  }

  func savepoint() throws(StoreError) -> Savepoint { Savepoint(point: try transaction.savepoint(), root: root) }

  func rollback(to savepoint: Savepoint) {
    transaction.rollback(to: savepoint.point)
    root = savepoint.root
  }

  func release(_ savepoint: Savepoint) { transaction.release(savepoint.point) }

  func commit(_ durability: SyncMode = .full) throws(StoreError) {
    try transaction.commit(root, durability: durability)
  }
}
