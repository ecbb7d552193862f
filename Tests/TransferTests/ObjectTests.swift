import Foundation
import RoostRecords
import RoostTestSupport
import RoostTransfer
import Testing

/// Objects, as text.
@Suite struct ObjectTests {
  static func read(_ text: String, _ format: TextFormat = .json, piece: Int = 1 << 18) throws -> [Found] {
    try Reading.all(Array(text.utf8), format, piece: piece)
  }

  private static let two: [Found] = [
    .record([.object([["a"]: .number("1"), ["b"]: .text("x\n\"é😀/")])]),
    .record([.object([["a"]: .number("-2.5e+3"), ["b"]: .list([.yes, .no, .null, .list([]), .object([:])])])]),
  ]

  @Test(arguments: [1, 2, 3, 7, 1000])
  func `lists and lines contain the same records`(_ piece: Int) throws {
    let first = #"{"a": 1, "b": "x\n\"\u00e9\ud83d\ude00\/"}"#
    let second = #"{"a":-2.5e+3,"b":[true,false,null,[],{}]}"#
    #expect(try Self.read(" [\(first) ,\n\(second)]\n", piece: piece) == Self.two)
    #expect(try Self.read("\u{FEFF}\(first)\r\n\n  \(second)", piece: piece) == Self.two)
    #expect(try Self.read("\(first)\n\(second)\n", .jsonLines, piece: piece) == Self.two)
    #expect(try Self.read("[]", piece: piece) == [] && Self.read("", .jsonLines, piece: piece) == [])
  }

  /// The second of three lines is wrong; the others are read.
  @Test(arguments: [
    ("{\"a\": tru}", TransferFault.Code.syntax, 7), ("{\"a\": 01}", .syntax, 7), ("{\"a\": 1.}", .syntax, 9),
    ("{\"a\": 1,}", .syntax, 9), ("{a: 1}", .syntax, 2), ("{\"a\" 1}", .syntax, 6), ("{\"a\": 1", .truncated, 8),
    ("{\"a\": \"x", .syntax, 9), ("{\"a\": \"\u{1}\"}", .syntax, 8), ("{\"a\": \"\\x\"}", .syntax, 8),
    ("{\"a\": \"\\ud800\"}", .encoding, 8), ("{\"a\": \"\\udc00\"}", .encoding, 8),
    ("{\"a\": \"\\u12g4\"}", .syntax, 8),
    ("[1]", .wrongType, 1), ("7", .wrongType, 1), ("{} {}", .syntax, 4), ("{\"a\": NaN}", .syntax, 7),
    ("{\"a\": 'x'}", .syntax, 7), ("{\"a\": +1}", .syntax, 7), ("{\"a\": .5}", .syntax, 7), ("{\"a\": 1e}", .syntax, 9),
    ("{\"a\": [1}", .syntax, 9), ("{\"a\": {]}", .syntax, 8), ("// x", .syntax, 1),
  ])
  func `an error is reported with its place`(_ text: String, _ code: TransferFault.Code, _ column: Int) throws {
    let found = try Self.read("{}\n\(text)\n{}", .jsonLines)
    #expect(found == [.record([.object([:])]), .fault(code, 2, column), .record([.object([:])])])
    // In a list the start of the next object is unknown, unless the object only has the wrong type.
    if code == .wrongType {
      #expect(try Self.read("[{},\n\(text),\n{}]") == found)
    } else {
      #expect(throws: TransferFault.self) { try Self.read("[{},\n\(text),\n{}]") }
    }
  }

  @Test(arguments: ["[", "[{}", "[{},", "[{}]x", "[,]", "[{}{}]", "[{},]", "[{\"a\"", "\u{0}"])
  func `an invalid list`(_ text: String) throws {
    let found = try? Self.read(text)
    if text == "\u{0}" { #expect(found == [.fault(.syntax, 1, 1)]) } else { #expect(found == nil) }
  }

  @Test func `bounds`() throws {
    var limits = TransferLimits()
    limits.depth = 4
    limits.fieldBytes = 8
    limits.recordBytes = 64
    func read(_ text: String) throws -> [Found] {
      try Reading.all(Array(text.utf8), .jsonLines, limits: limits, piece: 8)
    }
    #expect(try read("{\"a\":[[[]]]}") == [.record([.object([["a"]: .list([.list([.list([])])])])])])
    #expect(try read("{\"a\":[[[[]]]]}") == [.fault(.tooLarge, 1, 9)])
    #expect(try read("{\"a\":\"123456789\"}") == [.fault(.tooLarge, 1, 6)])
    #expect(try read("{\"a\":123456789}") == [.fault(.tooLarge, 1, 6)])
    #expect(throws: TransferFault.self) { try read("{\"a\":" + String(repeating: " ", count: 200) + "1}") }
    let deep = String(repeating: "[", count: 1_000_000)
    #expect(try Reading.all(Array(deep.utf8), .jsonLines) == [.fault(.tooLarge, 1, 65)])
    #expect(try Reading.all(Array((String(repeating: " \n", count: 300_000) + "{}").utf8), .json, piece: 64).count == 1)
  }

  /// Random objects, and then the same objects with changed bytes. An object that Foundation
  /// accepts is accepted, and has the same content.
  @Test(arguments: 1...60)
  func `objects by seed`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<60 {
      var bytes = Array(Self.object(&random, depth: 3).utf8)
      for _ in 0..<Int.random(in: 0...2, using: &random) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0...2, using: &random) {
        case 0: bytes[place] = Array("{}[]\",:\\u0e1-. \u{1}é".utf8).randomElement(using: &random)!
        case 1: bytes.insert(Array("{}[]\",:\\u0e1-. ".utf8).randomElement(using: &random)!, at: place)
        default: bytes.remove(at: place)
        }
      }
      // A line contains no newline.
      bytes.removeAll { $0 == 10 || $0 == 13 }
      let piece = Int.random(in: 1...50, using: &random)
      let found = try Reading.all(bytes, .jsonLines, piece: piece)
      let known = try? JSONSerialization.jsonObject(with: Data(bytes))
      switch found.first {
      case .record(let plain)?:
        // Foundation refuses a number with a too large exponent.
        if String(decoding: bytes, as: UTF8.self).contains(/[eE][+-]?[0-9]{3}/) { continue }
        let known = try #require(known as? [String: Any], "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
        #expect(Self.isSame(plain[0], known), "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
      case .fault?, nil:
        // Foundation accepts a comma before an end.
        let text = String(decoding: bytes, as: UTF8.self)
        if text.contains(/,\s*[\]}]/) { continue }
        #expect(!(known is [String: Any]), "seed \(seed): \(text) is refused")
      }
    }
  }

  private static func object(_ random: inout SplitMix64, depth: Int) -> String {
    let names = (0..<Int.random(in: 0...4, using: &random)).map { "k\($0)" }
    return "{" + names.map { "\"\($0)\":" + value(&random, depth: depth) }.joined(separator: ",") + "}"
  }

  private static func value(_ random: inout SplitMix64, depth: Int) -> String {
    switch Int.random(in: 0...(depth > 0 ? 8 : 6), using: &random) {
    case 0: return "true"
    case 1: return "null"
    case 2: return "\(Int.random(in: -1000...1000, using: &random))"
    case 3: return "\(Double.random(in: -10...10, using: &random))"
    case 4: return "1.5e\(Int.random(in: -9...9, using: &random))"
    case 5, 6:
      let parts = ["a", "é", "\\n", "\\u00e9", "\\ud83d\\ude00", "\\\"", "/", "😀"]
      return "\""
        + (0..<Int.random(in: 0...5, using: &random)).map { _ in parts.randomElement(using: &random)! }.joined() + "\""
    case 7:
      return "["
        + (0..<Int.random(in: 0...3, using: &random)).map { _ in value(&random, depth: depth - 1) }.joined(
          separator: ", ") + "]"
    default: return object(&random, depth: depth - 1)
    }
  }

  private static func isSame(_ plain: Plain, _ known: Any) -> Bool {
    switch plain {
    case .null: return known is NSNull
    case .yes: return known as? Bool == true
    case .no: return known as? Bool == false
    case .text(let text): return (known as? String).map { Array($0.utf8) == Array(text.utf8) } ?? false
    case .number(let text):
      // Foundation may get the last digit wrong.
      guard let number = Double(text), let known = known as? NSNumber else { return false }
      return abs(number - known.doubleValue) <= abs(number) * 1e-12
    case .list(let list):
      guard let known = known as? [Any], known.count == list.count else { return false }
      return zip(list, known).allSatisfy { isSame($0, $1) }
    case .object(let members):
      // Foundation keeps only one of several members with one name.
      guard let known = known as? [String: Any] else { return false }
      return known.allSatisfy { name, value in
        members.contains { $0.key.first == name && isSame($0.value, value) }
      } && members.allSatisfy { known[$0.key[0]] != nil }
    case .bare: return false
    }
  }
}
