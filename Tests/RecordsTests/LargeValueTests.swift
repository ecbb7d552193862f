import RoostFile
import RoostPages
import RoostTestSupport
import Testing

@testable import RoostRecords

/// Values of a megabyte and more are written once, before the record that names them, and survive any crash.
@Suite struct LargeValueTests {
  private static func options() -> StoreOptions {
    var options = StoreOptions()
    options.checkpointing = .inline
    return options
  }

  /// Bytes that cannot be compressed.
  private static func noise(_ seed: UInt64, _ count: Int = 1_200_000) -> [UInt8] {
    var generator = SplitMix64(seed: seed)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next() >> 32) }
  }

  private static func set(_ store: RecordStore, _ values: KeyValuePairs<String, Value>) throws {
    try store.write { try $0.table("File").update(RowID(1), values) }
  }

  private static func make(_ store: RecordStore) throws {
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "File") { (entity) throws(RecordFault) in
          try entity.add("data", .data)
          try entity.add("text", .string)
          try entity.add("size", .int64)
        }
        try catalog.add(index: "text", of: "File", on: ["text"], isUnique: true)
      }
    }
  }

  @Test func `a value of a megabyte goes to its place once, and the log names it`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try RecordStore("/a.roost", options: Self.options(), fileSystem: fileSystem)
    try Self.make(store)
    let data = Self.noise(1, 3_000_000)
    let before = fileSystem.steps.count
    try store.write { try $0.table("File").insert(["data": .data(data), "size": .int(3)]) }
    var written = 0
    for step in fileSystem.steps.dropFirst(before) where step.kind == .write { written += step.length }
    #expect(written < 3_200_000)
    // Read from the log, before any checkpoint.
    let again = try RecordStore("/a.roost", options: Self.options(), fileSystem: fileSystem.crashPoint().image(.none))
    try again.read { reader in
      let values = try reader.table("File").values(RowID(1))
      #expect(values?["data"] == .data(data) && values?["size"] == .int(3))
    }
    try again.close()
    try store.close()
  }

  @Test func `after any crash the whole large value exists, or the one before it`() throws {
    let (first, second) = (Self.noise(1), Self.noise(2))
    let text = String(repeating: "a long text, ", count: 100_000)
    // The content of the row after each number of steps.
    let states: [[String: Value]?] = [
      nil, nil, ["data": .data(first), "text": .string(""), "size": .int(0)],
      ["data": .data(first), "text": .string(text), "size": .int(0)],
      ["data": .data(second), "text": .string(text), "size": .int(1)],
      ["data": .data([1]), "text": .string(text + "!"), "size": .int(1)], nil,
    ]
    let crashes = CrashEverywhere(Self.options())
    try crashes.play(
      [
        { try Self.make($0) },
        { store in try store.write { _ = try $0.table("File").insert(["data": .data(first)]) } },
        { try Self.set($0, ["text": .string(text)]) },
        { try Self.set($0, ["data": .data(second), "size": .int(1)]) },
        { try Self.set($0, ["data": .data([1]), "text": .string(text + "!")]) },
        { store in try store.write { _ = try $0.table("File").delete(RowID(1)) } },
      ], from: 1, stride: 6)
    let policy = CrashPolicy(exhaustiveUpTo: 0, ofEach: 1, randoms: 1, garbage: 0)
    let images = try crashes.examine(policy) { store, acknowledged, context in
      try store.read { reader in
        let table = try reader.table("File")
        let found = try table.values(RowID(1))
        let allowed = states[acknowledged...min(acknowledged + 1, states.count - 1)]
        #expect(allowed.contains(found), "\(context)")
        if case .string(let text)? = found?["text"] {
          #expect(try table.row(unique: "text", [.string(text)]) == RowID(1), "\(context)")
        }
        #expect(table.indexes[0].count == (found == nil ? 0 : 1), "\(context)")
      }
    }
    #expect(images > 15)
  }
}
