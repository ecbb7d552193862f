import RoostFile
import RoostTransfer

/// The format of an imported or exported text, from the command line and the file's name.
enum Format {
  static let option = Syntax.Option(
    name: "format", value: "format", help: "The format of the text; by default from the name of the file.",
    choices: ["csv", "tsv", "json", "jsonl"])

  static func find(_ arguments: Arguments, path: String?, names: [String]? = nil) throws -> TextFormat {
    let delimiter = try self.delimiter(arguments.text("delimiter"))
    let word = arguments.text("format") ?? path.flatMap(ending)
    switch word {
    case "csv": return .csv(delimiter: delimiter, names: names)
    case "tsv": return .csv(delimiter: delimiter ?? 9, names: names)
    case "json": return .json
    case "jsonl": return .jsonLines
    default:
      throw UsageError(sentence: "The name of the file does not end with a known format: add '--format <format>'")
    }
  }

  /// Whether a name ends like that of a text that can be imported or exported.
  static func isName(_ path: String) -> Bool { ending(path) != nil }

  static func isPacked(_ path: String) -> Bool { path.lowercasedASCII.hasSuffix(".lz4") }

  private static func ending(_ path: String) -> String? {
    var name = path.lowercasedASCII
    if name.hasSuffix(".lz4") { name.removeLast(4) }
    for (ending, format) in [
      (".csv", "csv"), (".tsv", "tsv"), (".jsonl", "jsonl"), (".ndjson", "jsonl"), (".json", "json"),
    ] where name.hasSuffix(ending) { return format }
    return nil
  }

  private static func delimiter(_ text: String?) throws -> UInt8? {
    switch text {
    case nil: return nil
    case "tab", "\\t": return 9
    case let text?:
      let bytes = Array(text.utf8)
      guard bytes.count == 1, bytes[0] < 0x80, bytes[0] >= 0x20 || bytes[0] == 9, bytes[0] != UInt8(ascii: "\"") else {
        throw UsageError(sentence: "The value '\(text)' is invalid for '--delimiter': one ASCII character, or 'tab'")
      }
      return bytes[0]
    }
  }
}

extension String {
  fileprivate var lowercasedASCII: String {
    String(decoding: utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
  }
}
