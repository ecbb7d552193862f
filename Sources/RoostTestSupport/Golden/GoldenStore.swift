internal import RoostBytes
internal import RoostFile
internal import RoostKV
internal import RoostPages

/// A small store that the same actions make each time, so that its bytes can be compared in all
/// later versions.
///
/// A release of the format keeps the bytes of each: see ``GoldenVersion``. Nothing in them may
/// depend on the machine, the process or the date. There is one exception, which is masked: the
/// process number in the log's header.
package enum GoldenStore: String, CaseIterable, Sendable {
  /// Closed cleanly: trees of both kinds with several levels, values in extents that do not
  /// compress, an empty tree, and free places. Both superblocks name the same state.
  case closed
  /// Stopped: its log holds every kind of change, and a tree built from sorted entries. The other
  /// superblock is an older one.
  case stopped
  /// Stopped: values that LZ4 compresses, in a leaf's list, named by the log, and with a list of
  /// their own. Compressed bytes depend on the library, so they are compared only with the same
  /// version of LZ4.
  case packed

  package static let path = "/golden.roost"

  /// The data file, and the log of a store that was not closed.
  package struct Files: Equatable, Sendable {
    package var data: [UInt8]
    package var log: [UInt8]?

    package init(data: [UInt8], log: [UInt8]?) {
      self.data = data
      self.log = log
    }

    /// The files without the process number, which no checksum in the log's header covers.
    package var masked: Files {
      guard var log, log.count >= 516 else { return self }
      log.replaceSubrange(512..<516, with: [0, 0, 0, 0])
      return Files(data: data, log: log)
    }
  }

  /// The LZ4 version that wrote a store whose bytes are compared.
  package static var library: Int { Compression.libraryVersion }

  package var dependsOnLibrary: Bool { self == .packed }

  static var options: StoreOptions {
    var options = StoreOptions()
    options.checkpointing = .manual
    options.fanoutLimit = 4
    options.segmentBytes = 4096
    let salts = Salts()
    options.random = { salts.next() }
    return options
  }

  private final class Salts: @unchecked Sendable {
    // Unchecked because a store calls it under its own locks, one thread at a time.
    private var generator = SplitMix64(seed: 0x60_1D)
    func next() -> UInt64 { max(generator.next(), 1) }
  }

  /// Runs the actions. Returns the files and their contents.
  package func make() throws -> (files: Files, contents: String) {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore(Self.path, options: Self.options, fileSystem: fileSystem)
    var model = Model()
    func write(_ changes: [Change]) throws {
      try store.write { writer in for change in changes { try change.carryOut(writer, &model) } }
    }
    for changes in first { try write(changes) }
    try store.checkpoint()
    for changes in second { try write(changes) }
    if self == .closed { try store.close() }
    let image = fileSystem.crashImage(.all)
    // A stopped store is released without writing to its file.
    fileSystem.stopAfter(step: 0)
    try? store.close()
    guard let data = image.contents(of: Self.path) else { throw WrongAnswer("the golden store is not there") }
    let files = Files(data: data, log: image.contents(of: Self.path + "-log"))
    return (files, Self.describe(model, commit: first.count + second.count))
  }

  // MARK: The actions

  private static let tree = Change.Place(isTable: false, number: 0)
  private static let table = Change.Place(isTable: true, number: 0)

  private static func put(_ place: Change.Place, _ keys: some Sequence<Int>, length: Int, seed: Int = 0) -> [Change] {
    keys.map { .put(place, key: $0, Change.Value(length: length + $0 % 9, seed: UInt64($0 + seed))) }
  }

  private static func packed(_ place: Change.Place, _ key: Int, length: Int) -> Change {
    .put(place, key: key, Change.Value(length: length, seed: UInt64(key), repeats: true))
  }

  /// The commits before the checkpoint.
  private var first: [[Change]] {
    let (tree, table) = (Self.tree, Self.table)
    if self == .packed {
      return [
        Self.put(tree, 0..<9, length: 20) + [
          Self.packed(tree, 20, length: 6_000), Self.packed(table, 21, length: 30_000),
        ],
        [Self.packed(tree, 22, length: 1_200_000)],
      ]
    }
    return [
      Self.put(tree, 0..<18, length: 4) + Self.put(table, 0..<18, length: 4),
      Self.put(tree, [20], length: 2_500) + Self.put(table, [21], length: 1_100)
        + [.make(Change.Place(isTable: false, number: 1)), .make(Change.Place(isTable: true, number: 1))],
      [.removeRange(tree, low: 10, high: 15), .remove(table, key: 7)] + Self.put(tree, 22..<24, length: 100),
    ]
  }

  /// The commits after it, which are in the log of a stopped store.
  private var second: [[Change]] {
    let (tree, table) = (Self.tree, Self.table)
    let (other, otherTable) = (Change.Place(isTable: false, number: 2), Change.Place(isTable: true, number: 2))
    if self == .packed {
      return [
        [Self.packed(table, 23, length: 1 << 20), Self.packed(tree, 24, length: 7_000)],
        [Self.packed(other, 25, length: (9 << 20) + 77)],
      ]
    }
    return [
      Self.put(tree, 5..<8, length: 5, seed: 100) + Self.put(table, [21], length: 1_100, seed: 7),
      [.removeRange(table, low: 12, high: 15), .remove(tree, key: 3), .drop(Change.Place(isTable: true, number: 1))],
      [.rename(Change.Place(isTable: false, number: 1), 3), .make(otherTable)] + Self.put(other, 0..<3, length: 4),
      [.build(Change.Place(isTable: false, number: 4), 0..<9, seed: 4), .build(otherTable, 0..<9, seed: 5)],
      [.savepoint(Self.put(tree, 25..<27, length: 5), fails: false), .savepoint([.drop(tree)], fails: true)],
    ]
  }

  // MARK: Contents

  /// Describes every entry in a line: its key (bytes in hexadecimal, a number in decimal), the
  /// length of its value, and the value's checksum.
  package static func describe(_ model: Model, commit: Int) -> String {
    var lines = ["commit \(commit)"]
    for name in model.names {
      guard let tree = model.trees[name] else { continue }
      lines.append("\(tree.isTable ? "table" : "tree") \(name): \(tree.count)")
      for (key, value) in zip(tree.keys, tree.values) {
        let check = value.withUnsafeBytes { Checksum.of($0) }
        lines.append("\(text(key, tree.isTable)) \(value.count) \(String(check, radix: 16))")
      }
    }
    return lines.joined(separator: "\n")
  }

  /// A number, or the bytes. A long key is written as its length and checksum.
  private static func text(_ key: [UInt8], _ isTable: Bool) -> String {
    if isTable { return "\(Model.number(of: key))" }
    if key.count > 20 { return "\(key.count):\(String(key.withUnsafeBytes { Checksum.of($0) }, radix: 16))" }
    return key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
