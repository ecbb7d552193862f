internal import RoostFile
package import RoostRecords

/// The file of records that an import skipped, in a form that can be imported again.
package final class RejectFile {
  private let path: String
  private let format: TextFormat
  private var stream: ByteStream?

  package init(_ path: String, _ format: TextFormat) {
    self.path = path
    self.format = format
  }

  /// - Parameters:
  ///   - header: the first line of the table.
  /// - isResumed: whether the existing content of the file belongs to the same import.
  package func add(_ fault: TransferFault, header: TableHeader?, isResumed: Bool) throws {
    // A record whose end is unknown has no text.
    if fault.record.isEmpty { return }
    var text: [UInt8] = []
    if stream == nil {
      let opened = isResumed ? try ByteStream.appending(path) : try ByteStream.writing(path, replaces: true)
      stream = opened
      if opened.byteCount == 0, let header {
        for (number, name) in header.names.enumerated() {
          if number > 0 { text.append(header.delimiter) }
          ValueWriter.appendCell(.string(name), as: .string, delimiter: header.delimiter, to: &text)
        }
        text.append(UInt8(ascii: "\n"))
      }
    }
    if case .csv = format {
      text += fault.record
    } else {
      // One object on each line. In valid JSON, newlines are only between parts, never within a
      // text.
      text += fault.record.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
    }
    if text.last != UInt8(ascii: "\n") { text.append(UInt8(ascii: "\n")) }
    try text.withUnsafeBytes { try stream?.write($0) }
  }
}
