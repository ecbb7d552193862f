/// A regular expression that texts are searched for.
///
/// One search cannot be ended, and for some expressions it takes time that grows with the square of the text or faster. So it gets texts of
/// a bounded length.
struct TextPattern {
  private let regex: Regex<AnyRegexOutput>
  private let pattern: String

  static var mostBytes: Int { 64 << 10 }

  init(_ pattern: String) throws {
    regex = try Regex(pattern)
    self.pattern = pattern
  }

  /// Whether a part of the text matches.
  func isFound(in text: UnsafeRawBufferPointer) throws(ConditionFault) -> Bool {
    guard text.count <= Self.mostBytes else {
      throw ConditionFault(
        .tooLong, "a text has \(text.count) bytes, and a regular expression is tested on \(Self.mostBytes) at most",
        in: "/\(pattern)/")
    }
    return String(decoding: text, as: UTF8.self).contains(regex)
  }
}
