internal import Foundation
internal import RoostBytes
package import RoostFile
internal import RoostPages

/// The stores that a version of the format wrote, kept forever.
///
/// They are resources of this module, in the folder `Versions`. `roost-torture golden` writes those
/// of a version; Docs/TESTING.md says when.
///
/// ## Layout
/// ```
/// Versions/2/rows-closed.data      the file of the store "rows closed": its length in 8 bytes, then one LZ4 block
/// Versions/2/rows-closed.log       its log, if it has one, in the same form
/// Versions/2/rows-closed.contents  the contents of the store, as text
/// ```
package struct GoldenVersion: Sendable {
  /// One store of the version.
  package struct Sample: Sendable {
    package var name: String
    package var files: GoldenStore.Files
    /// Its contents, as ``GoldenStore/describe(_:commit:)`` describes them.
    package var contents: String

    /// Writes the files into a file system, as if a store had left them.
    package func place(in fileSystem: any FileSystem, at path: String) throws {
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

  package let version: UInt32
  /// The LZ4 version that made it.
  package let library: Int
  /// The names of its stores of keys and values, and of those of rows.
  package let samples: [String]
  package let rows: [String]

  package init(_ version: UInt32, library: Int, _ samples: [String], rows: [String]) {
    self.rows = rows
    self.version = version
    self.library = library
    self.samples = samples
  }

  /// Every version that this build must read, the present one last.
  package static let all: [GoldenVersion] = [
    GoldenVersion(
      1, library: 10904, ["closed", "stopped", "packed"],
      rows: ["rows closed", "rows stopped", "rows named", "rows with cases"]),
    GoldenVersion(
      2, library: 10904, ["closed", "stopped", "packed"],
      rows: [
        "rows closed", "rows stopped", "rows named", "rows with cases", "rows with version", "rows with texts",
        "rows with derived", "rows with index forms", "rows with index parts",
      ]),
    GoldenVersion(
      3, library: 10904, ["closed", "stopped", "packed"],
      rows: [
        "rows closed", "rows stopped", "rows named", "rows with cases", "rows with version", "rows with texts",
        "rows with derived", "rows with index forms", "rows with index parts",
      ]),
  ]

  // MARK: Reading

  /// Reads one store of the version. Throws if a file is missing or cannot be decompressed.
  package func sample(_ name: String, in folder: String? = nil) throws -> Sample {
    let folder = folder ?? Self.resources
    let path = Self.path(name, version, in: folder)
    func bytes(_ ending: String) throws -> [UInt8] {
      guard let packed = FileManager.default.contents(atPath: path + ending) else {
        throw WrongAnswer("the golden file \(path + ending) cannot be read")
      }
      return [UInt8](packed)
    }
    func unpacked(_ ending: String) throws -> [UInt8] {
      guard let unpacked = Self.unpack(try bytes(ending)) else {
        throw WrongAnswer("the golden file \(path + ending) cannot be unpacked")
      }
      return unpacked
    }
    let contents = String(decoding: try bytes(".contents"), as: UTF8.self)
    // A closed store has no log. The contents of a stopped one show whether its log is missing.
    let hasLog = FileManager.default.fileExists(atPath: path + ".log")
    return Sample(
      name: name, files: GoldenStore.Files(data: try unpacked(".data"), log: hasLog ? try unpacked(".log") : nil),
      contents: String(contents.dropLast()))
  }

  /// The folder of all versions.
  private static var resources: String { Bundle.module.bundleURL.appending(path: "Versions").path }

  private static func path(_ name: String, _ version: UInt32, in folder: String) -> String {
    "\(folder)/\(version)/" + name.replacing(" ", with: "-")
  }

  /// The length, and one LZ4 block.
  package static func pack(_ bytes: [UInt8]) -> [UInt8] {
    var packed = [UInt8](repeating: 0, count: 8 + Compression.bound(bytes.count))
    packed.replaceSubrange(..<8, with: withUnsafeBytes(of: UInt64(bytes.count).littleEndian, Array.init))
    let count = bytes.withUnsafeBytes { source in
      packed.withUnsafeMutableBytes {
        Compression.compress(source, into: UnsafeMutableRawBufferPointer(rebasing: $0[8...]))
      }
    }
    return Array(packed[..<(8 + (count ?? 0))])
  }

  /// The size of these stores in the folder.
  package func packedBytes(_ names: [String]) throws -> Int {
    try names.reduce(0) { sum, name in
      let files = try sample(name).files
      return sum + Self.pack(files.data).count + (files.log.map { Self.pack($0).count } ?? 0)
    }
  }

  package static func unpack(_ packed: [UInt8]) -> [UInt8]? {
    guard packed.count > 8 else { return nil }
    let length = packed[..<8].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    guard length > 0, length <= UInt64(Compression.largestBlock) else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(length))
    let isWhole = packed.withUnsafeBytes { source in
      bytes.withUnsafeMutableBytes {
        Compression.decompress(UnsafeRawBufferPointer(rebasing: source[8...]), into: $0)
      }
    }
    return isWhole ? bytes : nil
  }

  // MARK: Writing

  /// Writes the stores of a version, as this build makes them, into a new folder below `folder`.
  /// Returns the entry for ``all``.
  package static func write(version: UInt32, into folder: String) throws -> String {
    try FileManager.default.createDirectory(atPath: "\(folder)/\(version)", withIntermediateDirectories: false)
    func write(_ name: String, _ made: (files: GoldenStore.Files, contents: String)) throws {
      let path = path(name, version, in: folder)
      let files = made.files.masked
      let log = files.log.map { [(".log", pack($0))] } ?? []
      for (ending, bytes) in [(".data", pack(files.data)), (".contents", Array("\(made.contents)\n".utf8))] + log {
        let file = try DiskFileSystem.shared.open(path + ending, .replace)
        defer { file.close() }
        try file.write(bytes, at: 0)
      }
    }
    for store in GoldenStore.allCases { try write(store.rawValue, try store.make()) }
    for store in GoldenRows.allCases { try write(store.rawValue, try store.make()) }
    let (samples, rows) = (GoldenStore.allCases.map(\.rawValue), GoldenRows.allCases.map(\.rawValue))
    return "GoldenVersion(\(version), library: \(GoldenStore.library), \(samples), rows: \(rows)),"
  }
}
