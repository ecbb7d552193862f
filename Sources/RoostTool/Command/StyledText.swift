/// The text of a line, with styles for parts of it.
///
/// Styles are separate from the text, so no text of a store can be mistaken for one.
struct StyledText: ExpressibleByStringInterpolation {
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
    mutating func appendInterpolation(_ words: StyledText) { parts += words.parts }
    mutating func appendInterpolation(_ value: some Any) { parts.append(Part(text: "\(value)")) }
  }

  static func + (one: StyledText, other: StyledText) -> StyledText {
    var sum = one
    sum.parts += other.parts
    return sum
  }

  static func + (one: StyledText, text: String) -> StyledText { one + StyledText(text) }
  static func += (one: inout StyledText, other: StyledText) { one.parts += other.parts }
}
