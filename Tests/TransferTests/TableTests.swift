import RoostRecords
import RoostTestSupport
import RoostTransfer
import Testing

/// Tables, as text.
@Suite struct TableTests {
  static func read(_ text: String, names: [String]? = ["a", "b"]) throws -> [Found] {
    try Reading.all(Array(text.utf8), .csv(names: names))
  }

  @Test func `cells, quotes and ends of lines`() throws {
    let found = try Self.read("1,x\r\n\"a \"\"b\"\", c\n\",\n\n,\"\"\rlast,")
    #expect(
      found == [
        .record([.bare("1"), .bare("x")]), .record([.text("a \"b\", c\n"), .bare("")]),
        .record([.bare(""), .text("")]), .record([.bare("last"), .bare("")]),
      ])
  }

  @Test func `the first line names the columns`() throws {
    let table = "\u{FEFF}id,\"the name\"\n1,é\n"
    let found = try Reading.all(MemoryInput(Array(table.utf8), piece: 1), .csv(), piece: 1)
    #expect(found.names == ["id", "the name"])
    #expect(found.found == [.record([.bare("1"), .bare("é")])])
    #expect(try Reading.all(MemoryInput([]), .csv()).names == nil)
  }

  @Test func `a table of one column has empty cells`() throws {
    #expect(
      try Self.read("x\n\n\"\"\n", names: ["a"]) == [.record([.bare("x")]), .record([.bare("")]), .record([.text("")])])
  }

  @Test(arguments: [
    ("1,2\n1,2,3\n4,5", [TransferFault.Code.columns], 2, 1), ("1,2\n1\n4,5", [.columns], 2, 1),
    ("1,2\na\"b,2\n4,5", [.syntax], 2, 2), ("1,2\n\"a\"b,2\n4,5", [.syntax], 2, 4),
    ("1,2\na\u{0},2\n4,5", [.syntax], 2, 2), ("1,2\n1,\"abc\n4,5", [.truncated], 2, 3),
  ])
  func `an error is reported with its place, and the next line is read`(
    _ text: String, _ codes: [TransferFault.Code], _ line: Int, _ column: Int
  ) throws {
    let found = try Self.read(text)
    #expect(
      found == [
        .record([.bare("1"), .bare("2")]), .fault(codes[0], line, column), .record([.bare("4"), .bare("5")]),
      ])
  }

  @Test func `text that is not UTF-8`() throws {
    let bytes = Array("1,2\n3,".utf8) + [0xC3, 0x28, 0x0A] + Array("4,5".utf8)
    let found = try Reading.all(bytes, .csv(names: ["a", "b"]))
    #expect(
      found == [
        .record([.bare("1"), .bare("2")]), .fault(.encoding, 2, 3), .record([.bare("4"), .bare("5")]),
      ])
    for head: [UInt8] in [[0xFF, 0xFE, 0x61, 0], [0xFE, 0xFF, 0, 0x61], [0x1F, 0x8B, 8, 0], [4, 0x22, 0x4D, 0x18]] {
      let fault = #expect(throws: TransferFault.self) { try Reading.all(head, .csv()) }
      #expect(fault?.code == .encoding)
    }
  }

  @Test func `a first line without names, or with a name twice`() throws {
    for (text, code) in [
      ("a,,c\n1,2,3", TransferFault.Code.missing), ("a,b,a\n1,2,3", .duplicate), ("\"a", .truncated),
    ] {
      let fault = #expect(throws: TransferFault.self) { try Reading.all(Array(text.utf8), .csv()) }
      #expect(fault?.code == code)
    }
  }

  @Test func `bounds`() throws {
    var limits = TransferLimits()
    limits.fieldBytes = 4
    limits.columns = 3
    limits.recordBytes = 40
    func read(_ text: String, piece: Int = 1 << 18) throws -> [Found] {
      try Reading.all(Array(text.utf8), .csv(names: ["a", "b"]), limits: limits, piece: piece)
    }
    #expect(try read("12345,2\n1,2") == [.fault(.tooLarge, 1, 1), .record([.bare("1"), .bare("2")])])
    #expect(try read("\"12345\",2") == [.fault(.tooLarge, 1, 1)])
    #expect(try read("1,2,3,4") == [.fault(.tooLarge, 1, 7)])
    let endless = "1,\"" + String(repeating: "x", count: 1000)
    let fault = #expect(throws: TransferFault.self) { try read(endless, piece: 16) }
    #expect(fault?.code == .tooLarge)
  }

  /// An open quote is followed as far as a record may reach. The lines after it are records again.
  /// Errors take memory, so a batch has a limited number of them, however much was read.
  @Test(arguments: [1 << 8, 1 << 12, 1 << 20], [1 << 9, 1 << 14, .max])
  func `lines after a quote that is never closed come in batches`(_ piece: Int, _ inputPiece: Int) throws {
    var limits = TransferLimits()
    limits.recordBytes = 20_000
    let middle = (0..<40_000).map { $0 % 7 == 0 ? "\($0),y\n" : "x\n" }.joined()
    let text = "a,b\n1,\"2\n" + middle + "3,4\n5"
    let reader = try TextReader(
      MemoryInput(Array(text.utf8), piece: inputPiece), .csv(), limits: limits, piece: piece)
    let batch = try RecordBatch()
    var (lines, faults): ([Int], Int) = ([], 0)
    var ends: [UInt64] = []
    while try reader.next(batch) {
      let wrong = batch.records.count { $0.fault != nil }
      #expect(wrong <= 1000 && batch.records.count <= 7200)
      faults += wrong
      lines += batch.records.map(\.line)
      ends.append(batch.inputEnd)
    }
    #expect(lines == Array(2...40_004) && faults == 40_000 - 5715 + 2)
    #expect(ends == ends.sorted() && ends.last == UInt64(text.utf8.count) && ends.count > 30)
  }

  @Test func `a batch has at most its limit of errors, in lines of objects and in lists`() throws {
    let good = "{\"a\": 1}"
    for (format, text) in [
      (TextFormat.jsonLines, String(repeating: "{\n", count: 5000) + good),
      (.json, "[" + String(repeating: "1,", count: 5000) + good + "]"),
    ] {
      let reader = try TextReader(MemoryInput(Array(text.utf8)), format)
      let batch = try RecordBatch()
      var counts: [Int] = []
      while try reader.next(batch) { counts.append(batch.records.count) }
      #expect(counts == [1000, 1000, 1000, 1000, 1000, 1])
    }
  }

  /// Writes random tables, and reads them in pieces of any size. Then some bytes are changed, and
  /// the size of the pieces must not matter.
  @Test(arguments: 1...60)
  func `a table by seed`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let (columns, delimiter) = (Int.random(in: 1...5, using: &random), [",", ";", "\t"].randomElement(using: &random)!)
    let parts = ["a", "\"", delimiter, "\n", "\r\n", "é", "👩‍👧", " ", "0"]
    var text = ""
    var expected: [Found] = []
    for _ in 0..<Int.random(in: 0...30, using: &random) {
      var cells: [Plain] = []
      for column in 0..<columns {
        let cell = (0..<Int.random(in: 0...6, using: &random)).map { _ in parts.randomElement(using: &random)! }
          .joined()
        let isPlain =
          !cell.contains { "\"\n\r\r\n".contains($0) || String($0) == delimiter } && Bool.random(using: &random)
        // An empty line would not be a record.
        let isBare = isPlain && (columns == 1 ? true : column > 0 || !cell.isEmpty)
        text += column > 0 ? delimiter : ""
        text += isBare ? cell : "\"" + cell.replacing("\"", with: "\"\"") + "\""
        cells.append(isBare ? .bare(cell) : .text(cell))
      }
      text += ["\n", "\r\n"].randomElement(using: &random)!
      expected.append(.record(cells))
    }
    let format = TextFormat.csv(delimiter: delimiter.utf8.first!, names: (0..<columns).map { "c\($0)" })
    var bytes = Array(text.utf8)
    func read() -> [Found] {
      let piece = Int.random(in: 1...40, using: &random)
      let inputPiece = Int.random(in: 1...20, using: &random)
      return (try? Reading.all(bytes, format, piece: piece, inputPiece: inputPiece)) ?? [.fault(.unknown, nil, nil)]
    }
    #expect(read() == expected, "seed \(seed)")
    for _ in 0..<20 where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0...2, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.insert(Array("\"\n,\r".utf8).randomElement(using: &random)!, at: place)
      default: bytes.remove(at: place)
      }
      #expect(read() == read(), "seed \(seed)")
    }
  }
}
