import RoostTestSupport
import Testing

@testable import RoostRecords

/// Pending changes of an index, compared with a plain array.
@Suite struct PendingEntriesTests {
  private struct Expected: Equatable {
    var key: [UInt8]
    var value: [UInt8]?
    var number: Int
  }

  private enum Shape: CaseIterable {
    /// Keys that differ early, that share a prefix, of few kinds, that all come twice, that come in
    /// reverse order.
    case random, shared, few, twice, backwards, short
  }

  private static func key(_ shape: Shape, _ number: Int, of count: Int, _ generator: inout SplitMix64) -> [UInt8] {
    switch shape {
    case .random: (0..<12).map { _ in UInt8(generator.below(256)) }
    case .shared: Array("the same beginning".utf8) + (0..<3).map { _ in UInt8(generator.below(256)) }
    case .few: Array("genre \(generator.below(5))".utf8) + [UInt8(number >> 8 & 255), UInt8(number & 255)]
    case .twice: Array("key \(generator.below(max(1, count / 2)))".utf8)
    case .backwards: Array("equal in front".utf8) + [UInt8((count - number) >> 8 & 255), UInt8((count - number) & 255)]
    case .short: (0..<generator.below(4)).map { _ in UInt8(generator.below(3)) }
    }
  }

  @Test(arguments: [0, 1, 2, 39, 40, 41, 700, 5000], UInt64(1)...3)
  func `changes come in the order of their keys and are found by them`(count: Int, seed: UInt64) {
    for shape in Shape.allCases {
      var generator = SplitMix64(seed: seed)
      var pending = PendingEntries(isFindable: true)
      // A second round shows that the first one leaves nothing.
      for _ in 0..<2 {
        var expected: [Expected] = []
        for number in 0..<count {
          let key = Self.key(shape, number, of: count, &generator)
          let value = generator.chance(1, in: 4) ? nil : (0..<generator.below(4)).map { _ in UInt8(number & 255) }
          expected.append(Expected(key: key, value: value, number: number))
          key.withUnsafeBytes { key in
            if let value { value.withUnsafeBytes { pending.put(key, $0) } } else { pending.remove(key) }
          }
        }
        for one in expected.suffix(50) {
          let newest = expected.last { $0.key == one.key }
          one.key.withUnsafeBytes { key in
            switch pending.find(key) {
            case .nothing: Issue.record("\(shape): a change is not found")
            case .removed: #expect(newest?.value == nil)
            case .value(let value): #expect(newest?.value == [UInt8](value))
            }
          }
        }
        let isThere = Array("nobody has this".utf8).withUnsafeBytes { key in
          if case .nothing = pending.find(key) { false } else { true }
        }
        #expect(!isThere, "\(shape): found what is not there")
        pending.sort()
        expected.sort { one, other in
          if one.key == other.key { return one.number < other.number }
          return one.key.lexicographicallyPrecedes(other.key)
        }
        let found = pending.count
        #expect(found == count)
        let isRight = (0..<pending.count).allSatisfy { place in
          let change = pending.change(place)
          return [UInt8](change.key) == expected[place].key && change.value.map { [UInt8]($0) } == expected[place].value
        }
        #expect(isRight, "\(shape), \(count), seed \(seed)")
        pending.clear()
        let isEmpty = pending.isEmpty
        #expect(isEmpty)
      }
    }
  }
}
