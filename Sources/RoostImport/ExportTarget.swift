public import Foundation
internal import Roost
internal import RoostFile
internal import RoostTransfer

/// Where an export goes, and how records stand there.
public struct ExportTarget: Sendable {
  private enum Place: Sendable {
    case file(URL)
    case handle(FileHandle)
  }

  private let place: Place
  private let given: ImportSource.Format?
  private let isPacked: Bool?

  /// A file. It has its name when it is whole; until then what was there before stays. Where no format is given its name tells, as `tracks.csv`,
  /// `tracks.jsonl` or `tracks.json.lz4`.
  ///
  /// - Parameters:
  ///   - url: the file.
  ///   - format: how records stand in it; of a table, the columns are those that are written.
  ///   - isCompressed: whether it is compressed by LZ4; where nothing is said, its name tells.
  public static func file(
    _ url: URL, _ format: ImportSource.Format? = nil, isCompressed: Bool? = nil
  ) -> ExportTarget { ExportTarget(place: .file(url), given: format, isPacked: isCompressed) }

  /// A file or a pipe that is open, from where it stands. It is not closed.
  public static func handle(
    _ handle: FileHandle, _ format: ImportSource.Format, isCompressed: Bool = false
  ) -> ExportTarget { ExportTarget(place: .handle(handle), given: format, isPacked: isCompressed) }

  /// Opens it for a body, and gives a file its name when that is done.
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
