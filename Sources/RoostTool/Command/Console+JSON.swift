import Foundation

extension Console {
  /// Prints one value on several lines.
  func json(_ value: some Encodable) throws {
    try put(value, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
  }

  /// Prints one value on one line, for callers that read many.
  func jsonLine(_ value: some Encodable) throws {
    try plain(Self.text(value, [.sortedKeys, .withoutEscapingSlashes]) + "\n")
  }

  /// One value as text on one line.
  static func jsonText(_ value: some Encodable) throws -> String {
    try text(value, [.sortedKeys, .withoutEscapingSlashes])
  }

  private func put(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting) throws {
    try plain(Self.text(value, formatting) + "\n")
  }

  private static func text(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = formatting
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return SafeText.json(String(decoding: try encoder.encode(value), as: UTF8.self))
  }
}
