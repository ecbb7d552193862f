import RoostCare
import RoostFile
import RoostPages
import RoostTestSupport
import RoostTrees
import Testing

@testable import RoostRecords

/// Every inconsistency is found, each kind by name.
@Suite struct VerifyTests {
  private func store() throws -> RecordStore {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { catalog in
        catalog = try LinkModelTests.catalog()
        try catalog.add(index: "name", of: "Target", on: ["name"], isUnique: true)
      }
      for _ in 0..<3 { try writer.table("Owner").insert(["name": .string("o")]) }
      for number in 0..<9 {
        try writer.table("Target").insert([
          "name": .string(String(repeating: "n\(number)", count: number * 200)),
          "parent": .reference(RowID(UInt64(number % 3 + 1))),
        ])
      }
      for kind in LinkModelTests.kinds {
        let links = try writer.links(kind.name, of: "Owner")
        for number in 1...9 { try links.append(RowID(UInt64(number)), to: RowID(UInt64(number % 3 + 1))) }
      }
    }
    return store
  }

  /// Breaks the store directly.
  private func broken(_ body: (RecordWriter) throws -> Void) throws -> [String] {
    let store = try store()
    #expect(try store.complaints() == [])
    try store.write { try body($0) }
    return try store.complaints()
  }

  @Test func `a missing or additional entry`() throws {
    let few = try broken { writer in
      let index = try writer.table("Target").indexes[0]
      var key = ByteBuffer()
      key.append(1)
      KeyCoding.append(row: RowID(1), to: &key)
      KeyCoding.append(row: RowID(1), to: &key)
      #expect(try index.draft.remove(ByteKey(key.bytes)))
    }
    #expect(few.contains("index: the row is missing, @parent of Target, row 1"), "\(few)")
    #expect(few.contains("index: the rows have 9 entries in the index, which has 8, @parent of Target"), "\(few)")
    let many = try broken { writer in
      _ = try writer.table("Target").rows.remove(4)
    }
    #expect(many.contains("index: the rows have 8 entries in the index, which has 9, @parent of Target"), "\(many)")
    #expect(many.contains("link: a link references row 4, which does not exist, both of Owner, row 2"), "\(many)")
  }

  /// The number of entries is correct, and one of them has another key.
  @Test func `an entry in a wrong place`() throws {
    let found = try broken { writer in
      let index = try writer.table("Target").indexes[0]
      for (owner, isThere) in [(1, true), (2, false)] as [(UInt64, Bool)] {
        var key = ByteBuffer()
        key.append(1)
        KeyCoding.append(row: RowID(owner), to: &key)
        let values = key.count
        KeyCoding.append(row: RowID(1), to: &key)
        if isThere {
          #expect(try index.draft.remove(ByteKey(key.bytes)))
        } else {
          try index.draft.put(ByteKey(key.bytes), [UInt8(key.count - values)])
        }
      }
    }
    #expect(found.contains("index: the row is missing, @parent of Target, row 1"), "\(found)")
    #expect(found.contains("index: an entry has other values than its row, @parent of Target, row 1"), "\(found)")
    #expect(found.count == 2, "\(found)")
  }

  /// The number of entries is correct, and the key of one of them is marked as whole although the
  /// row's number is in it.
  @Test func `an entry in another form`() throws {
    let found = try broken { writer in
      let index = try writer.table("Target").indexes[0]
      var key = ByteBuffer()
      key.append(1)
      KeyCoding.append(row: RowID(1), to: &key)
      var row = ByteBuffer()
      row.append(0)
      KeyCoding.append(row: RowID(1), to: &row)
      KeyCoding.append(row: RowID(1), to: &key)
      try index.draft.put(ByteKey(key.bytes), Array(row.bytes))
    }
    #expect(!found.isEmpty && found.allSatisfy { $0.contains("@parent of Target") }, "\(found)")
  }

  @Test func `two entries of a unique index that name each other's rows`() throws {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Page") { (entity) throws(RecordFault) in try entity.add("text", .string) }
        try catalog.add(index: "text", of: "Page", on: ["text"], isUnique: true)
      }
      for text in ["a", "b"] { try writer.table("Page").insert(["text": .string(text)]) }
    }
    #expect(try store.complaints() == [])
    try store.write { writer in
      let index = try writer.table("Page").indexes[0]
      var entries: [(key: [UInt8], value: [UInt8])] = []
      try index.draft.tree.survey(gap: { _ in }) { (key, value) in
        entries.append((key.withUnsafeBytes { [UInt8]($0) }, [UInt8](value.bytes)))
      }
      try #require(entries.count == 2)
      for (number, entry) in entries.enumerated() {
        try entry.key.withUnsafeBytes { _ = try index.draft.put(ByteKey($0), entries[1 - number].value) }
      }
    }
    let found = try store.complaints()
    #expect(!found.isEmpty && found.allSatisfy { $0.contains("text of Page") }, "\(found)")
  }

  /// Rows whose long texts begin alike share a key, so their values are compared.
  @Test func `two rows of a unique index with the same long text`() throws {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Page") { (entity) throws(RecordFault) in try entity.add("text", .string) }
        try catalog.add(index: "text", of: "Page", on: ["text"])
      }
      for _ in 0..<2 { try writer.table("Page").insert(["text": .string(String(repeating: "x", count: 2000))]) }
    }
    #expect(try store.complaints() == [])
    // Such an entry of a unique index has the form of a non-unique one.
    try store.write { writer in try writer.change { $0.indexes[0].isUnique = true } }
    let found = try store.complaints()
    #expect(found.count == 1 && found[0].contains("text of Page"), "\(found)")
  }

  /// Before the fix, each row was looked up for each of its entries, and each entry for its row:
  /// with a million rows, 41 reads for each page.
  @Test func `each page is read a few times, however small the cache is`() throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    let store = try RecordStore("/a.roost", fileSystem: fileSystem)
    var random = SplitMix64(seed: 20)
    try store.write { writer in
      try writer.change { catalog in
        catalog = try LinkModelTests.catalog()
        try catalog.add(index: "name", of: "Target", on: ["name"], isUnique: true)
      }
      for number in 0..<800 { try writer.table("Owner").insert(["name": .string("owner \(number)")]) }
      for _ in 0..<6000 {
        try writer.table("Target").insert([
          "name": .string(String(repeating: "\(random.next())", count: 6)),
          "parent": .reference(RowID(UInt64(1 + random.below(800)))),
        ])
      }
    }
    try store.close()
    let examination = try Store.examine("/a.roost", fileSystem: fileSystem, floor: Tables.floor, cachePages: 64)
    let found = RecordInspector(examination, Verification()).run()
    #expect(found.findings == [])
    let pages = Int(examination.pageCount)
    #expect(pages > 400, "the cache must be smaller than the store: \(pages) pages")
    #expect(examination.pagesRead <= 4 * pages, "\(examination.pagesRead) reads of \(pages) pages")
  }

  private struct Stop: Error {}

  /// A closed store of some hundred pages, with indexes, links and large values.
  private func large(in fileSystem: any FileSystem) throws {
    let store = try RecordStore("/a.roost", options: StoreOptions(), fileSystem: fileSystem)
    try store.write { writer in
      try writer.change { catalog in
        catalog = try LinkModelTests.catalog()
        try catalog.add(index: "name", of: "Target", on: ["name"], isUnique: true)
      }
      for number in 0..<50 { try writer.table("Owner").insert(["name": .string("owner \(number)")]) }
      for number in 0..<4000 {
        let text =
          number % 400 == 7
          ? String(repeating: "large \(number) ", count: 2000)
          : String(repeating: "target \(number) ", count: 14)
        try writer.table("Target").insert([
          "name": .string(text), "parent": .reference(RowID(UInt64(1 + number % 50))),
        ])
      }
    }
    try store.close()
  }

  @Test(arguments: [false, true]) func `the progress of a verification rises to its total`(isOpen: Bool) throws {
    let fileSystem = SimulatedFileSystem()
    try large(in: fileSystem)
    var told: [(pages: Int, total: Int)] = []
    let pace = Pace { told.append(($0, $1)) }
    let found: RecordVerification
    if isOpen {
      let store = try RecordStore("/a.roost", options: StoreOptions(), fileSystem: fileSystem)
      found = try store.verify(pace)
      try store.close()
    } else {
      found = try RecordStore.verify("/a.roost", fileSystem: fileSystem, pace)
    }
    #expect(found.findings == [])
    let total = try #require(told.last?.total)
    // Every page in use except the superblocks.
    #expect(total == found.pages.pages - found.pages.freePages - 2 && total > 4 * Pace.stride)
    #expect(told.first?.pages == 0 && told.last?.pages == total)
    #expect(told.allSatisfy { $0.total == total })
    #expect(zip(told, told.dropFirst()).allSatisfy { $0.pages <= $1.pages })
    #expect(told.dropFirst().dropLast().allSatisfy { $0.pages > 0 && $0.pages <= total })
    // The last step is small: nearly all pages were counted when they were read.
    let before = try #require(told.dropLast().last?.pages)
    #expect(total - before <= 2 * Pace.stride, "\(before) of \(total)")
  }

  /// After the caller stops it, no further page is read, in the check of the structure and of the
  /// content.
  @Test(arguments: [0, 1, 2, 4]) func `a verification that is stopped reads no further page`(reports: Int) throws {
    let disk = SimulatedFileSystem()
    try large(in: disk)
    let fileSystem = MeddlingFileSystem(disk)
    var (calls, readsAtStop) = (0, 0)
    let pace = Pace { (_, _) in
      calls += 1
      guard calls > reports else { return }
      readsAtStop = fileSystem.reads
      throw Stop()
    }
    let error = #expect(throws: StoreError.self) { try RecordStore.verify("/a.roost", fileSystem: fileSystem, pace) }
    #expect(error?.code == .busy)
    #expect(pace.failure is Stop)
    #expect(calls == reports + 1)
    #expect(readsAtStop > 0 && fileSystem.reads == readsAtStop)
  }

  @Test func `a large value without an owner`() throws {
    let found = try broken { writer in
      try LargeKey.with(RowID(77), FieldID(1)) { key in
        _ = try? writer.table("Target").large.put(key, [1, 2, 3])
      }
    }
    #expect(found == ["largeValue: a large value of field 1 has no row of Target, row 77"], "\(found)")
  }

  @Test(arguments: ["both", "list", "tags", "back"]) func `half a link`(name: String) throws {
    let found = try broken { writer in
      let links = try writer.tables.links(writer.catalog.relationship(name, of: "Owner"))
      var key = ByteBuffer()
      links.form.key(try links.links(RowID(1), true)[0], false, key: &key)
      #expect(try links.draft.remove(ByteKey(key.bytes)))
    }
    let complaint = "link: the two sides of the link to row 3 do not agree, \(name) of Owner, row 1"
    #expect(Set(found) == [complaint], "\(found)")
  }

  @Test func `a place without a reference`() throws {
    let found = try broken { writer in
      let children = try writer.links("children", of: "Owner")
      for owner in [1, 2] as [UInt64] { try children.move(from: 1, to: 0, in: RowID(owner)) }
      let links = try writer.tables.links(children.relationship)
      let link = try links.links(RowID(1), true)[1]
      try links.remove(link)
      try links.add(RowID(2), link.target)
    }
    #expect(
      found == [
        "link: the row is missing in the list of row 1, children of Target, row 1",
        "link: row 1 is in the list, but does not reference the row, children of Owner, row 2",
      ])
  }

  @Test func `a place in a list without order`() throws {
    let found = try broken { writer in
      let children = try writer.links("children", of: "Owner")
      let rows = try children.rows(of: RowID(1))
      try writer.tables.links(children.relationship).add(RowID(1), rows[1])
    }
    let missing = [1, 7].map { "link: the row is missing in the list of row 1, children of Target, row \($0)" }
    #expect(found == missing, "\(found)")
  }

  @Test func `a short text that is stored outside its row is still indexed`() throws {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Form") { (entity) throws(RecordFault) in
          try entity.add("state", .string)
          for number in 0..<80 { try entity.add("f\(number)", .string) }
        }
        let state = catalog.entity("Form")!.field("state")!.id
        try catalog.add(
          index: "open", of: "Form", on: ["f0"], tests: [.equals(state, .string("waiting for an answer"))])
      }
      let table = try writer.table("Form")
      var row = table.makeBuilder()
      for number in 0..<80 { try row.set(table.slot("f\(number)"), .string("not so long \(number)")) }
      try row.set(table.slot("state"), .string("waiting for an answer"))
      _ = try table.insert(&row)
    }
    try store.read { reader in
      let table = try reader.table("Form")
      let state = try table.access("state")
      let isOutside = try table.withRow(RowID(1)) { (row) in state.place(row).variable(row.start).isOutside }
      #expect(isOutside == true)
      #expect(table.index("open")?.count == 1)
    }
    #expect(try store.complaints() == [])
    try store.write { try $0.table("Form").update(RowID(1), ["state": .string("answered, and so it is over")]) }
    let left = try store.read { try $0.table("Form").index("open")?.count }
    #expect(left == 0)
  }

  @Test func `values of a removed field are deleted with their row`() throws {
    let store = try store()
    try store.write { writer in
      try writer.change { catalog in
        try catalog.remove(index: "name", of: "Target")
        try catalog.change(entity: "Target") { (entity) throws(RecordFault) in try entity.remove("name") }
      }
    }
    let before = try store.read { try $0.table("Target").largeCount }
    #expect(before > 2)
    try store.write { writer in
      try writer.table("Target").delete(RowID(9))
      try writer.table("Target").update(RowID(8), ["plain": .reference(RowID(1))])
    }
    #expect(try store.complaints() == [])
    try store.read { reader in
      let table = try reader.table("Target")
      // Their names had 3,200 and 2,800 bytes.
      #expect(table.largeCount == before - 7)
    }
  }
}

/// A store that was opened twice is closed when both openings are closed.
@Suite struct SharedClosingTests {
  @Test func `closing a store twice does not close the one that shares its file`() throws {
    let fileSystem = SimulatedFileSystem()
    let one = try RecordStore("/a.roost", fileSystem: fileSystem)
    let two = try RecordStore("/a.roost", fileSystem: fileSystem)
    try one.close()
    try one.close()
    try two.write { writer in try writer.change { try $0.add(entity: "Item") } }
    #expect(try two.read { $0.catalog.entity("Item") } != nil)
    try two.close()
  }
}
