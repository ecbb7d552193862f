@testable import RoostPages
import RoostFile
import RoostTestSupport
import RoostTrees
import Testing

/// Keys in the order of an index's insertions: sorted within a step, and ascending within groups of
/// equal values.
@Suite struct RunTests {
  private struct Pile {
    let ground: Ground
    let subject: ByteSubject
    var truth: [[UInt8]: [UInt8]] = [:]

    init() throws {
      ground = try Ground()
      subject = ByteSubject(.empty, extents: 0, in: ground.transaction)
    }

    mutating func put(_ keys: [[UInt8]], _ dice: inout SplitMix64) throws {
      for key in keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        let value = [UInt8](repeating: 7, count: 1 + dice.below(3))
        let outcome = try subject.put(key, value)
        #expect(outcome == (truth[key] == nil ? .inserted : .replaced))
        truth[key] = value
      }
    }

    mutating func remove(_ keys: [[UInt8]]) throws {
      for key in keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        #expect(try subject.draft.removeExpected(key))
        truth[key] = nil
      }
    }

    func check() throws {
      var places = Set<UInt32>()
      #expect(subject.verify { places.formUnion($0.places) }.isEmpty)
      let sorted = truth.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { Entry(key: $0.key, value: $0.value) }
      #expect(try subject.forward(in: subject.root) == sorted)
      #expect(places == ground.live)
    }
  }

  @Test(arguments: 0..<6)
  func `runs between other keys fill their leaves`(seed: Int) throws {
    var (pile, dice) = (try Pile(), SplitMix64(seed: UInt64(seed)))
    let groups = (0..<5).map { _ in dice.bytes(2 + dice.below(40)) }
    var next = [UInt32](repeating: 0, count: groups.count)
    for round in 0..<12 {
      var keys: [[UInt8]] = []
      for group in groups.indices {
        for _ in 0..<150 + dice.below(150) {
          next[group] += 1 + UInt32(dice.below(3))
          keys.append(groups[group] + withUnsafeBytes(of: next[group].bigEndian) { [UInt8]($0) })
        }
      }
      try pile.put(keys, &dice)
      if round % 3 == 2 { try pile.ground.advance() }
      if round % 4 == 3 { try pile.check() }
    }
    let shape = try pile.subject.draft.tree.shape(samples: 1000)
    #expect(shape.fill > 0.8, "\(shape.leaves) leaves are \(shape.fill) full")
  }

  @Test(arguments: 0..<6)
  func `sorted batches of random keys are added and removed`(seed: Int) throws {
    var (pile, dice) = (try Pile(), SplitMix64(seed: UInt64(seed)))
    let digits = Array("0123456789abcdef".utf8)
    for round in 0..<24 {
      let keys = (0..<500).map { _ in
        (0..<4 + dice.below(seed % 2 == 0 ? 40 : 4)).map { _ in digits[dice.below(digits.count)] }
      }
      try pile.put(keys, &dice)
      if round % 4 == 3 { try pile.remove(pile.truth.keys.filter { _ in dice.below(3) == 0 }) }
      if round % 2 == 1 { try pile.ground.advance() }
      if round % 8 == 7 { try pile.check() }
    }
    try pile.remove(Array(pile.truth.keys))
    #expect(pile.subject.root == .empty)
    #expect(pile.ground.live.isEmpty)
  }
}

extension ByteTreeDraft {
  fileprivate func removeExpected(_ key: [UInt8]) throws(StoreError) -> Bool {
    try borrow(key) { key throws(StoreError) in try removeExpected(key) }
  }
}
