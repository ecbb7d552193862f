/// The data and queries of the engine suite at one size. Each part is made once, when it is first
/// needed.
final class EngineWorkload {
  static let readers = 2

  let size: Int

  init(size: Int) {
    self.size = size
  }

  private(set) lazy var integers = IntegerRows(count: size)
  private(set) lazy var strings = StringRows(count: size)

  private(set) lazy var integerDigest = integers.digest
  private(set) lazy var stringDigest = strings.digest

  /// One for each reading thread, with different keys.
  private(set) lazy var integerProbes = (0..<Self.readers).map {
    IntegerProbes(size, among: integers, seed: SplitMix64.seed + 1 + UInt64($0))
  }

  private(set) lazy var stringProbes = StringProbes(size, among: strings, seed: SplitMix64.seed + 1)
}
