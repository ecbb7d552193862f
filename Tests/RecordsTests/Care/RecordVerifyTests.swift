import RoostFile
import RoostPages
import RoostTestSupport
import RoostTrees
import Testing

@testable import RoostRecords

/// An examination finds every inconsistency, and nothing in a consistent store.
@Suite struct RecordVerifyTests {
  private static func options() -> StoreOptions {
    var options = StoreOptions()
    options.checkpointing = .manual
    options.fanoutLimit = 8
    return options
  }

  private static func catalog() throws -> RoostRecords.Catalog {
    var catalog = RoostRecords.Catalog()
    let owner = try catalog.add(entity: "Owner") { (entity) throws(RecordFault) in try entity.add("name", .string) }
    try catalog.add(entity: "Thing") { (entity) throws(RecordFault) in
      try entity.add("id", .string)
      try entity.add("size", .int32, isOptional: true)
      try entity.add("text", .string)
      try entity.add("owner", .reference(owner), isOptional: true)
    }
    try catalog.add(index: "id", of: "Thing", on: ["id"], isUnique: true)
    try catalog.add(index: "size", of: "Thing", on: ["size", "text"], descending: ["size"])
    let size = catalog.entity("Thing")!.field("size")!.id
    try catalog.add(index: "big", of: "Thing", on: ["text"], tests: [.isNotNull(size)])
    try catalog.add(reference: "owner", of: "Thing", inverse: .init("things", isOrdered: true))
    try catalog.add(
      links: .init("likes", isOrdered: true), of: "Owner", to: "Thing", inverse: .init("likedBy", isOrdered: true))
    try catalog.add(links: .init("tags"), of: "Owner", to: "Thing", inverse: .init("tagged"))
    return catalog
  }

  private static func filled(_ store: RecordStore) throws {
    try store.write { writer in
      try writer.setHistory(.full)
      try writer.change { $0 = try catalog() }
      for number in 0..<6 { try writer.table("Owner").insert(["name": .string("o \(number)")]) }
    }
    try store.write { writer in
      let table = try writer.table("Thing")
      for number in 0..<60 {
        try table.insert([
          "id": .string("t \(number)"), "size": number % 3 == 0 ? .null : .int(Int64(number % 7)),
          "text": .string(String(repeating: "x", count: number % 9 == 0 ? 4000 : number)),
          "owner": number % 4 == 0 ? .null : .reference(RowID(UInt64(1 + number % 6))),
        ])
      }
      let things = try writer.links("things", of: "Owner")
      for owner in (1...6).map({ RowID($0) }) where try things.count(of: owner) > 1 {
        try things.move(from: 1, to: 0, in: owner)
      }
      let (likes, tags) = (try writer.links("likes", of: "Owner"), try writer.links("tags", of: "Owner"))
      for number in 1..<40 {
        try likes.insert(RowID(UInt64(number)), at: 0, in: RowID(UInt64(1 + number % 5)))
        try tags.append(RowID(UInt64(number)), to: RowID(UInt64(1 + number % 6)))
      }
    }
    try store.write { writer in
      let table = try writer.table("Thing")
      for number in 30..<34 { try table.deleteFollowingRules(RowID(UInt64(number))) }
      for number in 10..<20 { try table.update(RowID(UInt64(number)), ["text": .string("new"), "size": .int(90)]) }
      try writer.setConsumer("mirror", writer.latestToken)
    }
  }

  @Test func `a sound store is found sound`() throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    let store = try RecordStore("/a.roost", options: Self.options(), fileSystem: fileSystem)
    #expect(try store.verify().findings == [])
    try Self.filled(store)
    let found = try store.verify()
    #expect(found.findings == [])
    #expect(found.entities.map(\.name) == ["Owner", "Thing"] && found.entities.map(\.rows) == [6, 56])
    #expect(found.entities[1].indexes.map(\.entries)[0] == 56 && found.entities[1].largeValues > 0)
    #expect(found.history.entries == 3 && found.history.mode == .full && found.history.consumers == 1)
    #expect(found.links > 60)
    // One relationship keeps an order on both sides, the other on none.
    let counts = try store.read { reader in
      try ["likes", "tags"].map { try reader.linkCount(reader.catalog.relationship($0, of: "Owner")) }
    }
    #expect(counts == [35, 35], "\(counts)")
    try store.close()
    let closed = try RecordStore.verify("/a.roost", fileSystem: fileSystem)
    #expect(closed.findings == [] && closed.entities == found.entities)
    #expect(try RecordStore.holdsRows("/a.roost", fileSystem: fileSystem))
  }

  /// Changes a tree directly, without the code that keeps it consistent. Returns the findings.
  private func findings(_ spoil: (Forest) throws -> Void) throws -> [RecordVerification.Finding] {
    let store = try RecordStore(inMemory: Self.options())
    try Self.filled(store)
    #expect(try store.verify().findings == [])
    let transaction = try store.store.beginWrite(timeoutMilliseconds: nil)
    let forest = Forest(in: transaction)
    try spoil(forest)
    try transaction.commit(forest.seal(), durability: .relaxed)
    return try store.verify().findings
  }

  private func bytes(_ name: String, _ forest: Forest) throws -> ByteTreeDraft {
    guard case .bytes(let draft)? = try forest.find(Array(name.utf8))?.trunk else { throw Missing() }
    return draft
  }

  private func rows(_ name: String, _ forest: Forest) throws -> IntegerTreeDraft {
    guard case .integers(let draft)? = try forest.find(Array(name.utf8))?.trunk else { throw Missing() }
    return draft
  }

  private struct Missing: Error {}

  /// The entry with the number n.
  private func entry(_ number: UInt64, _ draft: ByteTreeDraft) throws -> (key: [UInt8], value: [UInt8]) {
    var cursor = ByteCursor(draft.tree)
    guard try cursor.move(to: number), let (key, value) = cursor.entry() else { throw Missing() }
    return ([UInt8](key.bytes), [UInt8](value.bytes))
  }

  private func remove(_ number: UInt64, _ draft: ByteTreeDraft) throws {
    let key = try entry(number, draft).key
    try ByteKey.borrowing(key) { (key) throws(StoreError) in _ = try draft.remove(key) }
  }

  private func put(_ key: [UInt8], _ value: [UInt8], _ draft: ByteTreeDraft) throws {
    try ByteKey.borrowing(key) { (key) throws(StoreError) in try draft.put(key, value) }
  }

  private func put(_ key: UInt64, _ value: [UInt8], _ draft: IntegerTreeDraft) throws {
    try value.withUnsafeBytes { bytes in _ = try draft.put(key, bytes) }
  }

  @Test(arguments: ["i1", "i2", "i3", "i4"]) func `a missing or additional entry is found`(name: String) throws {
    let missing = try findings { try remove(5, bytes(name, $0)) }
    #expect(missing.contains { $0.kind == .index && $0.sentence == "the row is missing" }, "\(missing)")
    let more = try findings { forest in
      let draft = try bytes(name, forest)
      let (found, value) = try entry(5, draft)
      var key = found
      key[0] ^= 1
      try put(key, value, draft)
    }
    #expect(more.contains { $0.kind == .index && $0.index != nil }, "\(more)")
  }

  @Test func `a row without entries and one that is unreadable are found`() throws {
    let more = try findings { forest in
      let draft = try rows("r2", forest)
      let value = try #require(try draft.tree.value(of: 3))
      try put(58, value, draft)
      try put(4, Array(value.dropLast()), draft)
      try put(99, value, draft)
    }
    #expect(more.contains { $0.kind == .index && $0.row == 58 })
    #expect(more.contains { $0.kind == .row && $0.row == 4 })
    #expect(more.contains { $0.kind == .counter && $0.row == 99 })
    #expect(more.contains { $0.kind == .history })
  }

  @Test func `large values without an owner are found`() throws {
    let more = try findings { forest in
      let draft = try bytes("v2", forest)
      let (key, value) = try entry(1, draft)
      var other = key
      other[9] = 9
      try put(other, value, draft)
      try remove(0, draft)
    }
    #expect(more.contains { $0.kind == .largeValue })
    #expect(more.contains { $0.kind == .row && $0.sentence.contains("missing") })
  }

  @Test(arguments: ["l2", "l3", "l5"]) func `a link on only one side is found`(name: String) throws {
    for place: UInt64 in [0, 20, 50] {
      let missing = try findings { try remove(place, bytes(name, $0)) }
      #expect(missing.contains { $0.kind == .link }, "\(name) \(place)")
    }
    let more = try findings { forest in
      let draft = try bytes(name, forest)
      let (key, value) = try entry(3, draft)
      try put(key + [1], value, draft)
    }
    #expect(more.contains { $0.kind == .link }, "\(name)")
  }

  @Test func `a reference to a missing row is found`() throws {
    let found = try findings { forest in
      let draft = try rows("r1", forest)
      _ = try draft.remove(2)
    }
    #expect(found.contains { $0.kind == .reference && $0.index == "owner" })
    #expect(found.contains { $0.kind == .link && $0.row == 2 })
  }

  @Test func `a history that lost an entry, or cannot be read, is found`() throws {
    let lost = try findings { _ = try rows("history", $0).remove(3) }
    #expect(lost.contains { $0.kind == .history && $0.sentence.contains("rows of Thing") }, "\(lost)")
    let spoiled = try findings { forest in
      let draft = try rows("history", forest)
      var value = try #require(try draft.tree.value(of: 3))
      value.removeLast()
      try put(3, value, draft)
    }
    #expect(spoiled.contains { $0.kind == .history })
    let late = try findings { forest in
      let draft = try rows("history", forest)
      // A piece of several transactions names the last one too.
      let single = try HistoryContent(3, #require(try draft.tree.value(of: 3))).members[0]
      try put(300, HistoryBlock.entry(single.stamp, ordinal: 0, bytesBefore: 0, single.bytes), draft)
    }
    #expect(late.contains { $0.kind == .history && $0.sentence.contains("out of order") }, "\(late)")
  }

  @Test func `trees, counters, consumers and a catalog that do not fit are found`() throws {
    let more = try findings { forest in
      _ = try forest.create(Array("r77".utf8), .integers)
      _ = try forest.drop(Array("i3".utf8))
      try put(Tables.nextKey(EntityID(2)), [5, 0, 0, 0, 0, 0, 0, 0], bytes("meta", forest))
      try put(Array("odd".utf8), [1], bytes("meta", forest))
      try put(Array("far".utf8), ConsumerPlace.value(900, HybridTime(bits: 1)), bytes("consumers", forest))
    }
    for kind in [RecordVerification.Kind.tree, .counter, .consumer] { #expect(more.contains { $0.kind == kind }) }
    #expect(more.contains { $0.kind == .tree && $0.sentence.contains("r77") })
    let bad = try findings { forest in try put(Tables.catalogKey, [1, 2], bytes("meta", forest)) }
    #expect(bad.map(\.kind) == [.catalog])
  }

  @Test func `a damaged page is reported, and its missing entries are not reported too`() throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    let store = try RecordStore("/a.roost", options: Self.options(), fileSystem: fileSystem)
    try Self.filled(store)
    try store.close()
    let healthy = try #require(fileSystem.contents(of: "/a.roost"))
    var generator = SplitMix64(seed: 3)
    var found = 0
    for _ in 0..<200 {
      var bytes = healthy
      bytes[8192 + generator.below(bytes.count - 8192)] ^= 1 << UInt8(generator.below(8))
      #expect(fileSystem.overwrite("/a.roost", with: bytes))
      let findings = try RecordStore.verify("/a.roost", fileSystem: fileSystem).findings
      if findings.isEmpty { continue }
      found += 1
      #expect(findings.contains { $0.kind == .page }, "\(findings)")
    }
    #expect(found > 60)
  }

  /// A row kept its layout while a field with a large value was removed. Before the fix, when the
  /// row was changed or removed, the large value of the removed field stayed in the file forever.
  @Test(arguments: [false, true]) func `a large value is removed with its field's last row`(deletes: Bool) throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    let store = try RecordStore("/a.roost", options: Self.options(), fileSystem: fileSystem)
    try Self.filled(store)
    try store.write { writer in
      try writer.change { catalog in
        try catalog.remove(index: "size", of: "Thing")
        try catalog.remove(index: "big", of: "Thing")
        try catalog.change(entity: "Thing") { (entity) throws(RecordFault) in try entity.remove("text") }
      }
    }
    #expect(try store.verify().findings == [])
    let before = try store.verify().entities[1].largeValues
    try store.write { writer in
      let table = try writer.table("Thing")
      for number in 1...56 {
        if deletes {
          try table.delete(RowID(UInt64(number)))
        } else {
          try table.update(RowID(UInt64(number)), ["size": .int(-3)])
        }
      }
    }
    let crashed = fileSystem.crashPoint().image(.none)
    let found = try store.verify()
    #expect(found.findings == [])
    #expect(found.entities[1].largeValues < before)
    let again = try RecordStore("/a.roost", options: Self.options(), fileSystem: crashed)
    #expect(try again.verify().findings == [])
    #expect(try again.verify().entities == found.entities)
    try again.close()
    try store.close()
  }

  /// A partial index asks for a value. Before the fix, rows in which that value was too large to be
  /// stored in the row were not checked, so the index did not have them.
  @Test func `a partial index has rows whose value is stored outside the row`() throws {
    let store = try RecordStore(inMemory: Self.options())
    let long = Value.string(String(repeating: "l", count: 3000))
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "A") { (entity) throws(RecordFault) in
          try entity.add("number", .int64)
          try entity.add("text", .string)
        }
        let text = catalog.entity("A")!.field("text")!.id
        try catalog.add(index: "long", of: "A", on: ["number"], tests: [.equals(text, long)])
      }
      try writer.table("A").insert(["number": .int(1), "text": long])
      try writer.table("A").insert(["number": .int(2), "text": .string("short")])
      try writer.table("A").update(RowID(1), ["number": .int(3)])
    }
    let found = try store.verify()
    #expect(found.findings == [])
    #expect(found.entities[0].indexes.map(\.entries) == [1])
  }
}
