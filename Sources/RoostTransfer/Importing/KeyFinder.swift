internal import RoostRecords

/// Finds rows by their keys.
struct KeyFinder: ReferenceFinder {
  /// Also nil if the key is no longer valid, because the field now has another type.
  func row(_ key: String, _ relationship: Relationship, reader: RecordReader) throws -> RowID? {
    let way = KeyWay(relationship.target, reader.catalog)
    do { return try KeyText.value(key, way).flatMap { try RowFinder(reader).row($0, way) } } catch is ValueFault {
      return nil
    } catch is RecordFault { return nil }
  }

  func key(_ row: RowID, _ relationship: Relationship) -> String? { nil }
}

/// The form of keys that are stored until their rows exist.
enum KeyText {
  static func text(_ key: Value, _ way: KeyWay) -> [UInt8] {
    var text: [UInt8] = []
    if case .reference = key {
      // A text may look like a row's number.
      ValueWriter.appendJSON(way.isText ? .array([key]) : key, as: .reference(way.entity), to: &text)
    } else {
      ValueWriter.appendJSON(key, as: way.type, to: &text)
    }
    return text
  }

  static func value(_ text: String, _ way: KeyWay) throws -> Value? {
    let batch = try RecordBatch()
    try Array(text.utf8).withUnsafeBytes { try batch.text.append($0) }
    // So that the parser knows that a number is complete.
    try batch.text.append(Byte.newline)
    var parser = JSONParser(batch, 0..<batch.text.count, limits: TransferLimits())
    _ = try parser.parse()
    return try ValueReader(batch).key(at: 0, way).value
  }
}
