import RoostPages
import RoostTestSupport
import Testing

/// A set of places, compared with a plain set.
@Suite struct PlaceSetTests {
  @Test(arguments: UInt64(1)...4) func `it has the same places as a set`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var places = PlaceSet()
    var model = Set<UInt32>()
    let bound = generator.pick([100, 5000, 40_000])
    for step in 0..<4000 {
      let place = UInt32(generator.below(bound))
      switch generator.below(6) {
      case 0, 1:
        let isNew = places.insert(place)
        #expect(isNew == model.insert(place).inserted)
      case 2:
        let was = places.remove(place)
        #expect(was == (model.remove(place) != nil))
      case 3:
        let lowest = model.min()
        let taken = places.takeLowest()
        #expect(taken == lowest)
        if let lowest { model.remove(lowest) }
      case 4:
        let word = Int(place) / 64
        let bits = generator.next() & generator.next()
        places.setWord(word, bits)
        for bit in 0..<64 {
          if bits >> UInt64(bit) & 1 == 1 {
            model.insert(UInt32(word * 64 + bit))
          } else {
            model.remove(UInt32(word * 64 + bit))
          }
        }
      default:
        #expect(places.contains(place) == model.contains(place))
        #expect(places.word(Int(place) / 64).nonzeroBitCount == model.count { $0 / 64 == place / 64 })
      }
      #expect(places.count == model.count, "seed \(seed), step \(step)")
    }
    while let lowest = places.takeLowest() {
      let was = model.remove(lowest)
      #expect(was == lowest)
    }
    #expect(model.isEmpty)
  }

  @Test(arguments: UInt64(1)...4) func `a run is the lowest of its length, within one slab`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var places = PlaceSet()
    var model = Set<UInt32>()
    for place in UInt32(16_000)..<17_500 where !generator.chance(1, in: 40) {
      places.insert(place)
      model.insert(place)
    }
    for _ in 0..<40 {
      let length = 1 + generator.below(60)
      let limit = UInt32(17_400)
      let expected = (UInt32(16_000)..<limit).first { start in
        start + UInt32(length) <= limit && (start..<start + UInt32(length)).allSatisfy { model.contains($0) }
          && start >> 14 == (start + UInt32(length) - 1) >> 14
      }
      let start = places.takeRun(length, below: limit)
      #expect(start == expected)
      if let expected { for place in expected..<expected + UInt32(length) { model.remove(place) } }
    }
  }

  @Test func `the tail is counted from the limit down`() {
    var places = PlaceSet()
    for place in UInt32(10)..<20 where place != 14 { places.insert(place) }
    #expect(places.tailLength(below: 20) == 5)
    #expect(places.tailLength(below: 21) == 0)
    #expect(places.tailLength(below: 14) == 4)
  }

  @Test func `the highest places of all do not overflow`() {
    var places = PlaceSet()
    let none = places.takeRun(3, below: .max - 1)
    #expect(none == nil)
    places.insert(5)
    places.insert(7)
    places.insert(9)
    let apart = places.takeRun(2, below: 20_000)
    #expect(apart == nil)
  }
}
