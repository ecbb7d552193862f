/// What a line says: text, some of it in a style.
///
/// A style is no part of the text, so nothing that a store holds can be taken for one.
struct Words: ExpressibleByStringInterpolation {
  struct Part {
    var text: String
    var style: Console.Style?
  }

  private(set) var parts: [Part] = []

  init(_ text: String, _ style: Console.Style? = nil) { parts = [Part(text: text, style: style)] }

  init(stringLiteral value: String) { self.init(value) }

  init(stringInterpolation: Interpolation) { parts = stringInterpolation.parts }

  struct Interpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: String) { if !literal.isEmpty { parts.append(Part(text: literal)) } }
    mutating func appendInterpolation(_ words: Words) { parts += words.parts }
    mutating func appendInterpolation(_ value: some Any) { parts.append(Part(text: "\(value)")) }
  }

  static func + (one: Words, other: Words) -> Words {
    var sum = one
    sum.parts += other.parts
    return sum
  }

  static func + (one: Words, text: String) -> Words { one + Words(text) }
  static func += (one: inout Words, other: Words) { one.parts += other.parts }
}
