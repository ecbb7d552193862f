import RoostKV

/// Roost through its public module `RoostKV`.
struct RoostEngine: Engine {
  let name = "roost"
  let note = "through RoostKV; synced: `.full`, relaxed: `.relaxed`; cache, log and checkpoints as they are by default"

  func open(_ directory: String, keys: KeyKind, durability: Durability) throws -> any Store {
    RoostStore(try KeyValueStore(directory + "/data.roost"), durability)
  }
}

final class RoostStore: Store {
  fileprivate let store: KeyValueStore
  fileprivate let durability: RoostKV.Durability

  init(_ store: KeyValueStore, _ durability: Durability) {
    self.store = store
    self.durability = durability == .synced ? .full : .relaxed
  }

  func session() throws -> any Session { RoostSession(self) }
  func settle() throws { try store.checkpoint() }
  func close() throws { try store.close() }
}

/// One thread's transactions on a store.
final class RoostSession: Session {
  private let owner: RoostStore
  private let store: KeyValueStore
  /// The memory of a string's value while it is written.
  private let cell = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 8)

  init(_ owner: RoostStore) {
    self.owner = owner
    store = owner.store
  }

  deinit { cell.deallocate() }

  func close() {}

  func insert(_ rows: IntegerRows, perTransaction: Int) throws {
    var key = rows.keys.lowerBound
    while key < rows.keys.upperBound {
      let end = min(key + UInt64(perTransaction), rows.keys.upperBound)
      try store.write(owner.durability) { writer in
        let table = try writer.table("rows")
        while key < end {
          try table.put(key, rows.value(of: key))
          key += 1
        }
      }
    }
  }

  func insert(_ rows: StringRows, perTransaction: Int) throws {
    for start in stride(from: 0, to: rows.count, by: perTransaction) {
      try store.write(owner.durability) { writer in
        let tree = try writer.tree("rows")
        for row in start..<min(start + perTransaction, rows.count) {
          cell.storeBytes(of: rows.value(row), as: UInt64.self)
          try tree.put(rows.key(row), UnsafeRawBufferPointer(cell))
        }
      }
    }
  }

  func commitEach(_ rows: IntegerRows) throws {
    for key in rows.keys {
      try store.write(owner.durability) { writer in
        try writer.table("rows").put(key, rows.value(of: key))
      }
    }
  }

  func build(_ rows: IntegerRows) throws {
    try store.write(owner.durability) { writer in
      try writer.table("rows").build(from: rows.keys.lazy.map { ($0, rows.value(of: $0)) })
    }
  }

  func sum(_ probes: IntegerProbes) throws -> UInt64 {
    try store.read { reader in
      let table = try reader.table("rows")
      var sum: UInt64 = 0
      for key in probes.keys {
        guard let word = try table.withValue(key, { $0.unsafeLoadUnaligned(as: UInt64.self) }) else {
          throw EngineError("roost", "withValue", "key \(key) is missing")
        }
        sum &+= word
      }
      return sum
    }
  }

  func sum(_ probes: StringProbes) throws -> UInt64 {
    try store.read { reader in
      let tree = try reader.tree("rows")
      var sum: UInt64 = 0
      for probe in 0..<probes.count {
        guard let word = try tree.withValue(probes.key(probe), { $0.unsafeLoadUnaligned(as: UInt64.self) }) else {
          throw EngineError("roost", "withValue", "probe \(probe) is missing")
        }
        sum &+= word
      }
      return sum
    }
  }

  func scan() throws -> Digest {
    try store.read { reader in
      var digest = Digest()
      if try reader.names().isEmpty { return digest }
      let table = try? reader.table("rows")
      if let table {
        var cursor = try table.cursor()
        while try cursor.next() {
          try cursor.withEntry { key, value in
            digest.add(
              keyWord: key, keyLength: 8, valueWord: value.unsafeLoadUnaligned(as: UInt64.self),
              valueLength: value.byteCount)
          }
        }
      } else {
        var cursor = try reader.tree("rows").cursor()
        while try cursor.next() {
          try cursor.withEntry { key, value in
            digest.add(
              keyWord: key.unsafeLoadUnaligned(as: UInt64.self), keyLength: key.byteCount,
              valueWord: value.unsafeLoadUnaligned(as: UInt64.self), valueLength: value.byteCount)
          }
        }
      }
      return digest
    }
  }
}
