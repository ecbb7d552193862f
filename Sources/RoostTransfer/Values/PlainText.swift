package import RoostRecords

/// Reads one value outside a record.
package enum PlainText {
  package static func value(_ text: String, _ type: FieldType) throws(ValueFault) -> Value {
    let batch: RecordBatch
    do {
      batch = try RecordBatch()
      try Array(text.utf8).withUnsafeBytes { try batch.text.append($0) }
    } catch { throw ValueFault(.tooLarge, "there is no memory for the text") }
    return try ValueReader.plain(batch, Token(kind: .text, place: 0, start: 0, count: text.utf8.count), type: type)
  }
}
