/// The unsynced changes that a crash keeps. It is written as a few characters that reproduce it.
///
/// The changes are numbered from 0 in the order of the calls that made them, in all files and
/// folders together.
package enum CrashChoice: Hashable, Sendable, LosslessStringConvertible {
  case none
  case all
  /// The first ones, this many.
  case prefix(Int)
  /// All but this one.
  case drop(Int)
  /// Only this one.
  case keep(Int)
  /// Those whose bit is set, of at most 64 changes.
  case mask(UInt64)
  /// A random subset; the seed also determines its size.
  case random(UInt64)
  /// A random subset, in which one to three sectors contain random bytes instead of the new ones.
  case garbage(UInt64)

  package var description: String {
    switch self {
    case .none: "none"
    case .all: "all"
    case .prefix(let count): "prefix:\(count)"
    case .drop(let index): "drop:\(index)"
    case .keep(let index): "keep:\(index)"
    case .mask(let bits): "mask:\(bits)"
    case .random(let seed): "random:\(seed)"
    case .garbage(let seed): "garbage:\(seed)"
    }
  }

  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let choice: CrashChoice? =
      switch (parts.first, parts.count) {
      case ("none", 1): CrashChoice.none
      case ("all", 1): .all
      case ("prefix", 2): Int(parts[1]).map { .prefix($0) }
      case ("drop", 2): Int(parts[1]).map { .drop($0) }
      case ("keep", 2): Int(parts[1]).map { .keep($0) }
      case ("mask", 2): UInt64(parts[1]).map { .mask($0) }
      case ("random", 2): UInt64(parts[1]).map { .random($0) }
      case ("garbage", 2): UInt64(parts[1]).map { .garbage($0) }
      default: nil
      }
    guard let choice else { return nil }
    self = choice
  }
}

/// The number of images that a test examines at one crash point.
package struct CrashPolicy: Sendable {
  /// Up to this number of changes, every subset is examined.
  package var exhaustiveUpTo: Int
  /// The most prefixes, drop-ones and keep-ones of each kind. If there are more, they are spread
  /// evenly.
  package var ofEach: Int
  package var randoms: Int
  package var garbage: Int
  package var seed: UInt64

  package init(exhaustiveUpTo: Int = 5, ofEach: Int = 16, randoms: Int = 32, garbage: Int = 4, seed: UInt64 = 1) {
    self.exhaustiveUpTo = exhaustiveUpTo
    self.ofEach = ofEach
    self.randoms = randoms
    self.garbage = garbage
    self.seed = seed
  }

  /// For long runs that examine an image after every call.
  package static let brief = CrashPolicy(exhaustiveUpTo: 3, ofEach: 3, randoms: 4, garbage: 1)

  /// The distinct choices for a crash point with `count` changes, of which `sectors` change bytes.
  func choices(count: Int, sectors: Int) -> [CrashChoice] {
    var generator = SplitMix64(seed: seed)
    var choices: [CrashChoice] = []
    if count <= min(exhaustiveUpTo, 16) {
      choices = (0..<UInt64(1) << UInt64(count)).map { .mask($0) }
    } else {
      choices = [.none, .all]
      choices += spread(1..<count).map { .prefix($0) }
      choices += spread(0..<count).map { .drop($0) }
      choices += spread(0..<count).map { .keep($0) }
      choices += (0..<randoms).map { _ in .random(generator.next()) }
    }
    if sectors > 0 { choices += (0..<garbage).map { _ in .garbage(generator.next()) } }
    return choices
  }

  /// At most `ofEach` numbers of the range, evenly spread, including both ends.
  private func spread(_ range: Range<Int>) -> [Int] {
    if range.count <= ofEach { return Array(range) }
    if ofEach < 2 { return ofEach < 1 ? [] : [range.lowerBound] }
    return (0..<ofEach).map { range.lowerBound + $0 * (range.count - 1) / (ofEach - 1) }
  }
}
