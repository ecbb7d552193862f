import Foundation
import RoostImport
import RoostTestSupport
import SwiftData
import Testing

/// Invalid texts of every kind: each gives an error with its place and stores nothing.
@Suite struct ImportFaultTests {
  struct Wrong: CustomTestStringConvertible, Sendable {
    var name: String
    var bytes: [UInt8]
    var format: ImportSource.Format
    var reason: ImportFault.Reason
    var line: Int?
    var field: String?

    init(
      _ name: String, _ text: String, _ format: ImportSource.Format, _ reason: ImportFault.Reason, line: Int? = nil,
      field: String? = nil
    ) {
      self.init(name, bytes: Array(text.utf8), format, reason, line: line, field: field)
    }

    init(
      _ name: String, bytes: [UInt8], _ format: ImportSource.Format, _ reason: ImportFault.Reason, line: Int? = nil,
      field: String? = nil
    ) {
      self.name = name
      self.bytes = bytes
      self.format = format
      self.reason = reason
      self.line = line
      self.field = field
    }

    var testDescription: String { name }
  }

  /// One valid record precedes the invalid one.
  private static let good = "{\"code\": 1, \"title\": \"a\"}\n"
  private static let head = "code,title,small,tags\n1,a,2,[]\n"

  static let wrong: [Wrong] = [
    Wrong("UTF-16", bytes: [0xFF, 0xFE, 0x63, 0x00], .csv, .encoding, line: 1),
    Wrong("bytes that are no text", bytes: Array((head + "2,").utf8) + [0xC3, 0x28], .csv, .encoding, line: 3),
    Wrong(
      "bytes that are no text, in an object",
      bytes: Array((good + "{\"code\": 2, \"title\": \"").utf8) + [0xFF, 0x22, 0x7D],
      .jsonLines, .encoding, line: 2),
    Wrong("gzip", bytes: [0x1F, 0x8B, 8, 0, 0, 0], .csv, .encoding, line: 1),
    Wrong("a quote without its end", head + "2,\"b,3,[]\n", .csv, .truncated, line: 3),
    Wrong("text behind a quote", head + "2,\"b\"c,3,[]\n", .csv, .syntax, line: 3),
    Wrong("too few columns", head + "2,b\n", .csv, .columns, line: 3),
    Wrong("too many columns", head + "2,b,3,[],4\n", .csv, .columns, line: 3),
    Wrong("a column twice", "code,code,title\n1,1,a\n", .csv, .duplicate, line: 1),
    Wrong("a column without a name", "code,,title\n1,1,a\n", .csv, .missing, line: 1),
    Wrong("an unknown column", "code,titel\n1,a\n", .csv, .unknown, line: 1, field: "titel"),
    Wrong("a column that is missing", "code,small\n1,2\n", .csv, .missing, line: 2, field: "title"),
    Wrong("an empty cell where a value must stand", head + ",b,3,[]\n", .csv, .missing, line: 3, field: "code"),
    Wrong("a text where a number must stand", head + "x,b,3,[]\n", .csv, .wrongType, line: 3, field: "code"),
    Wrong("a number that is too large", head + "2,b,300,[]\n", .csv, .outOfRange, line: 3, field: "small"),
    Wrong("a number with more digits than any has", head + "99999999999999999999,b,3,[]\n", .csv, .outOfRange, line: 3),
    Wrong("a list that is none", head + "2,b,3,[\n", .csv, .wrongType, line: 3, field: "tags"),
    Wrong("a list of something else", head + "2,b,3,[1]\n", .csv, .wrongType, line: 3, field: "tags"),
    Wrong("a value twice that is unique", head + "2,b,3,[]\n2,c,3,[]\n", .csv, .duplicate, line: 4, field: nil),
    Wrong(
      "NUL between the parts of an object", good + "{\"code\": 2,\u{0} \"title\": \"b\"}\n", .jsonLines, .syntax,
      line: 2),
    Wrong("NUL in a text", good + "{\"code\": 2, \"title\": \"b\u{0}\"}\n", .jsonLines, .syntax, line: 2),
    Wrong("an object without its end", good + "{\"code\": 2, \"title\": \"b\"", .jsonLines, .truncated, line: 2),
    Wrong("a list without its end", "[{\"code\": 2, \"title\": \"b\"}", .json, .truncated),
    Wrong("no object", good + "[1]\n", .jsonLines, .wrongType, line: 2),
    Wrong(
      "a name twice", good + "{\"code\": 2, \"title\": \"b\", \"code\": 3}\n", .jsonLines, .duplicate, line: 2,
      field: "code"),
    Wrong("an unknown name", good + "{\"code\": 2, \"titel\": \"b\"}\n", .jsonLines, .unknown, line: 2, field: "titel"),
    Wrong("a name that is missing", good + "{\"code\": 2}\n", .jsonLines, .missing, line: 2, field: "title"),
    Wrong(
      "null where a value must stand", good + "{\"code\": 2, \"title\": null}\n", .jsonLines, .missing, line: 2,
      field: "title"),
    Wrong(
      "a number where a text must stand", good + "{\"code\": 2, \"title\": 7}\n", .jsonLines, .wrongType, line: 2,
      field: "title"),
    Wrong(
      "a number with a point where there is none", good + "{\"code\": 2.5, \"title\": \"b\"}\n", .jsonLines, .wrongType,
      line: 2, field: "code"),
    Wrong(
      "a text where a struct must stand", good + "{\"code\": 2, \"title\": \"b\", \"home\": \"x\"}\n", .jsonLines,
      .wrongType, line: 2),
    Wrong(
      "an unknown part", good + "{\"code\": 2, \"title\": \"b\", \"home\": {\"town\": \"x\"}}\n", .jsonLines, .unknown,
      line: 2, field: "home.town"),
    Wrong("half an escape", good + "{\"code\": 2, \"title\": \"\\uD800\"}\n", .jsonLines, .encoding, line: 2),
    Wrong(
      "a date that is none", good + "{\"code\": 2, \"title\": \"b\", \"made\": \"2024-02-30\"}\n", .jsonLines,
      .wrongType, line: 2, field: "made"),
    Wrong(
      "a UUID that is none", good + "{\"code\": 2, \"title\": \"b\", \"mark\": \"x\"}\n", .jsonLines, .wrongType,
      line: 2, field: "mark"),
    Wrong(
      "base 64 that is none", good + "{\"code\": 2, \"title\": \"b\", \"data\": \"?\"}\n", .jsonLines, .wrongType,
      line: 2, field: "data"),
    Wrong(
      "nested too deep", good + "{\"code\": 2, \"title\": " + String(repeating: "[", count: 100_000) + "\n", .jsonLines,
      .tooLarge, line: 2),
    Wrong(
      "a huge field", head + "2," + String(repeating: "x", count: 17 << 20) + ",3,[]\n", .csv, .tooLarge, line: 3),
  ]

  @Test(arguments: wrong) func `each gives its error and stores nothing`(_ wrong: Wrong) throws {
    let container = try ImportTests.container()
    var importer = try container.importer(for: Item.self)
    importer.options.conflict = .insert
    let error = #expect(throws: RoostError.self) { try importer.run(.data(Data(wrong.bytes), wrong.format)) }
    let fault = try #require(error?.importFault, "\(wrong.name): \(String(describing: error))")
    #expect(error?.code == .badInput)
    #expect(fault.reason == wrong.reason, "\(fault)")
    if let line = wrong.line { #expect(fault.line == line, "\(fault)") }
    if let field = wrong.field { #expect(fault.field == field, "\(fault)") }
    #expect(try ImportTests.items(container).isEmpty)
  }

  /// Compressed bytes that end too early, or are damaged.
  @Test(arguments: 1...20) func `compressed texts that are damaged`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let folder = try Folder()
    let container = try ImportTests.container()
    let context = ModelContext(container)
    for number in 0..<300 { context.insert(Item(number, title: "title \(random.next())")) }
    try context.save()
    let file = folder.file("items.jsonl.lz4")
    try container.export(FetchDescriptor<Item>(), to: .file(file))
    var bytes = [UInt8](try Data(contentsOf: file))
    let isCut = Bool.random(using: &random)
    if isCut {
      bytes.removeLast(Int.random(in: 1..<bytes.count - 4, using: &random))
    } else {
      bytes[Int.random(in: 4..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    }
    let other = try ImportTests.container()
    let importer = try other.importer(for: Item.self)
    // A changed bit may be in an unused place; otherwise it is detected.
    do {
      let report = try importer.run(.data(Data(bytes), .jsonLines))
      #expect(!isCut && report.progress.inserted == 300, "seed \(seed)")
    } catch let error as RoostError {
      let fault = try #require(error.importFault, "seed \(seed): \(error)")
      #expect(fault.reason == .truncated || fault.reason == .encoding || !isCut, "seed \(seed): \(fault)")
      #expect(try ImportTests.items(other).isEmpty, "seed \(seed)")
    }
  }
}
