import RoostBytes
import RoostFile
import RoostPages

/// The smallest floor above `RoostPages`: an array of words, and a few values that may be large.
///
/// ## Layout
/// The root is a branch with one child for each leaf, at 40 + 16 × index: {u32 place, u32 zero, u64
/// check}. Place 0 means no child. A word leaf contains `wordsPerLeaf` words from offset 40. The
/// child after the last word leaf contains the values: cells of 200 bytes from offset 40, each {u16
/// length, an encoded list of extents}.
enum WordFloor {
  static let wordsPerLeaf = 8
  static let leaves = 60
  static let words = wordsPerLeaf * leaves
  static let cells = 16
  static let cellBytes = 200
  static let start = Page.headerSize

  enum Piece {
    static let word: UInt8 = 16
    static let value: UInt8 = 17
    static let named: UInt8 = 18
    static let removal: UInt8 = 19
    /// Bytes without a meaning, to fill the log.
    static let padding: UInt8 = 20
  }

  static func child(_ branch: UnsafeRawPointer, _ index: Int) -> PageReference {
    PageReference(PageID(branch.u32(start + index * 16)), check: branch.u64(start + index * 16 + 8))
  }

  static func setChild(_ branch: UnsafeMutableRawPointer, _ index: Int, _ child: PageReference) {
    branch.set32(start + index * 16, child.page.place)
    branch.set64(start + index * 16 + 8, child.check)
  }

  static func writeHeader(
    _ memory: UnsafeMutableRawPointer, _ kind: Page.Kind, level: UInt8, _ page: PageID, _ stamp: UInt64
  ) {
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: Page.size)
    memory.set8(Page.Field.kind, kind.rawValue)
    memory.set8(Page.Field.level, level)
    memory.set32(Page.Field.tree, 1)
    memory.set32(Page.Field.place, page.place)
    memory.set64(Page.Field.stamp, stamp)
  }

  /// The list in a cell; nil if it is empty.
  static func list(_ leaf: UnsafeRawPointer, _ cell: Int) -> ExtentList? {
    let at = start + cell * cellBytes
    let count = Int(leaf.u16(at))
    return count == 0 ? nil : ExtentList(decoding: UnsafeRawBufferPointer(start: leaf + at + 2, count: count))
  }

  static let floor = Store.Floor(
    validate: { _, memory in
      switch Page.kind(memory) {
      case .integerBranch: Page.level(memory) == 1 ? nil : "a root of another level"
      case .integerLeaf, .byteLeaf: Page.level(memory) == 0 ? nil : "a leaf of another level"
      default: "a page of another kind"
      }
    },
    settleChecks: { branch, frames in
      for index in 0...leaves {
        let child = child(branch, index)
        if child.page.place != 0 && child.check == 0 {
          setChild(branch, index, PageReference(child.page, check: frames.check(child.page)))
        }
      }
    },
    replay: { transaction, kind, bytes throws(StoreError) in
      let writer = WordWriter.of(transaction)
      let memory = bytes.baseAddress
      func damaged() -> StoreError { StoreError(.logDamaged, "a piece of the tests' floor is unreadable") }
      switch kind {
      case Piece.word:
        guard let memory, bytes.count == 12, memory.u32(0) < words else { throw damaged() }
        try writer.set(Int(memory.u32(0)), memory.u64(4))
      case Piece.value:
        guard let memory, bytes.count >= 4, memory.u32(0) < cells else { throw damaged() }
        try writer.put(Int(memory.u32(0)), UnsafeRawBufferPointer(rebasing: bytes[4...]))
      case Piece.named:
        guard let memory, bytes.count >= 4, memory.u32(0) < cells,
          let list = ExtentList(decoding: UnsafeRawBufferPointer(rebasing: bytes[4...]))
        else { throw damaged() }
        try writer.place(Int(memory.u32(0)), list)
      case Piece.removal:
        guard let memory, bytes.count == 4, memory.u32(0) < cells else { throw damaged() }
        try writer.remove(Int(memory.u32(0)))
      case Piece.padding: break
      default: throw damaged()
      }
    },
    seal: { transaction in WordWriter.of(transaction).root })
}
