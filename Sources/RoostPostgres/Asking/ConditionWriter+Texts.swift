#if Postgres
  internal import RoostQuery
  internal import RoostRecords

  /// Tests of texts.
  ///
  /// Swift compares characters, the server code points. In ASCII without a carriage return each
  /// byte is a character, so both agree. Other texts are in doubt, and the program tests them:
  ///
  /// | Test | Texts in doubt |
  /// |---|---|
  /// | `contains`, `hasPrefix`, `hasSuffix` | those that pass on the server |
  /// | `count` | all |
  /// | `localizedStandardContains`, `caseInsensitiveCompare`, `lowercased`, `uppercased`, `folded` | all that are not ASCII |
  ///
  /// If a text contains another one as characters, it also contains it in normal form C, because
  /// nothing is composed across the boundary of two characters. So a text that fails on the server
  /// fails in Swift too.
  extension ConditionWriter {
    /// A test that a text is not ASCII; nil if it is known to be ASCII.
    private static func isForeign(_ text: Written) -> String? {
      if case .string(let known)? = text.constant, known.utf8.allSatisfy({ $0 < 0x80 }) { return nil }
      return "octet_length(\(text.text)) <> char_length(\(text.text))"
    }

    /// A test that some byte of a text may not be a character.
    private static func isComposed(_ text: Written) -> String {
      "(octet_length(\(text.text)) <> char_length(\(text.text)) OR strpos(\(text.text), chr(13)) > 0)"
    }

    private static func doubt(_ texts: Written...) -> [Doubt] {
      texts.flatMap { text in
        text.doubts + (isForeign(text).map { [Doubt(text: "(\($0))", isFault: false)] } ?? [])
      }
    }

    private func lower(_ text: String) -> String { "lower(\(text) COLLATE \"C\")" }

    private func text(_ term: Term) -> Written? { value(term).flatMap { $0.isOptional ? nil : $0 } }

    func textTest(_ test: RoostQuery.Expression.TextTest, _ one: Term, two: Term) -> Written? {
      if test == .containsLoosely { return containsLoosely(one, two) }
      guard let text = text(one), let part = self.text(two) else { return nil }
      let (whole, needle) = (key(text, .string), key(part, .string))
      let found =
        switch test {
        case .contains, .containsLoosely: "(strpos(\(whole), \(needle)) > 0)"
        case .starts, .hasPrefix: "starts_with(\(whole), \(needle))"
        case .hasSuffix: "(right(\(whole), char_length(\(needle))) = \(needle))"
        }
      var written = Written(found, doubts: text.doubts + part.doubts)
      written.includesDoubts = written.doubts.isEmpty
      written.doubts.append(Doubt(text: "(\(found) AND \(Self.isComposed(text)))", isFault: false))
      return written
    }

    /// The part must be a constant, because the server cannot remove diacritical marks from it.
    private func containsLoosely(_ one: Term, _ two: Term) -> Written? {
      guard case .string(let known)? = two.constant, let text = text(one) else { return nil }
      let part = Folding.bytes(known, keepsMarks: false)
      // An empty part is never found.
      if part.isEmpty { return Written("false", doubts: text.doubts) }
      guard part.allSatisfy({ $0 < 0x80 && $0 > 0 }) else { return Written("false", doubts: Self.doubt(text)) }
      let needle = add(.text(String(decoding: part, as: UTF8.self)))
      return Written("(strpos(\(lower(text.text)), \(needle)) > 0)", doubts: Self.doubt(text))
    }

    func textOrder(_ order: RoostQuery.Expression.TextOrder, _ one: Term, two: Term) -> Written? {
      guard order == .caseless, let first = text(one), let second = text(two) else { return nil }
      let (left, right) = (lower(first.text), lower(second.text))
      return Written(
        "(CASE WHEN \(left) = \(right) THEN 0 WHEN \(left) < \(right) THEN -1 ELSE 1 END)",
        doubts: Self.doubt(first, second))
    }

    func changed(_ change: RoostQuery.Expression.TextChange, _ term: Term) -> Written? {
      // The server folds and changes the case of a text like Swift only in ASCII.
      guard let text = text(term) else { return nil }
      let function = change == .uppercased ? "upper" : "lower"
      return Written("\(function)(\(text.text) COLLATE \"C\")", doubts: Self.doubt(text))
    }

    func countOfText(_ term: Term) -> Written? {
      text(term).map {
        Written(
          "char_length(\($0.text))::bigint", doubts: $0.doubts + [Doubt(text: Self.isComposed($0), isFault: false)])
      }
    }
  }
#endif
