import Foundation

extension Console {
  /// One value, over several lines.
  func json(_ value: some Encodable) throws {
    try put(value, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
  }

  /// One value on one line, for who reads many.
  func jsonLine(_ value: some Encodable) throws { try put(value, [.sortedKeys, .withoutEscapingSlashes]) }

  private func put(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = formatting
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    try plain(SafeText.json(String(decoding: try encoder.encode(value), as: UTF8.self)) + "\n")
  }
}
