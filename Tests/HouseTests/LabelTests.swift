import Testing

/// A call with three values without labels cannot be read without its declaration.
@Suite struct LabelTests {
  /// Returns the lines of functions and initializers in a text that take three or more values
  /// without a label. Public ones are left out, because programs use their labels.
  static func unlabelled(_ text: String) -> [Int] {
    let code = SourceNames.code(of: Array(text.utf8)).split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    var found: [Int] = []
    for (number, line) in code.enumerated() {
      let head = String(decoding: line, as: UTF8.self)
      for start in declarations(head) {
        let modifiers = head[..<start].split(separator: " ")
        if modifiers.contains("public") || modifiers.contains("open") { continue }
        let rest = [head[start...]] + code[(number + 1)...].prefix(40).map { Substring(decoding: $0, as: UTF8.self) }
        if labels(rest.joined(separator: " ")).count(where: { $0 == "_" }) > 2 { found.append(number + 1) }
      }
    }
    return found
  }

  /// The positions of the word `func`, or of an `init` that is declared, not called.
  private static func declarations(_ line: String) -> [String.Index] {
    line.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "." }.compactMap { word in
      word == "func" || word == "init" ? word.startIndex : nil
    }
  }

  /// Returns the first word of each parameter of the declaration at the beginning of a text.
  private static func labels(_ text: String) -> [Substring] {
    var labels: [Substring] = []
    var (angles, round, last) = (0, 0, Character(" "))
    var isNext = false
    var attribute = false
    for (place, character) in zip(text.indices, text) {
      defer { if character != " " { last = character } }
      switch character {
      case "<" where round == 0: angles += 1
      case ">" where round == 0 && last != "-": angles -= 1
      case "(", "[", "{":
        if round == 0, angles == 0, character == "{" { return labels }
        if angles == 0 { round += 1 }
        if round == 1, angles == 0 { isNext = true }
      case ")", "]", "}":
        if angles == 0 { round -= 1 }
        if round == 0, angles == 0 { return labels }
      case "," where round == 1: isNext = true
      case "@" where isNext: (attribute, isNext) = (true, false)
      case " " where attribute && round == 1: (attribute, isNext) = (false, true)
      case " ", "`": break
      default:
        if isNext { labels.append(text[place...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }) }
        isNext = false
      }
    }
    return labels
  }

  @Test(arguments: [
    ("func a(_ b: Int, _ c: Int, _ d: Int) {}", [1]),
    ("func a(_ b: Int, _ c: Int, d: Int) {}", []),
    ("\n  init(_ b: Int,\n    _ c: [Int: (Int, _: Int)],\n    _ d: Int\n  ) {", [2]),
    ("func a<B: C<D>>(_ b: inout B, _ c: @escaping (Int, Int) -> Void, @Box(2) _ d: Int)", [1]),
    ("func a(_ b: Int, _ c: Int)\nfunc e(_ d: Int)", []), ("let a = b.init(_c, _d, _e)", []),
    ("public func a(_ b: Int, _ c: Int, _ d: Int) {}", []), ("// func a(_ b: Int, _ c: Int, _ d: Int)", []),
    ("func a(_ b: Int) { let (_, _, _) = b }", []),
  ])
  func `which declarations count as unlabelled`(text: String, lines: [Int]) { #expect(Self.unlabelled(text) == lines) }

  @Test func `the third value of a call has a label`() {
    for source in HouseTests.sources {
      let lines = Self.unlabelled(source.text)
      #expect(lines.isEmpty, "\(source.path): lines \(lines)")
    }
  }
}
