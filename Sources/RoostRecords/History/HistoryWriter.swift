internal import RoostBytes
internal import RoostFile
internal import RoostTrees

/// A program that writes a store, and the process in which it runs.
///
/// Entries of the history do not name it. The tree `writers` says which program wrote from which
/// transaction on. So a commit stores a writer only if another program, or another process of the
/// same program, wrote the entry before.
///
/// ## Layout
/// The tree `writers`: the number of a transaction as the key; u64 process and the program's UTF-8
/// as the value. An unknown program has an empty name and process 0.
///
/// ## Invariants
/// 1. The writer of an entry is the value with the greatest key up to the entry's transaction.
/// 2. Every value but the last belongs to an entry that the history still has.
package struct HistoryWriter: Hashable, Sendable {
  package static let mostProgramBytes = 255
  static let tree = Array("writers".utf8)
  /// The writer of an opening that names none, and of entries from before the store kept writers.
  package static let unknown = HistoryWriter("", process: 0)

  package let program: String
  package let process: UInt64

  /// Cuts a name that is too long at a character boundary.
  package init(_ program: String, process: UInt64) {
    var count = 0
    self.program = String(
      program.prefix { character in
        count += character.utf8.count
        return count <= Self.mostProgramBytes
      })
    self.process = self.program.isEmpty ? 0 : process
  }

  /// Decodes a value of the tree; nil if it is unreadable.
  init?(decoding bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 8, bytes.count <= 8 + Self.mostProgramBytes, let start = bytes.baseAddress else { return nil }
    let name = UnsafeRawBufferPointer(rebasing: bytes[8...])
    guard let program = String(validating: name, as: UTF8.self) else { return nil }
    self.program = program
    process = program.isEmpty ? 0 : start.u64(0)
  }

  var encoded: [UInt8] {
    var process = process.littleEndian
    return withUnsafeBytes(of: &process) { [UInt8]($0) } + program.utf8
  }

  /// The process as text; empty if the writer is unknown.
  package var processText: String { program.isEmpty ? "" : String(process) }

  static func unreadable(_ key: UInt64) -> StoreError {
    StoreError(.damaged, "the program that wrote transaction \(key) is unreadable")
  }
}

/// Finds the writers of consecutive entries. It searches the tree only if the writer changes.
struct HistoryWriters {
  private let tree: IntegerTree?
  /// The transactions of the writer found last.
  private var range: ClosedRange<UInt64> = 0...0
  private var found = HistoryWriter.unknown

  /// - Parameter tree: nil if the store keeps no writers.
  init(_ tree: IntegerTree?) { self.tree = tree }

  mutating func writer(of number: UInt64) throws(StoreError) -> HistoryWriter {
    guard let tree, !range.contains(number) else { return found }
    var cursor = IntegerCursor(tree)
    var first: UInt64 = 0
    var writer = HistoryWriter.unknown
    if try cursor.seek(atMost: number) {
      first = cursor.key
      guard let read = try Self.writer(at: first, in: tree) else { throw HistoryWriter.unreadable(first) }
      writer = read
    }
    // Without a greater key the writer wrote everything up to the end.
    var last = UInt64.max
    if number < last, try cursor.seek(number + 1) { last = cursor.key - 1 }
    (range, found) = (first...last, writer)
    return writer
  }

  static func writer(at key: UInt64, in tree: IntegerTree) throws(StoreError) -> HistoryWriter? {
    try tree.withValue(of: key) { HistoryWriter(decoding: $0) } ?? nil
  }
}
