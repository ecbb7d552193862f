public import Foundation
internal import Roost
internal import RoostFile
internal import RoostTransfer

/// A text with records: its place and its format. Input that is compressed with LZ4 is
/// decompressed, whatever its name is.
public struct ImportSource: Sendable {
  /// The format of records in a text.
  public struct Format: Hashable, Sendable {
    let plain: TextFormat

    /// A table. The first line names the columns unless `columns` does. The delimiter is one ASCII
    /// character. If it is nil, an import finds out from the first line whether it is a comma, a
    /// semicolon or a tab, and an export writes commas.
    public static func csv(delimiter: Character? = nil, columns: [String]? = nil) -> Format {
      Format(plain: .csv(delimiter: delimiter.map { $0.asciiValue ?? 0 }, names: columns))
    }
    /// A table whose first line names the columns and shows the delimiter.
    public static var csv: Format { csv() }
    /// Objects in one list, or one on each line: the first byte decides.
    public static let json = Format(plain: .json)
    /// An object on each line.
    public static let jsonLines = Format(plain: .jsonLines)

    /// The format for a file name: its extension, without `.lz4`.
    static func named(_ name: String) -> Format? {
      let parts = name.lowercased().split(separator: ".").dropFirst().filter { $0 != "lz4" }
      return switch parts.last {
      case "csv": csv
      case "tsv", "tab": csv(delimiter: "\t")
      case "json": json
      case "jsonl", "ndjson": jsonLines
      default: nil
      }
    }

    func check() throws {
      guard case .csv(let delimiter, let names) = plain else { return }
      if let delimiter, delimiter == 0 || delimiter >= 0x80 || [0x22, 0x0A, 0x0D].contains(delimiter) {
        throw RoostError(
          .badValue,
          "the delimiter of a table must be one ASCII character, but no quote and no newline: write \",\"")
      }
      if names?.isEmpty == true {
        throw RoostError(.badValue, "the list of columns is empty: name the columns, or leave them to the first line")
      }
    }
  }

  private enum Place: Sendable {
    case file(URL)
    case data(Data)
    // Files are used by the whole program.
    case handle(FileHandle)
  }

  private let place: Place
  private let given: Format?

  /// A file. Without a format the name decides, such as `tracks.csv`, `tracks.jsonl` or
  /// `tracks.json.lz4`.
  public static func file(_ url: URL, _ format: Format? = nil) -> ImportSource {
    ImportSource(place: .file(url), given: format)
  }

  /// An open file or pipe, from its present position. It is read on another thread, and not closed.
  public static func handle(_ handle: FileHandle, _ format: Format) -> ImportSource {
    ImportSource(place: .handle(handle), given: format)
  }

  /// A text in memory, as UTF-8 bytes or compressed with LZ4.
  public static func data(_ data: Data, _ format: Format) -> ImportSource {
    ImportSource(place: .data(data), given: format)
  }

  /// A text in memory.
  public static func text(_ text: String, _ format: Format) -> ImportSource { .data(Data(text.utf8), format) }

  // MARK: Opening

  func format() throws -> Format {
    if let given {
      try given.check()
      return given
    }
    guard case .file(let url) = place, let format = Format.named(url.lastPathComponent) else {
      throw RoostError(
        .badValue, "the file name does not end with a known format: give a format, as .file(url, .csv)")
    }
    return format
  }

  /// Opens the source and finds out the number of stored bytes, if it is known.
  func open() throws -> CountedInput {
    switch place {
    case .file(let url):
      guard url.isFileURL else {
        throw RoostError(.badValue, "\(url) is not a file URL: download it first, and import the file")
      }
      let stream = try ByteStream.reading(url.path(percentEncoded: false))
      return CountedInput(DescriptorInput(stream), stream.byteCount)
    case .handle(let handle):
      let stream = ByteStream.descriptor(handle.fileDescriptor, "the handle")
      return CountedInput(DescriptorInput(stream), nil, keeping: handle)
    case .data(let data): return CountedInput(MemoryInput([UInt8](data)), UInt64(data.count))
    }
  }
}
