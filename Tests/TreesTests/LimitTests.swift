@testable import RoostPages
import RoostFile
import RoostTestSupport
@testable import RoostTrees
import Testing

private var nothing: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

@Suite struct LimitTests {
  @Test func `a key of 1024 bytes is accepted, and one more byte is an error`() throws {
    let ground = try Ground()
    defer { withExtendedLifetime(ground) {} }
    let draft = ByteTreeDraft(.empty, id: 7, in: ground.transaction)
    _ = try borrow([UInt8](repeating: 1, count: 1024)) { key throws(StoreError) in try draft.put(key, nothing) }
    let error = #expect(throws: StoreError.self) {
      _ = try borrow([UInt8](repeating: 1, count: 1025)) { key throws(StoreError) in try draft.put(key, nothing) }
    }
    #expect(error?.code == .keyTooLong)
    #expect(error?.detail.contains("1025") == true && error?.detail.contains("1024") == true)
    // Looking for a key that cannot exist is not an error.
    try borrow([UInt8](repeating: 1, count: 5000)) { key throws(StoreError) in
      #expect(try draft.tree.value(of: key) == nil)
    }
  }

  @Test func `a value above a gibibyte is refused before it is read`() throws {
    let ground = try Ground()
    defer { withExtendedLifetime(ground) {} }
    let huge = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: 16), count: 1 << 30 + 1)
    let error = #expect(throws: StoreError.self) {
      _ = try IntegerTreeDraft(.empty, id: 9, in: ground.transaction).put(1, huge)
    }
    #expect(error?.code == .valueTooLarge)
  }

  @Test func `the last integer is a key like any other`() throws {
    let ground = try Ground(fanout: 4)
    defer { withExtendedLifetime(ground) {} }
    let draft = IntegerTreeDraft(.empty, id: 9, in: ground.transaction)
    for key in (0..<60).map({ UInt64.max - $0 }) { try draft.put(key, nothing) }
    #expect(try draft.tree.value(of: .max) == [])
    #expect(try draft.tree.count(from: .max - 9, to: nil) == 10)
    #expect(try draft.removeRange(.max - 4, .max) == 4)
    #expect(try draft.removeRange(.max, nil) == 1)
    #expect(draft.tree.verify().isEmpty)
  }

  @Test(arguments: [true, false])
  func `an ascending run leaves full leaves, wherever it begins`(atEnd: Bool) throws {
    let ground = try Ground()
    defer { withExtendedLifetime(ground) {} }
    let draft = IntegerTreeDraft(.empty, id: 9, in: ground.transaction)
    let value = [UInt8](repeating: 1, count: 28)
    try value.withUnsafeBytes { value in
      if !atEnd { for key in 0..<1000 { try draft.put(UInt64(key) << 40, value) } }
      let before = ground.live.count
      for key in 1...5000 { try draft.put(UInt64(key), value) }
      // 40 bytes for each entry.
      #expect((ground.live.count - before) * 4096 < 5000 * 44)
    }
    #expect(draft.tree.verify().isEmpty)
  }

  @Test func `random keys fill three quarters of the leaves`() throws {
    let ground = try Ground()
    defer { withExtendedLifetime(ground) {} }
    let draft = IntegerTreeDraft(.empty, id: 9, in: ground.transaction)
    var dice = SplitMix64(seed: 4)
    let value = [UInt8](repeating: 1, count: 28)
    try value.withUnsafeBytes { value in for _ in 0..<5000 { try draft.put(dice.next(), value) } }
    #expect(ground.live.count * 4096 < 5000 * 40 * 4 / 3)
    #expect(draft.tree.verify().isEmpty)
  }

  @Test func `a tree without entries has no page`() throws {
    let ground = try Ground(fanout: 4)
    defer { withExtendedLifetime(ground) {} }
    let draft = IntegerTreeDraft(.empty, id: 9, in: ground.transaction)
    for key in 0..<500 { try draft.put(UInt64(key), nothing) }
    for key in (0..<500).reversed() { #expect(try draft.remove(UInt64(key))) }
    #expect(draft.root == .empty)
    #expect(ground.live.isEmpty)
    var cursor = IntegerCursor(draft.tree)
    #expect(try !cursor.first() && !cursor.last() && !cursor.next() && !cursor.previous() && !cursor.seek(3))
  }
}
