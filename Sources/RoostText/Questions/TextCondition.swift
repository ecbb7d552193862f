/// The analyzed form of a question, as a tree.
indirect enum TextCondition: Sendable, Hashable {
  /// No row meets it: all words of the question are stop words.
  case nothing
  case phrase(TextPhrase)
  /// All phrases with at most `gap` terms between them, in one field.
  case near([TextPhrase], gap: Int)
  case all([TextCondition])
  case any([TextCondition])
  /// The rows of the first condition without those of the second.
  case without(TextCondition, TextCondition)
}

/// Terms that a row has at fixed distances in one field. Most phrases have one term.
struct TextPhrase: Sendable, Hashable {
  struct Part: Sendable, Hashable {
    var term: [UInt8]
    /// The distance from the first term.
    var offset: Int
    var isPrefix = false
  }

  var parts: [Part]
  /// The fields that count, one bit each.
  var fields: UInt32
}
