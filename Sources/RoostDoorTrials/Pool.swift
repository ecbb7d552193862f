internal import Foundation
internal import RoostTestSupport

/// A pool of values with many equal values, edge cases and variants of one value.
struct Pool {
  private var generator: SplitMix64
  /// Whether no number is so large that some sums overflow.
  private let isTame: Bool

  init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
    // If every second value were an edge case, nearly every sum would throw, and nothing else would
    // be tested.
    isTame = generator.below(3) > 0
  }

  mutating func coin() -> Bool { generator.below(2) == 0 }
  mutating func below(_ bound: Int) -> Int { generator.below(bound) }

  /// Returns a value of a type.
  mutating func value<Value>(_ type: Value.Type) -> Value {
    let found: Any =
      switch type {
      case is Int.Type: pick(isTame ? [0, 1, -1, 2, 3, 5, 7] : [0, 1, -1, 2, 7, .max, .min])
      case is Int8.Type: pick([0, 1, -1, 100, 127, -128] as [Int8])
      case is UInt8.Type: pick([0, 1, 2, 255] as [UInt8])
      case is Double.Type: pick([0, -0.0, 1, 0.5, -3, .nan, .infinity, -.infinity])
      case is Float.Type: pick([0, -0.0, 1, 0.5, .nan, .infinity] as [Float])
      case is Decimal.Type: pick([0, 1, -1, Decimal(sign: .plus, exponent: -1, significand: 5), 1000, .nan])
      case is Badge.Type: Badge(rawValue: pick(["a", "A", "b", "", "É"]))
      case is String.Type: pick(Self.texts)
      case is Bool.Type: coin()
      case is Date.Type: Date(timeIntervalSinceReferenceDate: pick([0, 1, -1, 0.25, 1e9]))
      case is UUID.Type: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(below(4))))
      case is Data.Type: pick([Data(), Data([0]), Data([1, 2]), Data([255])])
      case is Mood.Type: pick(Mood.allCases)
      default: preconditionFailure("no values of \(type) are known")
      }
    guard let found = found as? Value else { preconditionFailure("\(found) is no \(type)") }
    return found
  }

  mutating func optional<Value>(_ type: Value.Type) -> Value? { below(3) == 0 ? nil : value(type) }
  mutating func list<Value>(_ type: Value.Type) -> [Value] { (0..<below(4)).map { _ in value(type) } }

  mutating func extent() -> Extent {
    Extent(
      width: value(Int.self), label: value(String.self),
      depth: Depth(level: value(Int.self), word: optional(String.self)))
  }

  mutating func table() -> [String: Int] {
    var table: [String: Int] = [:]
    for _ in 0..<below(3) { table[pick(["a", "b", "é"])] = value(Int.self) }
    return table
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  /// Letters in composed and decomposed form, with marks, with several scalars in one character,
  /// and texts that are prefixes of others.
  private static let texts = [
    "", "a", "A", "b", "ab", "aB", "é", "e\u{301}", "É", "ß", "👩‍👧", "👩", "a\u{301}b", "áb", "Zoë", "zoe", "a b",
    "\u{301}",
    String(repeating: "a", count: 600),
  ]
}
