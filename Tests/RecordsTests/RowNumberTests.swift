import RoostFile
import RoostPages
import RoostTestSupport
import Testing

@testable import RoostRecords

/// Row numbers that are reserved before the rows are written.
@Suite struct RowNumberTests {
  private func store(_ fileSystem: SimulatedFileSystem) throws -> RecordStore {
    let store = try RecordStore("/a.roost", reservesRows: true, fileSystem: fileSystem)
    try store.write { writer in
      guard writer.catalog.entity("Track") == nil else { return }
      try writer.change { $0 = try HistoryLedger.catalog() }
    }
    return store
  }

  private func fill(_ builder: inout RowBuilder, _ table: TableWriter, _ id: String) throws {
    builder.clear()
    try builder.set(table.slot("id"), .string(id))
  }

  @Test func `numbers are given once, to every kind of caller`() throws {
    let store = try store(SimulatedFileSystem())
    let track = try store.read { try $0.table("Track").entity.id }
    let first = try store.reserve(3, of: track)
    #expect(first == RowID(1))
    try store.write { writer in
      let table = try writer.table("Track")
      var builder = table.makeBuilder()
      try fill(&builder, table, "plain")
      #expect(try table.insert(&builder) == RowID(4))
      try fill(&builder, table, "second")
      try table.insert(&builder, as: RowID(2))
      // While the transaction is open.
      #expect(try store.reserve(of: track) == RowID(5))
      try fill(&builder, table, "plain again")
      #expect(try table.insert(&builder) == RowID(6))
    }
    try store.read { reader in
      let table = try reader.table("Track")
      let values = try table.values(RowID(2))
      #expect(values?["id"] == .string("second") && table.count == 3)
    }
    #expect(try store.verify().isSound)
    try store.close()
  }

  @Test func `rows that are written after rows with higher numbers are sound`() throws {
    let store = try store(SimulatedFileSystem())
    let track = try store.read { try $0.table("Track").entity.id }
    #expect(try store.reserve(9, of: track) == RowID(1))
    for numbers: [UInt64] in [[3, 4], [8], [1], [6, 7], [9]] {
      try store.write { writer in
        let table = try writer.table("Track")
        var builder = table.makeBuilder()
        for number in numbers {
          try fill(&builder, table, "\(number)")
          try table.insert(&builder, as: RowID(number))
        }
      }
      let found = try store.verify()
      #expect(found.isSound, "\(numbers): \(found.findings)")
    }
    try store.close()
  }

  @Test func `a number that is used twice is found`() {
    var given = GivenNumbers(start: 1)
    for first: ClosedRange<UInt64> in [5...9, 2...3, 20...20, 12...14] {
      let isNew = given.give(first)
      #expect(isNew, "\(first)")
    }
    for twice: ClosedRange<UInt64> in [5...5, 3...4, 1...2, 9...10, 14...15, 20...20, 2...2] {
      var one = given
      let isNew = one.give(twice)
      #expect(!isNew, "\(twice)")
    }
    for gap: ClosedRange<UInt64> in [1...1, 4...4, 10...11, 15...19, 21...30] {
      let isNew = given.give(gap)
      #expect(isNew, "\(gap)")
    }
    var later = GivenNumbers(start: 10)
    let answers = [10...12, 3...4, 11...11].map { (rows: ClosedRange<UInt64>) in later.give(rows) }
    #expect(answers == [true, true, false])
  }

  @Test func `unsaved numbers are given again only by another opening`() throws {
    let fileSystem = SimulatedFileSystem()
    do {
      let store = try store(fileSystem)
      let track = try store.read { try $0.table("Track").entity.id }
      #expect(try store.reserve(10, of: track) == RowID(1))
      #expect(try store.reserve(of: track) == RowID(11))
      try store.write { writer in
        let table = try writer.table("Track")
        var builder = table.makeBuilder()
        try fill(&builder, table, "five")
        try table.insert(&builder, as: RowID(5))
      }
      try store.close()
    }
    let store = try store(fileSystem)
    let track = try store.read { try $0.table("Track").entity.id }
    #expect(try store.reserve(of: track) == RowID(6))
    try store.close()
  }

  @Test func `a number that was not reserved, or is taken, is refused and changes nothing`() throws {
    let store = try store(SimulatedFileSystem())
    let track = try store.read { try $0.table("Track").entity.id }
    _ = try store.reserve(2, of: track)
    try store.write { writer in
      let table = try writer.table("Track")
      var builder = table.makeBuilder()
      try fill(&builder, table, "one")
      try table.insert(&builder, as: RowID(1))
      for (number, id) in [(0, "a"), (1, "b"), (3, "c"), (UInt64.max, "d")] {
        try fill(&builder, table, id)
        let fault = #expect(throws: RecordFault.self) { try table.insert(&builder, as: RowID(number)) }
        #expect(fault?.code == .conflict)
      }
    }
    #expect(throws: RecordFault.self) { try store.reserve(0, of: track) }
    #expect(throws: RecordFault.self) { try store.reserve(.max, of: track) }
    #expect(throws: RecordFault.self) { try store.reserve(of: EntityID(99)) }
    #expect(try store.read { try $0.table("Track").count } == 1)
    #expect(try store.verify().isSound)
    let plain = try RecordStore(inMemory: StoreOptions())
    #expect(throws: RecordFault.self) { try plain.reserve(of: track) }
    try store.close()
  }

  @Test func `a snapshot does not change until it is closed`() throws {
    let store = try store(SimulatedFileSystem())
    func put(_ id: String) throws {
      try store.write { writer in
        let table = try writer.table("Track")
        var builder = table.makeBuilder()
        try fill(&builder, table, id)
        _ = try table.insert(&builder)
      }
    }
    try put("one")
    let snapshot = try store.snapshot()
    try put("two")
    #expect(try snapshot.table("Track").count == 1)
    #expect(try store.snapshot().table("Track").count == 2)
    let table = try snapshot.table("Track")
    snapshot.close()
    snapshot.close()
    #expect(throws: StoreError.self) { try snapshot.table("Track") }
    #expect(throws: StoreError.self) { try table.values(RowID(1)) }
    try store.close()
  }
}
