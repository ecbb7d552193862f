internal import RoostRecords

/// Finds rows by their keys, in one snapshot.
struct RowFinder {
  private let reader: RecordReader

  init(_ reader: RecordReader) { self.reader = reader }

  /// As which type a key is read: a row's number can be written for it in any case, unless a key that is text may look so.
  func type(_ way: FieldBinding.KeyWay, _ batch: RecordBatch, _ token: Token) -> FieldType {
    Self.type(way, batch.bytes(token))
  }

  static func type(_ way: FieldBinding.KeyWay, _ bytes: UnsafeRawBufferPointer) -> FieldType {
    guard way.index != nil else { return .reference(way.entity) }
    switch way.type {
    case .string, .url, .data: return way.type
    default: return bytes.first == UInt8(ascii: "#") ? .reference(way.entity) : way.type
    }
  }

  func row(_ key: Value, _ way: FieldBinding.KeyWay) throws -> RowID? {
    let table = try reader.table(way.entity)
    if case .reference(let row) = key { return try table.contains(row) ? row : nil }
    guard let index = way.index else { return nil }
    return try table.row(unique: index, [key])
  }

  /// A key as it is kept until its row is there.
  func text(_ key: Value, _ way: FieldBinding.KeyWay) -> [UInt8] {
    var text: [UInt8] = []
    if case .reference = key {
      ValueWriter.appendJSON(key, as: .reference(way.entity), to: &text)
    } else {
      ValueWriter.appendJSON(key, as: way.type, to: &text)
    }
    return text
  }
}
