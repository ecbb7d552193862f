#if Postgres
  /// A name as SQL has it, without quotes.
  struct SQLName: Hashable, Sendable, CustomStringConvertible {
    let text: String

    /// The server cuts longer names, so that two of them could be one.
    static let longest = 63

    init(exactly text: String) { self.text = text }

    /// A name of Swift's in small letters: `OrderLine` becomes `order_line`.
    init(_ name: String) {
      var text = ""
      var last: Character?
      let letters = Array(name)
      for (place, letter) in letters.enumerated() {
        let next = place + 1 < letters.count ? letters[place + 1] : nil
        if letter.isUppercase, let last, last != "_", !last.isUppercase || next?.isLowercase == true { text += "_" }
        // A field of a subclass is called by both.
        text += letter == "/" ? "_" : letter.lowercased()
        last = letter == "/" ? "_" : letter
      }
      self.text = text
    }

    /// The name in quotes, so that it may be any.
    var description: String { "\"" + text.replacing("\"", with: "\"\"") + "\"" }

    func adding(_ more: String) -> SQLName { SQLName(exactly: text + more) }
  }
#endif
