#if Postgres
  /// A name in SQL, without quotes.
  struct SQLName: Hashable, Sendable, CustomStringConvertible {
    let text: String

    /// The server truncates longer names, so that two of them could become equal.
    static let longest = 63

    init(exactly text: String) { self.text = text }

    /// A Swift name in lowercase letters: `OrderLine` becomes `order_line`.
    init(_ name: String) {
      var text = ""
      var last: Character?
      let letters = Array(name)
      for (place, letter) in letters.enumerated() {
        let next = place + 1 < letters.count ? letters[place + 1] : nil
        if letter.isUppercase, let last, last != "_", !last.isUppercase || next?.isLowercase == true { text += "_" }
        // The column of a subclass's field has the names of both.
        text += letter == "/" ? "_" : letter.lowercased()
        last = letter == "/" ? "_" : letter
      }
      self.text = text
    }

    /// The name in quotes, so that any text is allowed.
    var description: String { "\"" + text.replacing("\"", with: "\"\"") + "\"" }

    func adding(_ more: String) -> SQLName { SQLName(exactly: text + more) }
  }
#endif
