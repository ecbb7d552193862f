public import Foundation
internal import Roost
internal import RoostFile
internal import RoostTransfer

/// The destination of an export, and the format of its records.
public struct ExportTarget: Sendable {
  private enum Place: Sendable {
    case file(URL)
    case handle(FileHandle)
  }

  private let place: Place
  private let given: ImportSource.Format?
  private let isPacked: Bool?

  /// A file. It gets its name when it is complete; until then a previous file stays. Without a
  /// format the name decides, such as `tracks.csv`, `tracks.jsonl` or `tracks.json.lz4`.
  ///
  /// - Parameters:
  ///   - url: the file.
  ///   - format: the format of the records. The columns of a table are the columns to write.
  ///   - isCompressed: whether to compress the file with LZ4; nil lets the name decide.
  public static func file(
    _ url: URL, _ format: ImportSource.Format? = nil, isCompressed: Bool? = nil
  ) -> ExportTarget { ExportTarget(place: .file(url), given: format, isPacked: isCompressed) }

  /// An open file or pipe, from its present position. It is not closed.
  public static func handle(
    _ handle: FileHandle, _ format: ImportSource.Format, isCompressed: Bool = false
  ) -> ExportTarget { ExportTarget(place: .handle(handle), given: format, isPacked: isCompressed) }

  /// Opens the target for `body`, and gives a file its name afterwards.
  func write<Result>(_ body: (any ByteOutput, TextFormat) throws -> Result) throws -> Result {
    switch place {
    case .handle(let handle):
      let output = DescriptorOutput(ByteStream.descriptor(handle.fileDescriptor, "the handle"))
      return try withExtendedLifetime(handle) { try body(try packed(output, isPacked == true), try format("")) }
    case .file(let url):
      guard url.isFileURL else {
        throw RoostError(.badValue, "\(url) is not a file URL: export to a file, and send that")
      }
      let format = try format(url.lastPathComponent)
      let part = url.appendingPathExtension("partial")
      let path = part.path(percentEncoded: false)
      do {
        let output = DescriptorOutput(try ByteStream.writing(path, replaces: true))
        let isPacked = isPacked ?? (url.pathExtension.lowercased() == "lz4")
        let result = try body(try packed(output, isPacked), format)
        try ByteStream.rename(path, to: url.path(percentEncoded: false))
        return result
      } catch {
        try? FileManager.default.removeItem(at: part)
        throw error
      }
    }
  }

  private func packed(_ output: any ByteOutput, _ isPacked: Bool) throws -> any ByteOutput {
    isPacked ? try PackedOutput(output) : output
  }

  private func format(_ name: String) throws -> TextFormat {
    guard let format = given ?? ImportSource.Format.named(name) else {
      throw RoostError(
        .badValue, "the file name does not end with a known format: give a format, as .file(url, .csv)")
    }
    try format.check()
    return format.plain
  }
}
