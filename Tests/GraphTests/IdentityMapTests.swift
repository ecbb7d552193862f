import RoostTestSupport
import Testing

@testable import RoostGraph

/// The map from rows to objects, compared with a dictionary.
@Suite struct IdentityMapTests {
  private final class Holder {}

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func `objects are found by their rows, with any reserved room`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let map = IdentityMap()
    var known: [UInt64: (object: Holder, ticket: UInt32)] = [:]
    for turn in 0..<4_000 {
      // Consecutive rows, rows a block apart, and random rows.
      let row =
        switch random.below(3) {
        case 0: UInt64(1 + random.below(200))
        case 1: UInt64(8 * (1 + random.below(200)))
        default: UInt64(1 + random.below(1 << 40))
        }
      switch random.below(10) {
      case 0: map.reserve(random.below(3_000))
      case 1, 2, 3:
        let row = known.keys.min { $0 ^ UInt64(turn) < $1 ^ UInt64(turn) } ?? row
        if let (_, ticket) = known.removeValue(forKey: row) {
          // A ticket of an earlier object changes nothing.
          map.remove(row, ticket &- 1)
          #expect(map.contains(row))
          map.remove(row, ticket)
        }
      default:
        if known[row] != nil { break }
        let object = Holder()
        known[row] = (object, map.put(row, object))
      }
      if turn % 50 == 0 { #expect(map.count == known.count, "seed \(seed), turn \(turn)") }
      #expect(map.object(row) === known[row]?.object, "seed \(seed), turn \(turn), row \(row)")
    }
    for (row, entry) in known { #expect(map.object(row) === entry.object, "seed \(seed), row \(row)") }
    #expect(map.objects().count == known.count)
  }

  @Test func `room for more objects than memory can hold is not reserved at once`() {
    let map = IdentityMap()
    map.reserve(.max)
    map.reserve(-1)
    let object = Holder()
    _ = map.put(1, object)
    #expect(map.object(1) === object && map.count == 1)
  }
}
