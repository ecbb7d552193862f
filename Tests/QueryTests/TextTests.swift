import RoostQuery
import RoostRecords
import RoostTestSupport
import Testing

/// Texts as Swift's own functions compare them. Foundation is not imported here, so these are the
/// standard library's functions.
@Suite("Texts") struct TextTests {
  static let long = String(repeating: "x", count: 512)

  static let texts = [
    "", "a", "A", "ab", "abc", "aB", "b", "ba", "\u{e9}", "e\u{301}", "\u{c9}", "e", "e\u{301}\u{323}",
    "e\u{323}\u{301}",
    "\u{e9}a", "\u{df}", "ss", "SS", "\u{1e9e}", "\u{3c2}", "\u{3c3}", "\u{3a3}", "\u{130}", "i\u{307}", "\u{131}", "i",
    "I", "\r\n", "\r", "\n", "a\r\nb", "a\r", "\nb", "a\n", "\u{0}", "a\u{0}", "a\u{0}b", "\u{212b}", "\u{e5}",
    "a\u{30a}",
    "\u{1f469}\u{200d}\u{1f467}", "\u{1f469}", "\u{1f467}", "\u{200d}", "\u{ac00}", "\u{1100}\u{1161}", "\u{1100}",
    "\u{fb01}",
    "fi", "10", "9", long, long + "a", long + "b", String(repeating: "\u{e9}", count: 300),
    String(repeating: "e\u{301}", count: 300), "\u{301}", "\u{1f1e9}\u{1f1ea}", "\u{1f1e9}",
    "K", "\u{212a}", ";", "\u{37e}", "`", "\u{1fef}", "\u{600}a", "\u{600}", "a\u{200d}b", "\u{e9}a\u{301}a",
  ]

  let things: Things

  init() throws { things = try Things(Self.texts.map { ["text": .string($0), "other": .string($0)] }) }

  /// The numbers of the rows for which the test is true, from 1.
  private func rows(_ isIn: (String) -> Bool) -> [Int] {
    Self.texts.enumerated().filter { isIn($0.element) }.map { $0.offset + 1 }
  }

  /// The rows that the program and the interpreter find.
  private func found(_ condition: Expression) throws -> [Int] {
    try things.store.read { reader in
      let ground = Ground(reader)
      let term = try Checker.condition(condition, reader.catalog, entity: things.thing)
      let program = try Program(condition: term, ground, things.thing)
      var interpreter = Interpreter(ground, things.thing)
      var cursor = try ground.table(things.thing).cursor()
      var found: [Int] = []
      while try cursor.next() {
        let row = try cursor.row()
        let holds = try program.test(row)
        #expect(try interpreter.test(term, row.id) == holds, "row \(row.id.number)")
        if holds { found.append(Int(row.id.number)) }
      }
      return found
    }
  }

  private func check(_ condition: Expression, _ isIn: (String) -> Bool, _ context: String) throws {
    let (found, wanted) = (try found(condition), rows(isIn))
    #expect(found == wanted, "\(context.debugDescription)")
  }

  @Test(arguments: texts) func `substrings are found by characters`(part: String) throws {
    try check(.text(.contains, things("text"), text(part)), { $0.contains(part) }, part)
    try check(.text(.starts, things("text"), text(part)), { $0.starts(with: part) }, part)
    try check(.text(.hasPrefix, things("text"), text(part)), { $0.hasPrefix(part) }, part)
    try check(.text(.hasSuffix, things("text"), text(part)), { $0.hasSuffix(part) }, part)
    // And with exchanged sides: the row holds the substring.
    try check(.text(.contains, text(part), things("other")), { part.contains($0) }, part)
    try check(.text(.hasPrefix, text(part), things("other")), { part.hasPrefix($0) }, part)
    try check(.text(.hasSuffix, text(part), things("other")), { part.hasSuffix($0) }, part)
  }

  /// With characters that combine or have several encodings, so that bytes are not enough.
  @Test(arguments: 1...8 as ClosedRange<UInt64>) func `random substrings are found by characters`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let letters: [Unicode.Scalar] = [
      "a", "b", "a", "b", "K", ";", "`", "\u{301}", "\u{37e}", "\u{212a}", "\u{1fef}", "\r", "\n", "\u{200d}",
      "\u{600}", "\u{e9}", "\u{1f469}",
    ]
    func make(_ most: Int) -> String {
      var text = String.UnicodeScalarView()
      for _ in 0..<random.below(most + 1) { text.append(random.pick(letters)) }
      return String(text)
    }
    let wholes = (0..<60).map { _ in make(14) }
    let things = try Things(wholes.map { ["text": .string($0)] })
    for _ in 0..<60 {
      let part = make(3)
      func expect(_ test: Expression.TextTest, _ isIn: (String) -> Bool) throws {
        let wanted = wholes.enumerated().filter { isIn($0.element) }.map { $0.offset + 1 }
        let found = try things.rows(.text(test, things("text"), text(part)))
        #expect(found == wanted, "seed \(seed), \(test) \(part.debugDescription)")
      }
      try expect(.contains) { $0.contains(part) }
      try expect(.starts) { $0.starts(with: part) }
      try expect(.hasPrefix) { $0.hasPrefix(part) }
      try expect(.hasSuffix) { $0.hasSuffix(part) }
    }
  }

  /// One search may exclude all of them, if they differ by case alone.
  @Test(arguments: 1...6 as ClosedRange<UInt64>) func `a search for several substrings finds each of them`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    let letters = ["l", "L", "o", "O", "v", "e", "K", "k", "\u{212a}", "\u{301}", "[", "{", "@", "`", "\r\n", "\u{e9}"]
    func make(_ most: Int) -> String { (0...random.below(most)).map { _ in random.pick(letters) }.joined() }
    func cased(_ text: String) -> String {
      text.map { random.chance(1, in: 2) ? $0.uppercased() : $0.lowercased() }.joined()
    }
    let wholes = (0..<80).map { _ in make(40) } + ["", "love", "LOVE", "a love", "loVE"]
    let things = try Things(wholes.enumerated().map { ["text": .string($0.element), "int": .int(Int64($0.offset))] })
    for _ in 0..<60 {
      let part = random.chance(1, in: 2) ? "love" : make(3)
      var parts = (0..<random.below(4) + 1).map { _ in cased(part) }
      if random.chance(1, in: 4) { parts.append(random.chance(1, in: 2) ? make(2) : "") }
      let least = Int64(random.below(40))
      let some = Expression.or(parts.map { .text(.contains, things("text"), text($0)) })
      func check(_ condition: Expression, _ isIn: (Int, String) -> Bool) throws {
        let wanted = wholes.enumerated().filter { isIn($0.offset, $0.element) }.map { $0.offset + 1 }
        #expect(try things.rows(condition) == wanted, "seed \(seed), \(parts.map(\.debugDescription))")
      }
      func holds(_ whole: String) -> Bool { parts.contains { whole.contains($0) } }
      let isLater = Expression.compare(.greater, things("int"), int(least))
      try check(some) { holds($1) }
      try check(.not(some)) { !holds($1) }
      try check(.and([isLater, some])) { $0 > least && holds($1) }
      try check(.and([some, isLater])) { $0 > least && holds($1) }
      try check(.or([isLater, some])) { $0 > least || holds($1) }
      try check(.or([some, isLater])) { $0 > least || holds($1) }
      try check(.or([.and([isLater, some]), .text(.contains, things("text"), text("LOVE"))])) {
        $0 > least && holds($1) || $1.contains("LOVE")
      }
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>) func `a byte search finds what a search at each place finds`(
    seed: UInt64
  ) {
    var random = SplitMix64(seed: seed)
    let letters: [UInt8] = [0, 1, 65, 97, 66, 98, 64, 96, 91, 123, 128, 255]
    for _ in 0..<3000 {
      let kinds = 1 + random.below(letters.count)
      let text = (0..<random.below(50)).map { _ in letters[random.below(kinds)] }
      let part = (0..<1 + random.below(12)).map { _ in letters[random.below(kinds)] }
      let begin = random.below(text.count + 1)
      let small = part.map(Self.lower)
      let found = text.withUnsafeBytes { text in
        part.withUnsafeBytes { ByteSearch.place(of: $0, in: text, from: begin) }
      }
      let isThere = text.withUnsafeBytes { text in
        small.withUnsafeBytes { ByteSearch.containsCaseless(text, $0) }
      }
      let places = 0..<max(0, text.count - part.count + 1)
      #expect(found == places.first { $0 >= begin && Array(text[$0..<$0 + part.count]) == part })
      #expect(isThere == places.contains { text[$0..<$0 + part.count].map(Self.lower) == small })
    }
  }

  private static func lower(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }

  @Test(arguments: texts) func `texts are equal and members as in Swift`(other: String) throws {
    try check(.compare(.equal, things("text"), text(other)), { $0 == other }, other)
    try check(.compare(.notEqual, text(other), things("text")), { $0 != other }, other)
    try check(.contains(array([.string(other)], of: .string), things("text")), { $0 == other }, other)
    try check(
      .contains(set([.string(other), .string("b")], of: .string), things("text")), { $0 == other || $0 == "b" }, other)
  }

  /// Swift's `<` compares raw lengths if the normal form of one text is a prefix of the other's.
  /// With é as one scalar in `a` and as two in `b`, `a == b` and `a < a + "a"`, but `a + "a" < b`.
  /// No sort order can follow that. Everywhere else both agree.
  @Test(arguments: texts) func `texts are ordered as in Swift, where Swift has an order`(other: String) throws {
    func isBegun(_ one: String) -> Bool {
      one != other && (one.hasPrefix(other) || other.hasPrefix(one)) && !(one + other).utf8.allSatisfy { $0 < 128 }
    }
    for comparison in [Expression.Comparison.less, .lessOrEqual, .greater, .greaterOrEqual] {
      let found = Set(try found(.compare(comparison, things("text"), text(other))))
      for (index, one) in Self.texts.enumerated() where !isBegun(one) {
        let wanted =
          switch comparison {
          case .less: one < other
          case .lessOrEqual: one <= other
          case .greater: one > other
          default: one >= other
          }
        #expect(
          found.contains(index + 1) == wanted, "\(one.debugDescription) \(comparison.sign) \(other.debugDescription)")
      }
    }
  }

  @Test func `a prefix of a text sorts before it in every encoding`() throws {
    let (one, two) = (String(repeating: "\u{e9}", count: 300), String(repeating: "e\u{301}", count: 300))
    #expect(TextComparing.isLess(one, one + "a") && TextComparing.isLess(two, one + "a"))
    #expect(!TextComparing.isLess(one + "a", two) && !TextComparing.isLess(one, two) && !TextComparing.isLess(two, one))
  }

  @Test func `texts change their case`() throws {
    for other in Self.texts {
      try check(
        .compare(.equal, .changed(.lowercased, things("text")), text(other.lowercased())),
        {
          $0.lowercased() == other.lowercased()
        }, other)
      try check(
        .compare(.equal, .changed(.uppercased, things("text")), text(other.uppercased())),
        {
          $0.uppercased() == other.uppercased()
        }, other)
    }
  }

  @Test func `texts are counted in characters`() throws {
    for count in 0...3 {
      try check(.compare(.equal, .count(things("text")), int(Int64(count))), { $0.count == count }, "\(count)")
    }
    try check(.isEmpty(things("text")), { $0.isEmpty }, "empty")
  }

  @Test func `regular expressions`() throws {
    try check(.matches(things("text"), "^[ab]+$"), { $0.contains(/^[ab]+$/) }, "^[ab]+$")
    try check(.matches(things("text"), "x{512}a"), { $0.contains(/x{512}a/) }, "x{512}a")
    try check(.matches(things("text"), "(?i)é"), { $0.contains(/(?i)é/) }, "(?i)é")
    try check(.matches(things("text"), ""), { _ in true }, "")
    #expect(try things.answer(.matches(things("text"), "(")) == .refused(.badPattern))
    #expect(try things.fault(.matches(things("text"), "a("))?.part == "$0.text.contains(/a(/)")
    #expect(try things.answer(.matches(things("int"), "a")) == .refused(.wrongType))
    // A search cannot be interrupted, so the size of texts is limited.
    for (count, answer) in [(65_536, Things.Answer.yes), (65_537, .fault(.tooLong))] {
      let long = try Things([["text": .string(String(repeating: "a", count: count))]])
      #expect(try long.answer(.matches(long("text"), "a$"), row: 1) == answer, "\(count)")
    }
  }

  @Test func `a text that is stored outside its row is read`() throws {
    let wide = String(repeating: "w", count: 20_000)
    let things = try Things([
      ["text": .string(wide + "a")], ["text": .string(wide + "b"), "next": .reference(RowID(1))],
    ])
    #expect(try things.rows(.text(.hasSuffix, things("text"), text("a"))) == [1])
    #expect(try things.rows(.compare(.equal, things("text", of: things("next")), text(wide + "a"))) == [2])
    #expect(try things.rows(.compare(.greater, things("text"), text(wide + "a"))) == [2])
  }
}
