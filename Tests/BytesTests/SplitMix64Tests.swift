import RoostTestSupport
import Testing

@Suite struct SplitMix64Tests {
  /// The published numbers of the generator for this seed.
  @Test func `a seed always gives the same numbers`() {
    var generator = SplitMix64(seed: 1_234_567)
    #expect(generator.next() == 6_457_827_717_110_365_317)
    #expect(generator.next() == 3_203_168_211_198_807_973)
    #expect(generator.next() == 9_817_491_932_198_370_423)
  }

  @Test func `draws stay below their bound and reach every outcome`() {
    var generator = SplitMix64(seed: 3)
    var counts = [Int](repeating: 0, count: 7)
    for _ in 0..<7000 { counts[generator.below(7)] += 1 }
    #expect(counts.allSatisfy { (850...1150).contains($0) }, "\(counts)")
  }

  @Test func `a fill of any length leaves no byte out`() {
    for count in 0..<40 {
      var generator = SplitMix64(seed: 5)
      var longer = SplitMix64(seed: 5)
      #expect(generator.bytes(count) == Array(longer.bytes(48)[..<count]))
    }
  }
}
