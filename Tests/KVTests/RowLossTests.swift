import RoostFile
import RoostKV
import RoostPages
import RoostRecords
import RoostTestSupport
import RoostTrees
import Testing

/// Stores of rows with one damage: the intact data that a salvage must not remove, and the data
/// that it must not keep.
@Suite struct RowLossTests {
  private let fileSystem = SimulatedFileSystem()

  /// Items with their own names and a size, in a store with a full history.
  private func store() throws -> RecordStore {
    let store = try RecordStore(
      RowDamage.path, options: RowDamage.options, fileSystem: fileSystem, clock: { 1_700_000_000_000 })
    try store.write { writer in
      try writer.setHistory(.full)
      try writer.change { catalog in
        try catalog.add(entity: "Item") { (entity) throws(RecordFault) in
          try entity.add("name", .string)
          try entity.add("size", .int32)
          try entity.add("note", .string, isOptional: true)
        }
        try catalog.add(index: "name", of: "Item", on: ["name"], isUnique: true)
      }
    }
    return store
  }

  private func insert(_ names: [String], note: String? = nil, _ store: RecordStore) throws {
    try store.write { writer in
      let table = try writer.table("Item")
      for name in names {
        try table.insert([
          "name": .string(name), "size": .int(Int64(name.utf8.count)), "note": note.map(Value.string) ?? .null,
        ])
      }
    }
  }

  private func insert(_ numbers: ClosedRange<Int>, _ store: RecordStore) throws {
    for number in numbers { try insert(["item \(number)"], store) }
  }

  private func names(_ store: RecordStore) throws -> [UInt64: Value] {
    try store.read { reader in
      let table = try reader.table("Item")
      var names: [UInt64: Value] = [:]
      var cursor = try table.cursor()
      while try cursor.next() { names[try cursor.id.number] = try table.values(cursor.id)?["name"] }
      return names
    }
  }

  /// The store after a crash at this moment.
  private func stopped(_ store: RecordStore) throws -> SimulatedFileSystem {
    let image = fileSystem.crashImage(.all)
    try store.close()
    return image
  }

  private static func long(_ seed: UInt64, _ count: Int = 3000) -> String {
    var generator = SplitMix64(seed: seed)
    return String(decoding: (0..<count).map { _ in UInt8(33 + generator.below(90)) }, as: UTF8.self)
  }

  // MARK: The log

  /// Before the fix, the owner of the log was read before the page with it was recovered, so the
  /// log was left out.
  @Test func `a wrong bit in the page that describes the trees loses nothing of the log`() throws {
    let store = try store()
    try insert(1...40, store)
    try store.store.checkpoint()
    try insert(41...60, store)
    let whole = try names(store)
    let healthy = try stopped(store)
    let meta = try #require(RowDamage.leaves(healthy, of: "meta").first)
    let start = Int(meta.place) * Page.size
    let copy = try #require(RowDamage.withCopies([meta], healthy).last)
    let bytes = try #require(healthy.contents(of: RowDamage.path))
    let unused = try #require(
      (start + 300..<start + Page.size - 300).first { bytes[$0 - 8...$0 + 8].allSatisfy { $0 == 0 } })
    let image = healthy.crashImage(.all)
    try RowDamage.change(image, RowDamage.path) { bytes in
      for page in [meta, copy] { bytes[unused - start + Int(page.place) * Page.size] ^= 12 }
    }
    let saved = try RowDamage.salvage(image)
    defer { try? saved.store.close() }
    #expect(!saved.salvage.isComplete)
    #expect(saved.salvage.records == 20)
    #expect(saved.findings == [])
    #expect(try names(saved.store) == whole)
  }

  // MARK: Consumers

  private func expectExpired(_ store: RecordStore, _ name: String) throws {
    try store.read { reader in
      let consumer = try reader.consumers.first { $0.name == name }
      let token = try #require(consumer, "\(name) is not known, and would begin as if nothing was lost").token
      let fault = #expect(throws: RecordFault.self, "\(name) is told nothing") { _ = try reader.history(after: token) }
      #expect(fault?.code == .expired)
    }
  }

  /// The positions in the log are after the place where the history begins, which is after the lost
  /// rows.
  @Test func `a consumer that has read about lost rows gets an error`() throws {
    let store = try store()
    try insert(1...40, store)
    try store.write { try $0.setConsumer("early", $0.latestToken) }
    try insert(41...60, store)
    try store.write { try $0.setConsumer("latest", $0.latestToken) }
    try store.store.checkpoint()
    try insert(61...70, store)
    try store.write { try $0.setConsumer("in the log", $0.latestToken) }
    try insert(71...71, store)
    let image = try stopped(store)
    try RowDamage.zero([RowDamage.leaves(image, of: "r1")[1]], in: image)
    let saved = try RowDamage.salvage(image)
    defer { try? saved.store.close() }
    #expect(try names(saved.store).count < 71)
    #expect(saved.findings == [])
    for name in ["early", "latest", "in the log"] { try expectExpired(saved.store, name) }
    // They continue after they have acknowledged it.
    try saved.store.write { try $0.setConsumer("early", $0.latestToken) }
    try saved.store.read { reader in
      let token = try #require(reader.consumers.first { $0.name == "early" }).token
      #expect(try reader.history(after: token).move() == nil)
    }
  }

  /// Before the fix, a consumer that could not continue blocked all pruning forever.
  @Test func `a consumer with the error about a loss blocks no pruning`() throws {
    let store = try store()
    try insert(1...60, store)
    try store.write { try $0.setConsumer("gone", $0.latestToken) }
    try store.store.checkpoint()
    let image = try stopped(store)
    try RowDamage.zero([RowDamage.leaves(image, of: "r1")[1]], in: image)
    let saved = try RowDamage.salvage(image)
    defer { try? saved.store.close() }
    try expectExpired(saved.store, "gone")
    try insert(101...110, saved.store)
    let latest = try saved.store.read { $0.commit }
    let pruned = try saved.store.write { try $0.pruneHistory(through: latest) }
    #expect(pruned.heldBy == nil && pruned.floor == latest)
  }

  /// All rows are intact, and the links between them are lost.
  @Test func `a consumer that has read about lost links gets an error`() throws {
    let store = try store()
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Tag") { (entity) throws(RecordFault) in try entity.add("name", .string) }
        try catalog.add(links: .init("tags", isOrdered: true), of: "Item", to: "Tag", inverse: .init("items"))
      }
    }
    try insert(1...20, store)
    try store.write { writer in
      let tag = try writer.table("Tag").insert(["name": .string("good")])
      for row in 1...20 { try writer.links("tags", of: "Item").append(tag, to: RowID(UInt64(row))) }
      try writer.setConsumer("reader", writer.latestToken)
    }
    try store.store.checkpoint()
    try insert(21...22, store)
    try store.write { try $0.setConsumer("reader", $0.latestToken) }
    let image = try stopped(store)
    let links = try #require(RowDamage.pages(image).first { $0.name.hasPrefix("l") })
    try RowDamage.zero(RowDamage.leaves(image, of: links.name), in: image)
    let saved = try RowDamage.salvage(image)
    defer { try? saved.store.close() }
    #expect(!saved.salvage.isComplete && saved.findings == [])
    #expect(try names(saved.store).count == 22)
    try expectExpired(saved.store, "reader")
  }

  @Test func `a consumer that has read commits in a lost part of the log gets an error`() throws {
    let store = try store()
    try insert(1...10, store)
    try store.store.checkpoint()
    try insert(11...12, store)
    try store.write { try $0.setConsumer("reader", $0.latestToken) }
    for number in 0..<6 { try insert([Self.long(UInt64(number))], store) }
    let image = try stopped(store)
    let needle = Array(Self.long(2, 40).utf8)
    try RowDamage.change(image, Store.logPath(RowDamage.path)) { bytes in
      let found = bytes.indices.dropLast(needle.count).first { bytes[$0..<$0 + needle.count].elementsEqual(needle) }
      bytes[try #require(found)] ^= 1
    }
    let saved = try RowDamage.salvage(image)
    defer { try? saved.store.close() }
    #expect(!saved.salvage.isComplete)
    #expect(try names(saved.store).count < 18)
    #expect(saved.findings == [])
    try expectExpired(saved.store, "reader")
  }

  @Test func `a consumer that has read only existing commits continues as before`() throws {
    let store = try store()
    try insert(1...60, store)
    try store.write { try $0.setConsumer("reader", $0.latestToken) }
    try store.store.checkpoint()
    try insert(61...62, store)
    let image = try stopped(store)
    let first = try #require(RowDamage.leaves(image, of: "history").first)
    try RowDamage.zero([first], in: image)
    let saved = try RowDamage.salvage(image)
    defer { try? saved.store.close() }
    #expect(!saved.salvage.isComplete)
    #expect(saved.findings == [])
    try saved.store.read { reader in
      let token = try #require(reader.consumers.first).token
      let cursor = try reader.history(after: token)
      // Setting a consumer makes no entry.
      #expect([try cursor.move()?.number, try cursor.move()?.number, try cursor.move()?.number] == [63, 64, nil])
    }
  }

  // MARK: Unique values

  /// Before the fix, the row whose own name was lost came first, and the intact row was left out.
  @Test func `an intact row is not left out for a row that has lost its unique value`() throws {
    let store = try store()
    try insert([Self.long(1), Self.long(2), "", "short"], store)
    try store.store.checkpoint()
    let image = try stopped(store)
    try RowDamage.zero(RowDamage.pages(image).filter { $0.name == "v1" }.map(\.page), in: image)
    let saved = try RowDamage.salvage(image)
    defer { try? saved.store.close() }
    #expect(saved.findings == [])
    #expect(try names(saved.store) == [3: .string(""), 4: .string("short")])
    let told = saved.salvage.losses.map(\.description)
    #expect(
      told.contains { $0.contains("Item") && $0.contains("2 (row 1, row 2)") && $0.contains("unique") }, "\(told)")
  }

  /// Before the fix, the log was replayed without checking unique indexes: then both rows had the
  /// same name.
  @Test func `a row of the log stays if a saved row has its values`() throws {
    let store = try store()
    try insert([Self.long(1), "short"], store)
    try store.store.checkpoint()
    try insert(["", "more"], store)
    let image = try stopped(store)
    try RowDamage.zero(RowDamage.pages(image).filter { $0.name == "v1" }.map(\.page), in: image)
    let saved = try RowDamage.salvage(image)
    defer { try? saved.store.close() }
    #expect(saved.findings == [])
    #expect(try names(saved.store) == [2: .string("short"), 3: .string(""), 4: .string("more")])
    #expect(saved.salvage.losses.contains { $0.description.contains("row 1") })
  }

  @Test func `a row that the log changes stays if a saved row has its values`() throws {
    let store = try store()
    try insert([Self.long(1), "short", "more"], store)
    try store.store.checkpoint()
    try store.write { try $0.table("Item").update(RowID(2), ["name": .string("")]) }
    try insert(["last"], store)
    try store.write { try $0.table("Item").update(RowID(2), ["size": .int(7)]) }
    let image = try stopped(store)
    try RowDamage.zero(RowDamage.pages(image).filter { $0.name == "v1" }.map(\.page), in: image)
    let saved = try RowDamage.salvage(image)
    defer { try? saved.store.close() }
    #expect(saved.findings == [])
    #expect(try names(saved.store) == [2: .string(""), 3: .string("more"), 4: .string("last")])
  }

  // MARK: The history

  /// Before the fix, only the earlier gap was seen, and the history continued over the lost entry.
  @Test func `the history begins after a lost entry, even if an earlier part is lost too`() throws {
    let store = try store()
    // Entries that do not fit into a leaf: each becomes a value outside it, with those before it.
    for number in 1...30 { try insert(["item \(number)"], note: Self.long(UInt64(number), 2500), store) }
    let large = try store.read { $0.commit } - 4
    try insert(34...60, store)
    try store.store.checkpoint()
    let image = try stopped(store)
    let lost = try RowDamage.outside(image, of: "history").filter { $0.key <= large }
    let earlier = try #require(RowDamage.leaves(image, of: "history").first)
    try RowDamage.zero(lost.suffix(1).map(\.page) + [earlier], in: image)
    let key = try #require(lost.last).key
    let saved = try RowDamage.salvage(image)
    defer { try? saved.store.close() }
    #expect(saved.findings == [])
    try saved.store.read { reader in
      let oldest = try reader.oldestToken.transaction
      #expect(oldest >= key)
      // After the floor nothing is missing.
      let cursor = try reader.history()
      var next = oldest
      while let found = try cursor.move() {
        #expect(found.number == next + 1)
        next = found.number
      }
      #expect(next == reader.commit)
    }
  }

  // MARK: References

  /// Before the fix, they were not changed, and `verify` refused the store.
  @Test func `rows that need a lost row are reported, and the store is consistent`() throws {
    let store = try store()
    try store.write { writer in
      try writer.change { catalog in
        let item = try #require(catalog.entity("Item")).id
        try catalog.add(entity: "Part") { (entity) throws(RecordFault) in
          try entity.add("number", .int64)
          try entity.add("item", .reference(item))
        }
        try catalog.add(reference: "item", of: "Part", inverse: .init("parts", deleteRule: .cascade, isOrdered: true))
      }
      let items = try writer.table("Item")
      let parts = try writer.table("Part")
      for number in 0..<40 {
        let item = try items.insert(["name": .string("item \(number)"), "size": .int(1)])
        for part in 0..<2 { try parts.insert(["number": .int(Int64(part)), "item": .reference(item)]) }
      }
      // The order differs from that of the numbers, so it is written.
      let one = try writer.catalog.relationship("parts", of: "Item")
      for row in 1...40 { try writer.links(one).move(from: 0, to: 1, in: RowID(UInt64(row))) }
    }
    try store.store.checkpoint()
    let image = try stopped(store)
    try RowDamage.zero([RowDamage.leaves(image, of: "r1")[1]], in: image)
    let saved = try RowDamage.salvage(image)
    defer { try? saved.store.close() }
    #expect(saved.findings == [])
    let there = try names(saved.store)
    #expect(there.count < 40)
    let told = saved.salvage.losses.map(\.description)
    #expect(
      told.contains { $0.contains("rows of Part need a row of Item that is lost: \((40 - there.count) * 2) (row ") },
      "\(told)")
    let (parts, isTorn) = try saved.store.read { reader in
      (try reader.table("Part").count, try reader.catalog.relationship("item", of: "Part").traits.contains(.torn))
    }
    #expect(parts == 80 && isTorn)
    // New writes are checked as before.
    let fault = #expect(throws: (any Error).self) {
      try saved.store.write { try $0.table("Part").insert(["number": .int(3), "item": .reference(RowID(999))]) }
    }
    #expect((fault as? RecordFault)?.code == .unknown)
  }
}
