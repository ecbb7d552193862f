#if Postgres
  internal import RoostQuery
  internal import RoostRecords

  /// Searches in texts.
  ///
  /// Swift compares characters, the server code points. A text that contains another one by characters contains it in normal form C too,
  /// because nothing is composed across the boundary of two characters. The converse holds for ASCII without a carriage return, where
  /// each byte is a character. So the program looks again at other texts in which the server finds something.
  extension ConditionWriter {
    func textTest(_ test: RoostQuery.Expression.TextTest, _ one: Term, _ two: Term) -> Written? {
      guard test != .containsLoosely, let text = value(one), let part = value(two), !text.isOptional, !part.isOptional
      else { return nil }
      let (whole, needle) = (key(text, .string), key(part, .string))
      let found =
        switch test {
        case .contains: "strpos(\(whole), \(needle)) > 0"
        case .starts, .hasPrefix: "starts_with(\(whole), \(needle))"
        case .hasSuffix, .containsLoosely: "right(\(whole), char_length(\(needle))) = \(needle)"
        }
      let isOther =
        "(octet_length(\(text.text)) <> char_length(\(text.text)) OR strpos(\(text.text), chr(13)) > 0)"
      var written = Written(
        "(\(found))",
        doubts: text.doubts + part.doubts + [Doubt(text: "((\(found)) AND \(isOther))", isFault: false)])
      written.includesDoubts = text.doubts.isEmpty && part.doubts.isEmpty
      return written
    }
  }
#endif
