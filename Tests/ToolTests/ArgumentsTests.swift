import Testing

@testable import RoostTool

@Suite struct ArgumentsTests {
  private static let syntax = Syntax(
    operands: [Syntax.Operand(name: "path", help: "The store.")],
    options: [
      Syntax.Option(name: "json", help: "Print JSON."),
      Syntax.Option(name: "count", value: "n", help: "How many."),
    ])

  private func read(_ words: String...) throws(UsageError) -> Arguments {
    try Arguments(words, for: Self.syntax)
  }

  private func complaint(_ words: String...) -> String? {
    do throws(UsageError) {
      let arguments = try Arguments(words, for: Self.syntax)
      _ = try arguments.number("count", in: 1...1000)
      return nil
    } catch { return error.sentence }
  }

  @Test func `options and operands may be in any order`() throws {
    for words in [["a", "--json", "--count", "7"], ["--count=7", "--json", "a"], ["--count", "7", "a", "--json"]] {
      let arguments = try Arguments(words, for: Self.syntax)
      #expect(arguments.operands == ["a"])
      #expect(arguments.has("json"))
      #expect(try arguments.number("count", in: 1...1000) == 7)
    }
  }

  @Test func `a missing option is absent`() throws {
    let arguments = try read("a")
    #expect(!arguments.has("json"))
    #expect(try arguments.number("count", in: 1...1000) == nil)
  }

  @Test func `after two dashes everything is an operand`() throws {
    #expect(try read("--", "--json").operands == ["--json"])
    #expect(try read("-").operands == ["-"])
  }

  @Test func `help has precedence over errors`() throws {
    #expect(try read("--frob", "--help").wantsHelp)
    #expect(try read("-h").wantsHelp)
    #expect(try !read("--", "--help").wantsHelp)
  }

  @Test func `numbers may have separators`() throws {
    #expect(try read("a", "--count", "1_000").number("count", in: 1...1000) == 1000)
  }

  @Test func `an error names the word that it is about`() {
    #expect(complaint() == "Missing expected argument '<path>'")
    #expect(complaint("a", "b") == "Unexpected argument 'b'")
    #expect(complaint("a", "--frob") == "Unknown option '--frob'")
    #expect(complaint("a", "-json") == "Unknown option '-json'. Did you mean '--json'?")
    #expect(complaint("a", "--json=1") == "The flag '--json' takes no value")
    #expect(complaint("a", "--json", "--json") == "'--json' is given twice")
    #expect(complaint("a", "--count") == "Missing value for '--count <n>'")
    #expect(complaint("a", "--count=") == "Missing value for '--count <n>'")
    for wrong in ["x", "0", "1001", "-1", "99999999999999999999"] {
      #expect(complaint("a", "--count", wrong)?.hasPrefix("The value '\(wrong)' is invalid for '--count'") == true)
    }
  }
}

@Suite struct WordingTests {
  @Test func `counts have groups of three digits`() {
    #expect([0, 999, 1000, 1_234_567].map { ReadableNumber.count($0) } == ["0", "999", "1,000", "1,234,567"])
    #expect(ReadableNumber.count(-1234) == "-1,234")
    #expect([1, 2].map { ReadableNumber.count($0, "page") } == ["1 page", "2 pages"])
    #expect([1, 2].map { ReadableNumber.count($0, "leaf", nouns: "leaves") } == ["1 leaf", "2 leaves"])
  }

  @Test func `bytes and times have three digits`() {
    #expect(
      [0, 1, 1023, 1024, 9_555_968].map { ReadableNumber.bytes($0) } == [
        "0 bytes", "1 byte", "1,023 bytes", "1 KiB", "9.11 MiB",
      ])
    let times: [Duration] = [
      .nanoseconds(237), .nanoseconds(9860), .milliseconds(87), .milliseconds(1425), .seconds(100),
    ]
    #expect(times.map(ReadableNumber.time) == ["237 ns", "9.86 µs", "87 ms", "1.43 s", "100 s"])
  }

  @Test func `rates have no false precision`() {
    #expect(ReadableNumber.rate(100_000, in: .milliseconds(487)) == "205,000")
    #expect(ReadableNumber.rate(7, in: .seconds(1)) == "7")
  }
}
