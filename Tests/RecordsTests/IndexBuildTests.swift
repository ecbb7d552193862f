import RoostFile
import RoostPages
import RoostTestSupport
import RoostTrees
import Synchronization
import Testing

@testable import RoostRecords

/// Indexes over existing rows: in steps between other changes and through crashes, or at once
/// within limits.
@Suite struct IndexBuildTests {
  private static func make(_ store: RecordStore, rows: Int) throws {
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Item") { (entity) throws(RecordFault) in
          try entity.add("name", .string)
          try entity.add("size", .int64, isOptional: true)
        }
      }
      for number in 0..<rows { try insert(writer, number) }
    }
  }

  private static func insert(_ writer: RecordWriter, _ number: Int) throws {
    try writer.table("Item").insert([
      "name": .string("n\(number &* 7919 % 100_003)"), "size": number % 4 == 0 ? .null : .int(Int64(number % 10)),
    ])
  }

  private static func add(_ store: RecordStore, _ later: Bool = true) throws {
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(index: "size", of: "Item", on: ["size", "name"], descending: ["name"], isBuiltLater: later)
        try catalog.add(index: "name", of: "Item", on: ["name"], isUnique: true, isBuiltLater: later)
      }
    }
  }

  /// The index must have exactly the entries of the rows up to which it is built.
  private static func check(_ reader: RecordReader, _ context: String = "") throws {
    let table = try reader.table("Item")
    for index in table.indexes {
      var wanted = Set<[UInt8]>()
      var cursor = try table.cursor()
      while try cursor.next() {
        let id = try cursor.id
        if let end = index.index.builtBelow, id >= end { continue }
        var key = ByteBuffer()
        let values = try table.fields(id, index.index) ?? []
        try table.entity.append(values, of: index.index, to: &key)
        if !index.index.isUnique { KeyCoding.append(row: id, to: &key) }
        wanted.insert([UInt8](key.bytes))
      }
      var entries = try index.cursor()
      var found = Set<[UInt8]>()
      while try entries.next() { found.insert([UInt8](try entries.key())) }
      #expect(found == wanted, "\(context) \(index.index.name)")
    }
  }

  @Test(arguments: UInt64(1)...6) func `rows that change while an index is built stay right in it`(seed: UInt64) throws
  {
    var generator = SplitMix64(seed: seed)
    var options = StoreOptions()
    options.fanoutLimit = 8
    options.checkpointing = .inline
    options.logBytes = 60_000
    options.segmentBytes = 32768
    var fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    var store = try RecordStore("/a.roost", options: options, fileSystem: fileSystem)
    try Self.make(store, rows: 150)
    try Self.add(store)
    var next = 150
    for round in 0..<200 {
      let building = try store.read { $0.catalog.indexes.filter { $0.builtBelow != nil } }
      if building.isEmpty { break }
      try store.write { writer in
        for _ in 0..<generator.below(4) {
          let id = RowID(UInt64(1 + generator.below(next)))
          switch generator.below(3) {
          case 0:
            try Self.insert(writer, next)
            next += 1
          case 1: try writer.table("Item").update(id, ["size": .int(Int64(generator.below(20)))])
          default: try writer.table("Item").delete(id)
          }
        }
        let index = building[generator.below(building.count)]
        _ = try writer.buildStep(index.id, most: 1 + generator.below(20))
      }
      if generator.chance(1, in: 4) {
        fileSystem = fileSystem.crashPoint().image(.none)
        fileSystem.recordsSteps = false
        store = try RecordStore("/a.roost", options: options, fileSystem: fileSystem)
        // Not more often, because a checkpoint leaves nothing to replay after a crash.
        #expect(try store.complaints() == [], "seed \(seed) round \(round)")
      }
      try store.read { try Self.check($0, "seed \(seed) round \(round)") }
    }
    try store.read { reader in
      let table = try reader.table("Item")
      #expect(table.indexes.count == 2 && table.indexes.allSatisfy { $0.isWhole && $0.count == table.count })
    }
  }

  @Test func `a duplicate stops the building, and it continues when the duplicate is removed`() throws {
    let store = try RecordStore(inMemory: StoreOptions())
    try Self.make(store, rows: 100)
    try store.write { try $0.table("Item").insert(["name": .string("n7919")]) }
    try Self.add(store)
    let fault = #expect(throws: RecordFault.self) { try store.buildIndexes(rowsAtOnce: 30) }
    #expect(fault?.code == .notUnique && fault?.rows == [2, 101].map { RowName(EntityID(1), RowID($0)) })
    try store.read { reader in
      try Self.check(reader)
      #expect(try reader.table("Item").index("size")?.isWhole == true)
      #expect(try reader.table("Item").index("name")?.index.builtBelow == RowID(91))
    }
    #expect(try store.complaints() == [])
    try store.write { try $0.table("Item").delete(RowID(101)) }
    try store.buildIndexes(rowsAtOnce: 30)
    try store.read { reader in
      try Self.check(reader)
      #expect(reader.catalog.indexes.allSatisfy { $0.builtBelow == nil })
    }
  }

  @Test func `an index over many rows takes no more drafts than other changes`() throws {
    var options = StoreOptions()
    options.checkpointing = .inline
    options.draftBytes = 64 * 4096
    let fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    let store = try RecordStore("/a.roost", options: options, fileSystem: fileSystem)
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Item") { (entity) throws(RecordFault) in try entity.add("name", .string) }
      }
    }
    for part in 0..<10 {
      try store.write { writer in
        let table = try writer.table("Item")
        for number in 0..<2000 {
          try table.insert(["name": .string("name \((part * 2000 + number) &* 7919 % 20_011) and more of it")])
        }
      }
    }
    for isUnique in [false, true] {
      var most = 0
      try store.write { writer in
        try writer.change { try $0.add(index: "by \(isUnique)", of: "Item", on: ["name"], isUnique: isUnique) }
        most = store.store.frames.drafts.load(ordering: .relaxed)
        let index = try writer.reading("Item").index("by \(isUnique)")
        #expect(index?.count == 20_000)
      }
      // Leaves are spilled; branches and the last batch stay.
      #expect(most < 64 * 2, "\(most) drafts")
    }
    try store.close()
  }

  @Test func `an index built at once equals one built in steps`() throws {
    let (one, other) = (try RecordStore(inMemory: StoreOptions()), try RecordStore(inMemory: StoreOptions()))
    for (store, later) in [(one, true), (other, false)] {
      try Self.make(store, rows: 3000)
      try Self.add(store, later)
      try store.buildIndexes(rowsAtOnce: 700)
      try store.read { try Self.check($0) }
      #expect(try store.complaints() == [])
    }
    #expect(try one.read { $0.catalog.indexes } == other.read { $0.catalog.indexes })
  }
}
