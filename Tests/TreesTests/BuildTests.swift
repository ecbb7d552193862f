import RoostFile
import RoostPages
import RoostTestSupport
import RoostTrees
import Testing

private func entries<S: Subject>(_ kind: S.Type, _ shape: KeyShape, _ count: Int, _ dice: inout SplitMix64) -> [Entry] {
  let sizes = [0, 3, 8, 8, 40, 300, 990, 3000]
  let keys = Set((0..<count).map { _ in S.key(shape, &dice) })
  return keys.sorted { $0.lexicographicallyPrecedes($1) }
    .map { Entry(key: $0, value: [UInt8](repeating: 5, count: dice.pick(sizes))) }
}

private func build<S: Subject>(_ kind: S.Type, _ fanout: Int, _ shape: KeyShape) throws {
  var dice = SplitMix64(seed: 77)
  for count in [0, 1, 2, 5, 33, 300] {
    let ground = try Ground(fanout: fanout)
    defer { withExtendedLifetime(ground) {} }
    let truth = entries(kind, shape, count, &dice)
    let subject = try S.build(truth, fill: dice.pick([80, 100]), in: ground.transaction)
    var places = Set<UInt32>()
    #expect(subject.verify { places.formUnion($0.places) }.isEmpty)
    #expect(places == ground.live)
    #expect(subject.root.count == UInt64(truth.count))
    #expect(try subject.forward(in: subject.root) == truth)
    // The built tree can be changed.
    for entry in truth.shuffled(using: &dice).prefix(truth.count / 2) { #expect(try subject.remove(entry.key)) }
    #expect(subject.verify { _ in }.isEmpty)
  }
}

@Suite struct BuildTests {
  @Test(arguments: [4, 5, Int.max], KeyShape.allCases)
  func `a byte tree is built bottom up from a sorted stream`(fanout: Int, shape: KeyShape) throws {
    try build(ByteSubject.self, fanout, shape)
  }

  @Test(arguments: [4, 5, Int.max], KeyShape.allCases)
  func `an integer tree is built bottom up from a sorted stream`(fanout: Int, shape: KeyShape) throws {
    try build(IntegerSubject.self, fanout, shape)
  }

  /// Before the fix, the error said that the store was damaged, and advised restoring a backup.
  @Test func `a stream that does not ascend is refused, but not as damage`() throws {
    let ground = try Ground()
    defer { withExtendedLifetime(ground) {} }
    let builder = IntegerTreeBuilder(id: 9, in: ground.transaction)
    try builder.append(5, UnsafeRawBufferPointer(start: nil, count: 0))
    let code = failure { () throws(StoreError) in
      try builder.append(5, UnsafeRawBufferPointer(start: nil, count: 0))
    }
    #expect(code == .unsortedKeys)
    let bytes = ByteTreeBuilder(id: 7, in: ground.transaction)
    try borrow([2]) { key throws(StoreError) in try bytes.append(key, UnsafeRawBufferPointer(start: nil, count: 0)) }
    let other = failure { () throws(StoreError) in
      try borrow([1, 9]) { key throws(StoreError) in
        try bytes.append(key, UnsafeRawBufferPointer(start: nil, count: 0))
      }
    }
    #expect(other == .unsortedKeys)
  }

  @Test func `a built tree is full`() throws {
    let ground = try Ground()
    defer { withExtendedLifetime(ground) {} }
    let value = [UInt8](repeating: 1, count: 8)
    let truth = (0..<5000).map { number in
      // A long common prefix, which must not prevent full nodes.
      Entry(
        key: [UInt8](repeating: 7, count: 100) + (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) },
        value: value)
    }
    let subject = try ByteSubject.build(truth, fill: 100, in: ground.transaction)
    #expect(subject.verify { _ in }.isEmpty)
    // 18 bytes for each entry, and a little for the branches.
    #expect(ground.live.count * 4096 < 5000 * 23)
  }
}
