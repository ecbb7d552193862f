/// The pairs of the tour's store, each known from its number alone, so that every answer can be checked.
struct Flock {
  static let tree = "birds"
  private static let kinds = [
    "house martin", "barn swallow", "starling", "jackdaw", "rook", "house sparrow", "collared dove", "common swift",
  ]

  var count: Int
  /// Pairs are put in this order of numbers, which is not the order of their keys.
  private let step: Int

  init(count: Int) {
    self.count = count
    // A step without a common divisor visits every number once.
    var step = count * 618 / 1000 + 1
    while Flock.divisor(step, count) != 1 { step += 1 }
    self.step = step
  }

  private static func divisor(_ left: Int, _ right: Int) -> Int {
    var (left, right) = (left, right)
    while right != 0 { (left, right) = (right, left % right) }
    return left
  }

  /// The number that is put at this turn.
  func number(at turn: Int) -> Int { turn % count * step % count }

  static func key(_ number: Int) -> [UInt8] { Array("bird/".utf8) + digits(number) }

  private static func digits(_ number: Int) -> [UInt8] {
    var digits = [UInt8](repeating: UInt8(ascii: "0"), count: 10)
    var rest = number
    for place in digits.indices.reversed() where rest > 0 {
      digits[place] += UInt8(rest % 10)
      rest /= 10
    }
    return digits
  }

  /// `4f0c61d2a9b3e875 house martin, 18 g`
  static func value(_ number: Int) -> [UInt8] {
    let ring = mixed(UInt64(number))
    let text = " \(kinds[Int(ring % 8)]), \(ring / 8 % 90 + 10) g"
    return ringBytes(number) + Array(text.utf8)
  }

  /// The first bytes of a value, which no other value has.
  static func ringBytes(_ number: Int) -> [UInt8] {
    let ring = mixed(UInt64(number))
    let letters = Array("0123456789abcdef".utf8)
    return (0..<16).map { letters[Int(ring >> UInt64(60 - 4 * $0) & 15)] }
  }

  /// A number that looks like chance; no two are alike.
  static func mixed(_ number: UInt64) -> UInt64 {
    var word = number &+ 0x9E37_79B9_7F4A_7C15
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
