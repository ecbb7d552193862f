internal import RoostBytes
package import RoostFile
internal import RoostKV
internal import RoostPages

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The stores that a version of the format wrote, kept for ever.
///
/// They stand in the source, so that whoever is built has them, wherever it runs. `roost-torture golden` prints the
/// source of such a version; Docs/TESTING.md tells when.
package struct GoldenVersion: Sendable {
  /// One store of it.
  package struct Sample: Sendable {
    package var name: String
    /// The files, as ``GoldenVersion/encode(_:)`` writes them.
    package var data: String
    package var log: String?
    /// What it holds, as ``GoldenStore/describe(_:commit:)`` tells it.
    package var contents: String

    package init(_ name: String, data: String, log: String?, contents: String) {
      self.name = name
      self.data = data
      self.log = log
      self.contents = contents
    }

    package var files: GoldenStore.Files? {
      guard let data = GoldenVersion.decode(data) else { return nil }
      guard let log else { return GoldenStore.Files(data: data, log: nil) }
      guard let log = GoldenVersion.decode(log) else { return nil }
      return GoldenStore.Files(data: data, log: log)
    }

    /// The files at rest in a file system, as if a store had left them.
    package func place(in fileSystem: any FileSystem, at path: String) throws {
      guard let files else { throw WrongAnswer("\(name) cannot be decoded") }
      for (suffix, bytes) in [("", files.data), ("-log", files.log)] {
        guard let bytes else { continue }
        let file = try fileSystem.open(path + suffix, .replace)
        defer { file.close() }
        try file.write(bytes, at: 0)
        try file.sync()
      }
      try fileSystem.syncDirectory(of: path)
    }
  }

  package var version: UInt32
  /// The LZ4 that made it.
  package var library: Int
  package var samples: [Sample]
  /// Stores of rows.
  package var rows: [Sample]

  package init(_ version: UInt32, library: Int, _ samples: [Sample], rows: [Sample] = []) {
    self.rows = rows
    self.version = version
    self.library = library
    self.samples = samples
  }

  /// Every version that this build must read, the present one last.
  package static let all: [GoldenVersion] = [.version1, .version2]

  // MARK: Files as text

  /// The length, and an LZ4 block in base 64.
  package static func encode(_ bytes: [UInt8]) -> String {
    var packed = [UInt8](repeating: 0, count: Compression.bound(bytes.count))
    let count = bytes.withUnsafeBytes { source in
      packed.withUnsafeMutableBytes { Compression.compress(source, into: $0) }
    }
    return "\(bytes.count) " + Data(packed[..<(count ?? 0)]).base64EncodedString()
  }

  package static func decode(_ text: String) -> [UInt8]? {
    let parts = text.split(separator: " ")
    guard parts.count == 2, let count = Int(parts[0]), count > 0, count <= Compression.largestBlock,
      let packed = Data(base64Encoded: String(parts[1]))
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    let isWhole = [UInt8](packed).withUnsafeBytes { source in
      bytes.withUnsafeMutableBytes { Compression.decompress(source, into: $0) }
    }
    return isWhole ? bytes : nil
  }

  // MARK: Making the next one

  /// The source of the version that this build writes, the next one unless another is named.
  package static func source(version: Int?) throws -> String {
    let version = version ?? 1 + all.count
    var text = """
      // Written by `roost-torture golden`. It is not to be changed by hand: see Docs/TESTING.md.

      extension GoldenVersion {
        package static let version\(version) = GoldenVersion(
          \(version), library: \(GoldenStore.library),
          [

      """
    for store in GoldenStore.allCases {
      text += source(store.rawValue, try store.make())
    }
    return text + "    ], rows: rows\(version))\n}\n"
  }

  /// The source of the stores of rows of a version, which stand in a file of their own.
  package static func rowsSource(version: Int) throws -> String {
    var text = """
      // Written by `roost-torture golden`. It is not to be changed by hand: see Docs/TESTING.md.

      extension GoldenVersion {
        static let rows\(version) = Array(
          [

      """
    for store in GoldenRows.allCases { text += source(store.rawValue, try store.make()) }
    return text + "    ])\n}\n"
  }

  private static func source(_ name: String, _ made: (files: GoldenStore.Files, contents: String)) -> String {
    let (files, contents) = made
    var text = ""
    text += "      Sample(\n        \"\(name)\",\n        data: \"\"\"\n"
    text += lines(encode(files.masked.data)) + "          \"\"\",\n"
    if let log = files.masked.log {
      text += "        log: \"\"\"\n" + lines(encode(log)) + "          \"\"\",\n"
    } else {
      text += "        log: nil,\n"
    }
    text += "        contents: \"\"\"\n"
    for line in contents.split(separator: "\n") { text += "          " + line + "\n" }
    text += "          \"\"\"),\n"
    return text
  }

  /// One long line in lines of 108 characters, joined by the compiler.
  private static func lines(_ text: String) -> String {
    var rest = text[...]
    var lines: [String] = []
    while !rest.isEmpty {
      lines.append("          " + rest.prefix(109))
      rest = rest.dropFirst(109)
    }
    return lines.joined(separator: "\\\n") + "\n"
  }
}
