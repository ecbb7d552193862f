import RoostCare
import RoostFile
import RoostPages
import RoostTestSupport
import RoostTrees
import Testing

@testable import RoostRecords

/// Values of 985 to 3,936 bytes are cut into pieces that share leaves.
@Suite struct LargePieceTests {
  private static let sizes = [
    0, 5, 900, 983, 984, 985, 990, 991, 1010, 1967, 1968, 1969, 2500, 2952, 2953, 3935, 3936, 3937, 4096, 5000, 20_000,
  ]

  private static func options() -> StoreOptions {
    var options = StoreOptions()
    options.checkpointing = .inline
    return options
  }

  private static func store(_ fileSystem: SimulatedFileSystem, hasHistory: Bool = true) throws -> RecordStore {
    let store = try RecordStore("/a.roost", options: options(), fileSystem: fileSystem)
    try store.write { writer in
      if hasHistory { try writer.setHistory(.full) }
      try writer.change { catalog in
        try catalog.add(entity: "Note") { (entity) throws(RecordFault) in
          try entity.add("title", .string)
          try entity.add("text", .data)
          try entity.add("other", .data)
        }
      }
    }
    return store
  }

  private static func seeds(_ few: UInt64, _ many: UInt64) -> ClosedRange<UInt64> {
    #if DEBUG
      1...few
    #else
      1...many
    #endif
  }

  private static func noise(_ generator: inout SplitMix64) -> [UInt8] {
    let seed = generator.next()
    var bytes = SplitMix64(seed: seed)
    return (0..<generator.pick(sizes)).map { _ in UInt8(truncatingIfNeeded: bytes.next() >> 32) }
  }

  private static func values(_ store: RecordStore) throws -> [RowID: [String: Value]] {
    try store.read { reader in
      let table = try reader.table("Note")
      var found: [RowID: [String: Value]] = [:]
      for number in 1...100 as ClosedRange<UInt64> {
        if let values = try table.values(RowID(number)) { found[RowID(number)] = values }
      }
      return found
    }
  }

  @Test func `each size has its number of pieces`() {
    let counts = [0, 984, 985, 1968, 1969, 2952, 2953, 3936, 3937, 1 << 20].map(LargeValue.pieces(of:))
    #expect(counts == [1, 1, 2, 2, 3, 3, 4, 4, 1, 1])
  }

  @Test(arguments: seeds(3, 20)) func `values change their sizes and keep their bytes`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    var store = try Self.store(fileSystem)
    var wanted: [RowID: [String: Value]] = [:]
    for turn in 0..<40 {
      try store.write { writer in
        let table = try writer.table("Note")
        for _ in 0..<4 {
          let (text, other) = (Value.data(Self.noise(&generator)), Value.data(Self.noise(&generator)))
          let row = wanted.keys.sorted { $0.number < $1.number }.randomElement(using: &generator)
          switch (generator.below(5), row) {
          case (0, let row?):
            try table.delete(row)
            wanted[row] = nil
          case (1, let row?), (2, let row?):
            try table.update(row, ["text": text])
            wanted[row]?["text"] = text
          default:
            let row = try table.insert(["title": .string("\(turn)"), "text": text, "other": other])
            wanted[row] = ["title": .string("\(turn)"), "text": text, "other": other]
          }
        }
      }
      if turn % 10 == 5 {
        // The log is replayed.
        let image = fileSystem.crashPoint().image(.none)
        let again = try RecordStore("/a.roost", options: Self.options(), fileSystem: image)
        #expect(try Self.values(again) == wanted, "seed \(seed), turn \(turn)")
        #expect(try again.verify().findings == [], "seed \(seed), turn \(turn)")
        try again.close()
      }
      if turn % 10 == 9 {
        try store.close()
        store = try RecordStore("/a.roost", options: Self.options(), fileSystem: fileSystem)
      }
      #expect(try Self.values(store) == wanted, "seed \(seed), turn \(turn)")
      #expect(try store.verify().findings == [], "seed \(seed), turn \(turn)")
    }
    try store.write { writer in
      for row in wanted.keys { try writer.table("Note").delete(row) }
    }
    #expect(try store.read { try $0.table("Note").largeCount } == 0, "seed \(seed)")
    try store.close()
  }

  @Test func `two values of 1,900 bytes share a page`() throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    let store = try Self.store(fileSystem, hasHistory: false)
    var generator = SplitMix64(seed: 1)
    try store.write { writer in
      for number in 0..<1000 {
        let text = (0..<1900).map { _ in UInt8(truncatingIfNeeded: generator.next() >> 32) }
        try writer.table("Note").insert(["title": .string("\(number)"), "text": .data(text)])
      }
    }
    let pages = try store.verify().pages
    #expect(pages.largeValues == 0)
    try store.close()
    let count = try #require(fileSystem.contents(of: "/a.roost")).count
    #expect(count < 2_400_000, "\(count)")
  }

  @Test(arguments: [1000, 1900, 3936]) func `a value that an older version wrote whole is read and replaced`(
    size: Int
  ) throws {
    let store = try Self.store(SimulatedFileSystem())
    let old = [UInt8](repeating: 7, count: size)
    let row = try store.write { writer in
      let row = try writer.table("Note").insert(["text": .data(old)])
      let large = try writer.table("Note").large
      let field = try #require(writer.catalog.entity("Note")?.field("text")?.id)
      #expect(try LargeValue.remove(row, field, from: large))
      try LargeKey.with(row, field) { (key) throws(StoreError) in _ = try large.put(key, old) }
      return row
    }
    #expect(try store.read { try $0.table("Note").largeCount } == 1)
    #expect(try store.read { try $0.table("Note").values(row)?["text"] } == .data(old))
    #expect(try store.verify().findings == [])
    let new = [UInt8](repeating: 8, count: 1500)
    try store.write { try $0.table("Note").update(row, ["text": .data(new)]) }
    #expect(try store.read { try $0.table("Note").largeCount } == 2)
    #expect(try store.read { try $0.table("Note").values(row)?["text"] } == .data(new))
    #expect(try store.verify().findings == [])
    try store.close()
  }

  @Test(arguments: 0..<4) func `a lost piece is found`(piece: Int) throws {
    let store = try Self.store(SimulatedFileSystem())
    try store.write { try $0.table("Note").insert(["text": .data([UInt8](repeating: 7, count: 3500))]) }
    try store.write { writer in
      let large = try writer.table("Note").large
      let field = try #require(writer.catalog.entity("Note")?.field("text")?.id)
      try LargeKey.with(RowID(1), field, piece: piece) { (key) throws(StoreError) in _ = try large.remove(key) }
    }
    let found = try store.verify().findings
    #expect(found.contains { $0.row == 1 && $0.sentence.contains("large value of") }, "\(found)")
    #expect(piece == 3 || found.contains { $0.sentence == "a large value of field 2 lacks its piece \(piece)" })
    try store.close()
  }

  /// A leaf with pieces of several values is lost. The salvage empties these values, keeps their rows, and leaves no
  /// piece that no row names.
  @Test(arguments: 0..<6) func `a salvage empties the values of a lost leaf`(number: Int) throws {
    let fileSystem = SimulatedFileSystem()
    let store = try Self.store(fileSystem, hasHistory: false)
    let text = [UInt8](repeating: 7, count: 2500)
    try store.write { writer in
      for _ in 0..<20 { try writer.table("Note").insert(["title": .string("kept"), "text": .data(text)]) }
    }
    try store.close()
    let bytes = try #require(fileSystem.contents(of: "/a.roost"))
    let leaves = (2..<bytes.count / 4096).filter { place in
      bytes[place * 4096] == 4 && bytes[place * 4096..<(place + 1) * 4096].count { $0 == 7 } > 900
    }
    #expect(leaves.count > 12)
    let lost = leaves[number * (leaves.count - 1) / 5]
    let file = try fileSystem.open("/a.roost", .write)
    try file.write([UInt8](repeating: 0, count: 4096), at: UInt64(lost) * 4096)
    file.close()
    let rows = RowSalvage()
    _ = try Rescue.salvage(
      from: "/a.roost", log: nil, to: "/b.roost", replacing: false, options: StoreOptions(), fileSystem: fileSystem,
      floor: RecordStore.floor, content: rows, log: nil
    ) { (_) throws(StoreError) in }
    let saved = try RecordStore("/b.roost", fileSystem: fileSystem)
    #expect(try saved.verify().findings == [])
    try saved.read { reader in
      let table = try reader.table("Note")
      var whole = 0
      for row in 1...20 as ClosedRange<UInt64> {
        let values = try table.values(RowID(row))
        #expect(values?["title"] == .string("kept"))
        if values?["text"] == .data(text) { whole += 1 } else { #expect(values?["text"] == .data([])) }
      }
      #expect(whole >= 16 && whole < 20 && table.largeCount == whole * 3, "\(whole), \(table.largeCount)")
    }
    try saved.close()
  }
}
