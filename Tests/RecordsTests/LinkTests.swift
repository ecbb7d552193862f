import RoostFile
import RoostPages
import RoostTestSupport
import RoostTrees
import Testing

@testable import RoostRecords

/// Orders with a limited cost, and the errors of links and references.
@Suite struct LinkTests {
  private func store(_ catalog: RoostRecords.Catalog) throws -> RecordStore {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { try $0.change { $0 = catalog } }
    return store
  }

  @Test func `a child that comes last costs no entry, or two if an order is written`() throws {
    let store = try store(LinkModelTests.catalog())
    try store.write { writer in
      try writer.table("Owner").insert(["name": .string("o")])
      let table = try writer.table("Target")
      let links = try writer.tables.links(writer.catalog.relationship("children", of: "Owner"))
      var builder = table.makeBuilder()
      var edits: [Int] = []
      for count in [10_000, 20_000] {
        let before = links.edits
        for _ in 0..<count {
          builder.clear()
          try builder.set(table.slot("parent"), .reference(RowID(1)))
          _ = try table.insert(&builder)
        }
        edits.append(links.edits - before)
        // The first change of the order writes the whole order, and then moves one child.
        if count == 10_000 {
          try writer.links("children", of: "Owner").move(from: 0, to: 0, in: RowID(1))
          try writer.links("children", of: "Owner").move(from: 9999, to: 9998, in: RowID(1))
          try writer.links("children", of: "Owner").move(from: 9999, to: 9998, in: RowID(1))
          edits.append(links.edits)
        }
      }
      #expect(edits == [0, 20_008, 40_000])
    }
    try store.read { reader in
      let members = try reader.links("children", of: "Owner")
      #expect(try members.count(of: RowID(1)) == 30_000)
      #expect(try members.row(at: 12_345, of: RowID(1)) == RowID(12_346))
      var cursor = try members.cursor(of: RowID(1))
      cursor.move(to: 20_000)
      #expect(try cursor.previous() == RowID(20_000))
      #expect(try cursor.next() == RowID(20_000) && cursor.next() == RowID(20_001))
    }
  }

  /// Insertions at one place are the worst case for labels.
  @Test(arguments: ["front", "middle", "behind the first"])
  func `inserting at one place moves few others each time`(place: String) throws {
    let store = try store(LinkModelTests.catalog())
    try store.write { writer in
      try writer.table("Owner").insert(["name": .string("o")])
      let table = try writer.table("Target")
      for _ in 0..<4000 { try table.insert(["name": .string("t")]) }
      let links = try writer.links("list", of: "Owner")
      let draft = try writer.tables.links(links.relationship)
      var wanted: [RowID] = []
      var costs: [Int] = []
      for number in 1...4000 {
        let at = place == "front" ? 0 : place == "middle" ? wanted.count / 2 : min(1, wanted.count)
        let row = RowID(UInt64(number))
        try links.insert(row, at: at, in: RowID(1))
        wanted.insert(row, at: at)
        if number == 1000 || number == 4000 { costs.append(draft.edits) }
      }
      #expect(try links.rows(of: RowID(1)) == wanted)
      // Two for each link, and some dozen moved ones at most.
      #expect(costs[1] < 4000 * 48, "\(costs)")
      // Four times as many links cost little more than four times as much.
      #expect(costs[1] < costs[0] * 6, "\(costs)")
    }
  }

  @Test func `one link from both sides, and none to missing rows`() throws {
    let store = try store(LinkModelTests.catalog())
    try store.write { writer in
      try writer.table("Owner").insert(["name": .string("o")])
      try writer.table("Target").insert(["name": .string("t")])
      let (forward, backward) = (try writer.links("tags", of: "Owner"), try writer.links("of tags", of: "Target"))
      #expect(try forward.append(RowID(1), to: RowID(1)))
      #expect(try !backward.append(RowID(1), to: RowID(1)))
      #expect(try forward.count(of: RowID(1)) == 1 && backward.count(of: RowID(1)) == 1)
      let bag = try writer.links("bag", of: "Owner")
      #expect(try bag.append(RowID(1), to: RowID(1)) && bag.append(RowID(1), to: RowID(1)))
      #expect(try bag.count(of: RowID(1)) == 2)
      #expect(throws: RecordFault.self) { try forward.append(RowID(2), to: RowID(1)) }
      #expect(throws: RecordFault.self) { try forward.append(RowID(1), to: RowID(2)) }
      #expect(throws: RecordFault.self) { try forward.insert(RowID(1), at: 0, in: RowID(1)) }
      #expect(throws: RecordFault.self) { try bag.insert(RowID(1), at: 3, in: RowID(1)) }
      // The links of a deleted row are deleted too.
      try writer.table("Target").delete(RowID(1))
      #expect(try forward.count(of: RowID(1)) == 0 && bag.count(of: RowID(1)) == 0)
    }
  }

  @Test func `a reference has a row at the end of the transaction, or the transaction does nothing`() throws {
    let store = try store(LinkModelTests.catalog())
    // The parent comes later.
    try store.write { writer in
      try writer.table("Target").insert(["name": .string("t"), "parent": .reference(RowID(1))])
      try writer.table("Owner").insert(["name": .string("o")])
    }
    let fault = #expect(throws: RecordFault.self) {
      try store.write { writer in
        try writer.table("Target").insert(["name": .string("u"), "parent": .reference(RowID(7))])
      }
    }
    #expect(fault?.code == .unknown && fault?.entity == "Target" && fault?.field == "parent")
    // A reference that is undone or changed again is not checked.
    try store.write { writer in
      struct Stop: Error {}
      try? writer.savepoint {
        try writer.table("Target").insert(["name": .string("u"), "parent": .reference(RowID(7))])
        throw Stop()
      }
      let row = try writer.table("Target").insert(["name": .string("u"), "parent": .reference(RowID(8))])
      try writer.table("Target").update(row, ["parent": .reference(RowID(1))])
    }
    try store.read { reader in
      let table = try reader.table("Target")
      #expect(table.count == 2)
      #expect(try reader.links("children", of: "Owner").rows(of: RowID(1)) == [RowID(1), RowID(2)])
    }
  }

  @Test func `relationships are added and removed, and the rows stay`() throws {
    let store = try store(LinkModelTests.catalog())
    try store.write { writer in
      for _ in 0..<3 { try writer.table("Owner").insert(["name": .string("o")]) }
      for number in 0..<30 {
        try writer.table("Target").insert(["parent": .reference(RowID(UInt64(number % 3 + 1)))])
      }
      try writer.change { catalog in
        try catalog.remove(relationship: "children", of: "Owner")
        try catalog.remove(relationship: "tags", of: "Owner")
      }
      #expect(throws: RecordFault.self) { try writer.links("children", of: "Owner") }
      #expect(throws: RecordFault.self) { try writer.links("of tags", of: "Target") }
      try writer.table("Target").delete(RowID(4))
      try writer.change { catalog in
        #expect(throws: RecordFault.self) { try catalog.remove(entity: "Owner") }
        try catalog.add(reference: "parent", of: "Target", inverse: .init("kids", isOrdered: true))
      }
    }
    try store.read { reader in
      let kids = try reader.links("kids", of: "Owner").rows(of: RowID(1))
      #expect(kids.map(\.number) == [1, 7, 10, 13, 16, 19, 22, 25, 28])
      #expect(try reader.catalog.relationship("parent", of: "Target").index != nil)
      #expect(reader.catalog.indexes.count == 2)
    }
  }

  @Test func `one row references another one, and a second row may not`() throws {
    var catalog = RoostRecords.Catalog()
    let person = try catalog.add(entity: "Person")
    try catalog.add(entity: "Passport") { (entity) throws(RecordFault) in
      try entity.add("owner", .reference(person), isOptional: true)
    }
    try catalog.add(
      reference: "owner", of: "Passport", inverse: .init("passport", deleteRule: .cascade, isSingle: true))
    let store = try store(catalog)
    try store.write { writer in
      try writer.table("Person").insert([:])
      let table = try writer.table("Passport")
      try table.insert(["owner": .reference(RowID(1))])
      for _ in 0..<2 { try table.insert([:]) }
      let fault = #expect(throws: RecordFault.self) { try table.update(RowID(2), ["owner": .reference(RowID(1))]) }
      #expect(fault?.code == .notUnique && fault?.rows == [RowName(EntityID(2), RowID(1))])
      let links = try writer.links("passport", of: "Person")
      #expect(links.relationship.isToOne)
      #expect(throws: RecordFault.self) { try links.append(RowID(2), to: RowID(1)) }
      #expect(try links.remove(RowID(1), from: RowID(1)) && links.append(RowID(2), to: RowID(1)))
      #expect(try links.rows(of: RowID(1)) == [RowID(2)] && links.contains(RowID(2), in: RowID(1)))
      #expect(try writer.table("Person").deleteFollowingRules(RowID(1)).rows.count == 2)
    }
  }

  @Test func `a catalog with inconsistent relationships is refused`() throws {
    var catalog = try LinkModelTests.catalog()
    func decoded(_ catalog: RoostRecords.Catalog) throws -> RoostRecords.Catalog {
      try RoostRecords.Catalog(decoding: catalog.encoded)
    }
    #expect(try decoded(catalog) == catalog)
    let good = catalog
    for number in catalog.relationships.indices {
      catalog = good
      catalog.relationships[number].inverse = catalog.relationships[number].id
      #expect(throws: StoreError.self) { try decoded(catalog) }
      catalog = good
      catalog.relationships.remove(at: number)
      #expect(throws: StoreError.self) { try decoded(catalog) }
      catalog = good
      catalog.relationships[number].target = EntityID(77)
      #expect(throws: StoreError.self) { try decoded(catalog) }
      catalog = good
      catalog.relationships[number].shape = .one(FieldID(1))
      #expect(throws: StoreError.self) { try decoded(catalog) }
    }
    for index in good.indexes {
      catalog = good
      catalog.indexes.removeAll { $0.id == index.id }
      #expect(throws: StoreError.self) { try decoded(catalog) }
    }
    #expect(throws: RecordFault.self) {
      try catalog.change(entity: "Target") { (entity) throws(RecordFault) in try entity.remove("parent") }
    }
    #expect(throws: RecordFault.self) { try catalog.add(reference: "parent", of: "Target") }
    #expect(throws: RecordFault.self) { try catalog.add(reference: "name", of: "Target") }
    #expect(throws: RecordFault.self) { try catalog.add(links: .init("tags"), of: "Owner", to: "Target") }
  }

  @Test(arguments: UInt64(1)...200) func `any bytes are a link or none`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for form in [(true, true), (true, false), (false, true), (false, false)] {
      let form = LinkForm(isForwardOrdered: form.0, isBackwardOrdered: form.1)
      let key = (0..<generator.below(40)).map { _ in UInt8(truncatingIfNeeded: generator.next()) & 3 == 0 ? 255 : 1 }
      let value = (0..<generator.below(10)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      key.withUnsafeBytes { key in
        value.withUnsafeBytes { value in
          if let link = form.link(key, value) { #expect(max(link.forward, link.backward) < Labels.end) }
        }
      }
      var link = Link(owner: RowID(generator.next() >> UInt64(generator.below(60))), target: RowID(generator.next()))
      if form.isForwardOrdered { link.forward = generator.next() >> 2 }
      if form.isBackwardOrdered { link.backward = generator.next() >> 2 }
      var made = ByteBuffer()
      form.key(link, false, key: &made)
      withUnsafeBytes(of: link.forward.littleEndian) { #expect(form.link(made.bytes, $0) == link) }
      #expect(made.count <= 35)
    }
  }
}
