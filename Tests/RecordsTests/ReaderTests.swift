import RoostFile
import RoostPages
import RoostTestSupport
import Testing

@testable import RoostRecords

/// Rows and indexes in place: cursors in both directions, fields by number in every layout, and
/// nothing after the end.
@Suite struct ReaderTests {
  static func filled(_ rows: Int = 300) throws -> RecordStore {
    var options = StoreOptions()
    options.fanoutLimit = 8
    let store = try RecordStore(inMemory: options)
    try store.write { writer in
      try writer.change { $0 = try CatalogTests.library() }
      let table = try writer.table("Track")
      for number in 0..<rows {
        try table.insert([
          "id": .string("id \(number)"), "title": .string("t\(number % 7)"),
          "genre": number % 3 == 0 ? .null : .string("g\(number % 5)"), "rating": .int(Int64(number % 6)),
        ])
      }
      for number in stride(from: 10, through: rows, by: 10) { try table.delete(RowID(UInt64(number))) }
    }
    return store
  }

  @Test func `a cursor goes through the rows in both directions, and from any row`() throws {
    let store = try Self.filled()
    try store.read { reader in
      let table = try reader.table("Track")
      let wanted = (1...300).filter { $0 % 10 != 0 }.map { RowID(UInt64($0)) }
      var cursor = try table.cursor()
      var found: [RowID] = []
      while try cursor.next() { found.append(try cursor.id) }
      #expect(found == wanted)
      #expect(throws: StoreError.self) { try cursor.row() }
      found = []
      while try cursor.previous() { found.append(try cursor.row().id) }
      #expect(found == wanted.reversed())
      #expect(try cursor.seek(RowID(20)) && cursor.id == RowID(21))
      #expect(try cursor.seek(atMost: RowID(20)) && cursor.id == RowID(19))
      #expect(try cursor.move(to: 9) && cursor.id == RowID(11))
      #expect(try !cursor.move(to: wanted.count))
      #expect(try table.count(from: RowID(5), to: RowID(25)) == 18)
      #expect(try table.count(from: RowID(290), to: nil) == 9)
      #expect(try table.contains(RowID(11)) && !table.contains(RowID(10)))
    }
  }

  @Test func `an index is read in order, counted and searched`() throws {
    let store = try Self.filled()
    try store.read { reader in
      let table = try reader.table("Track")
      let genre = try #require(table.index("genre"))
      #expect(genre.isWhole && genre.count == table.count)
      var cursor = try genre.cursor()
      var names: [String] = []
      let access = try table.access("genre")
      let title = try table.access("title")
      while try cursor.next() {
        let row = try cursor.row()
        let text = try table.withRow(row) { (row) throws(StoreError) in
          "\(try table.value(access, row))|\(try table.value(title, row))"
        }
        names.append(try #require(text))
      }
      #expect(names.count == table.count)
      // Nil first, then the genre ascending, and in each genre the title descending.
      let genres = names.map { $0.split(separator: "|")[0] }
      #expect(genres == genres.sorted { ($0.hasPrefix("null") ? "" : $0) < ($1.hasPrefix("null") ? "" : $1) })
      var low = ByteBuffer()
      try table.entity.append([.string("g1")], of: genre.index, to: &low)
      var high = ByteBuffer()
      try table.entity.append([.string("g2")], of: genre.index, to: &high)
      let wanted = names.count { $0.contains("g1") }
      #expect(wanted > 0)
      #expect(try genre.count(from: low.bytes, to: high.bytes) == wanted)
      #expect(try cursor.seek(low.bytes))
      let entry = try cursor.entry()
      #expect(entry.key.count > entry.valueBytes)
      let first = try genre.rank(of: low.bytes)
      #expect(try cursor.move(to: first) && cursor.row() == entry.row)
      let unique = try #require(table.index("id"))
      var key = ByteBuffer()
      try table.entity.append([.string("id 16")], of: unique.index, to: &key)
      #expect(try unique.row(key.bytes) == RowID(17))
    }
  }

  @Test func `fields are found in rows of every layout, and large ones outside`() throws {
    let store = try Self.filled(20)
    let long = String(repeating: "long ", count: 900)
    try store.write { writer in
      try writer.change { catalog in
        // An index tests the field.
        let fault = #expect(throws: RecordFault.self) {
          try catalog.change(entity: "Track") { (entity) throws(RecordFault) in try entity.remove("rating") }
        }
        #expect(fault?.code == .conflict)
        try catalog.remove(index: "best", of: "Track")
        try catalog.change(entity: "Track") { (entity) throws(RecordFault) in
          try entity.remove("rating")
          try entity.add("stars", .int32, initial: .int(4))
        }
      }
      try writer.table("Track").update(RowID(3), ["title": .string(long), "stars": .int(1)])
      let table = try writer.reading("Track")
      #expect(try table.values(RowID(3))?["title"] == .string(long))
    }
    try store.read { reader in
      let table = try reader.table("Track")
      let (stars, title) = (try table.access("stars"), try table.access("title"))
      #expect(table.layouts.count > 1)
      var cursor = try table.cursor()
      while try cursor.next() {
        let row = try cursor.row()
        let isNew = row.id == RowID(3)
        #expect((stars.place(row).kind == .missing) == !isNew)
        #expect(try table.value(stars, row) == .int(isNew ? 1 : 4))
        let place = title.place(row)
        #expect(place.kind == .variable && !place.isNull(row.start))
        #expect(place.variable(row.start).isOutside == isNew)
        if isNew { #expect(try table.large(title.field.id, row.id) == Array(long.utf8)) }
      }
    }
  }

  @Test func `a row that is too large for a leaf is read like others`() throws {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Wide") { (entity) throws(RecordFault) in
          for number in 0..<300 { try entity.add("f\(number)", .int64) }
        }
      }
      try writer.table("Wide").insert(["f0": .int(7), "f299": .int(9)])
    }
    try store.read { reader in
      let table = try reader.table("Wide")
      let (first, last) = (try table.access("f0"), try table.access("f299"))
      var cursor = try table.cursor()
      #expect(try cursor.next())
      let row = try cursor.row()
      #expect(row.count > 2400)
      #expect(try table.value(first, row) == .int(7) && table.value(last, row) == .int(9))
      #expect(try table.values(RowID(1))?["f299"] == .int(9))
    }
  }

  @Test func `nothing is read after the end`() throws {
    let store = try Self.filled(30)
    var kept: (RecordReader, TableReader, IndexReader)?
    try store.read { reader in
      let table = try reader.table("Track")
      kept = (reader, table, table.indexes[0])
    }
    let (reader, table, index) = try #require(kept)
    let calls: [() throws -> Void] = [
      { _ = try reader.table("Track") }, { _ = try table.values(RowID(1)) }, { _ = try table.cursor() },
      { _ = try index.cursor() }, { _ = try table.count(from: RowID(1), to: nil) },
      { _ = try table.row(unique: "id", [.string("id 1")]) }, { _ = try table.contains(RowID(1)) },
    ]
    for call in calls {
      let error = #expect(throws: StoreError.self) { try call() }
      #expect(error?.code == .closed)
    }
  }

  @Test func `a writer's readers end with its next change, and cursors too`() throws {
    let store = try Self.filled(30)
    try store.write { writer in
      let table = try writer.table("Track")
      let before = try writer.reading("Track")
      var rows = try before.cursor()
      var entries = try before.indexes[0].cursor()
      #expect(try rows.next() && entries.next())
      try table.insert(["id": .string("new")])
      #expect(throws: StoreError.self) { try rows.next() }
      #expect(throws: StoreError.self) { try entries.row() }
      #expect(throws: StoreError.self) { try before.values(RowID(1)) }
      #expect(try writer.reading("Track").count == before.count + 1)
    }
  }

  struct Box: ~Copyable { var cursor: RowCursor }

  @Test func `a cursor that outlives its transaction is refused, and frees the slot`() throws {
    let store = try Self.filled(30)
    let before = store.store.frames.slots.takenCount
    do {
      var box: Box?
      try store.read { reader in
        var cursor = try reader.table("Track").cursor()
        #expect(try cursor.next())
        box = Box(cursor: cursor)
      }
      #expect(store.store.frames.slots.takenCount > before)
      var late = box.take()!
      #expect(throws: StoreError.self) { try late.cursor.next() }
      #expect(throws: StoreError.self) { try late.cursor.row() }
    }
    #expect(store.store.frames.slots.takenCount == before)
  }
}
