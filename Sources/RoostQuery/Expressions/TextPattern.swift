/// A regular expression to search texts for.
///
/// One search cannot be interrupted, and the time of some expressions grows with the square of the
/// text or faster. The limit on the text's size prevents the worst cases. A bad expression may
/// still take minutes on a shorter text.
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
        .tooLong,
        "a text has \(text.count) bytes, and a regular expression is tested on texts of at most \(Self.mostBytes) bytes",
        in: "/\(pattern)/")
    }
    return String(decoding: text, as: UTF8.self).contains(regex)
  }
}
