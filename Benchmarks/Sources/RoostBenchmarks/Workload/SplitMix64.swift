/// The generator of every workload: small, quick, and equal on every machine.
struct SplitMix64 {
  /// The published seed of all Roost benchmarks.
  static let seed: UInt64 = 20_240_601

  private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15
  private var state: UInt64

  init(seed: UInt64 = SplitMix64.seed) {
    state = seed
  }

  mutating func next() -> UInt64 {
    defer { state &+= Self.step }
    return Self.mix(state)
  }

  /// A number in `0..<bound`, by multiplication instead of division.
  mutating func next(below bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// The word for `number`, without any state, so that a key determines its value.
  @inline(__always)
  static func mix(_ number: UInt64) -> UInt64 {
    var word = number &+ step
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
