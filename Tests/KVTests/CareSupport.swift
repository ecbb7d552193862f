import RoostFile
import RoostKV
import RoostPages
import RoostTestSupport
import RoostTrees
import Testing

/// Stores for the tests of verify, backup, salvage and compaction.
enum Care {
  static var options: StoreOptions {
    var options = StoreOptions()
    options.segmentBytes = 1 << 16
    options.checkpointing = .manual
    options.fanoutLimit = 8
    return options
  }

  static func value(_ seed: Int, _ count: Int) -> [UInt8] {
    var random = SplitMix64(seed: UInt64(seed) &+ 7)
    return random.bytes(count)
  }

  static func text(_ seed: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 / 7) &* seed % 64 + 32) }
  }

  /// A tree, a table, an empty tree, and large values of every kind.
  static func fill(_ store: KeyValueStore, _ count: Int = 400, megabytes: Bool = true) throws {
    try store.write { writer in
      let tree = try writer.tree("names")
      for index in 0..<count { try tree.put("name \(index * 7919 % count)", "value \(index)") }
      let table = try writer.table("rows")
      for index in 0..<count { try table.put(UInt64(index * 3), value(index, index % 200)) }
      _ = try writer.tree("empty")
    }
    try store.write { writer in
      let large = try writer.tree("large")
      try large.put("random", value(1, 30_000))
      try large.put("text", text(3, 70_000))
      try writer.table("numbers").put(9, value(5, 50_000))
      if !megabytes { return }
      try large.put("named", value(2, 1_300_000))
      try large.put("many", value(3, 9_500_000))
      try large.put("gone", value(4, 2_000_000))
    }
    try store.write { writer in
      try writer.tree("large").remove("gone")
      let tree = try writer.tree("names")
      for index in stride(from: 0, to: count, by: 5) { try tree.remove("name \(index)") }
    }
  }

  /// The whole content of a store, for comparisons.
  static func contents(_ store: KeyValueStore) throws -> [String: [[UInt8]: [UInt8]]] {
    try store.read { reader in
      var all: [String: [[UInt8]: [UInt8]]] = [:]
      for name in try reader.names() {
        var entries: [[UInt8]: [UInt8]] = [:]
        if try reader.catalog.descriptor(Array(name.utf8))?.kind == .integers {
          try reader.table(name).forEach { key, value in
            entries[Array("\(key)".utf8)] = value.withUnsafeBytes { [UInt8]($0) }
            return true
          }
        } else {
          try reader.tree(name).forEach { key, value in
            entries[key.withUnsafeBytes { [UInt8]($0) }] = value.withUnsafeBytes { [UInt8]($0) }
            return true
          }
        }
        all[name] = entries
      }
      return all
    }
  }
}
