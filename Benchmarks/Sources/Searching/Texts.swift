/// The source of the benchmark's texts.
protocol TextSource {
  var count: Int { get }
  var wordCount: Int { get }
  /// Whether a generator made them. Then both engines must give the same answers. They split some
  /// other texts differently.
  var isMade: Bool { get }
  func title(_ number: Int) -> String
  func body(_ number: Int) -> String
  /// The word of a rank; 0 is the most frequent one.
  func word(_ rank: Int) -> String
  /// Two adjacent words; nil if the caller should try again.
  func phrase(_ random: inout Random) -> String?
}

/// Texts of 50 to 500 words with the frequencies of a language: the word of rank r occurs 1/r as
/// often as the first.
struct Texts: TextSource {
  static let vocabulary = 50_000
  let count: Int
  var wordCount: Int { words.count }
  var isMade: Bool { true }
  private let words: [String]
  /// For each rank the share of all words up to it.
  private let shares: [Double]

  init(count: Int) {
    self.count = count
    var random = Random(seed: 1)
    let letters = Array("etaoinshrdlucmfwypvbgkjqxz")
    var seen: Set<String> = []
    while seen.count < Self.vocabulary {
      seen.insert(String((0..<(3 + random.below(8))).map { _ in letters[min(random.below(26), random.below(26))] }))
    }
    words = seen.sorted().shuffled(using: &random)
    var sum = 0.0
    let sums = (1...Self.vocabulary).map { rank -> Double in
      sum += 1 / Double(rank)
      return sum
    }
    shares = sums.map { $0 / sum }
  }

  func word(_ rank: Int) -> String { words[rank] }

  func phrase(_ random: inout Random) -> String? {
    let words = body(random.below(count)).split(separator: " ")
    let place = random.below(words.count - 1)
    return "\"\(words[place]) \(words[place + 1])\""
  }

  func title(_ number: Int) -> String {
    var random = Random(seed: UInt64(number) &* 2 &+ 100)
    return (0..<5).map { _ in next(&random) }.joined(separator: " ")
  }

  func body(_ number: Int) -> String {
    var random = Random(seed: UInt64(number) &* 2 &+ 101)
    return (0..<(50 + random.below(451))).map { _ in next(&random) }.joined(separator: " ")
  }

  private func next(_ random: inout Random) -> String {
    let share = Double(random.next() >> 11) / Double(1 << 53)
    var (low, high) = (0, shares.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if shares[middle] < share { low = middle + 1 } else { high = middle }
    }
    return words[low]
  }
}

/// SplitMix64.
struct Random: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
