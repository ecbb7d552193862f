import RoostPages
import RoostQuery
import RoostRecords
import Testing

/// A relationship whose targets were partly lost in a salvage: indexes must not affect the result
/// of a query.
@Suite struct TornReferenceTests {
  /// Books that must have an author; one author is lost.
  private func store(isIndexed: Bool, isTorn: Bool = true) throws -> RecordStore {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { catalog in
        let author = try catalog.add(entity: "Author") { (entity) throws(RecordFault) in try entity.add("name", .string)
        }
        try catalog.add(entity: "Book") { (entity) throws(RecordFault) in
          try entity.add("title", .string)
          try entity.add("author", .reference(author))
        }
        let id = try catalog.add(reference: "author", of: "Book", inverse: .init("books"))
        if isTorn { catalog.tear(relationship: id) }
        if isIndexed { try catalog.add(index: "name", of: "Author", on: ["name"]) }
      }
      let authors = try writer.table("Author")
      let books = try writer.table("Book")
      for number in 0..<40 {
        let author = try authors.insert(["name": .string("author \(number % 20)")])
        for _ in 0..<5 { try books.insert(["title": .string("title \(number)"), "author": .reference(author)]) }
      }
    }
    try store.write { _ = try $0.table("Author").delete(RowID(7)) }
    return store
  }

  private func authorName(_ catalog: Catalog) throws -> Expression {
    let book = try #require(catalog.entity("Book"))
    let author = try #require(catalog.entity("Author"))
    return .field(
      .field(.row, try #require(book.field("author")).id), try #require(author.field("name")).id)
  }

  private func expectMissing(_ query: Query, _ store: RecordStore) throws {
    try store.read { reader in
      for (what, body) in [
        ("rows", { _ = try Planner(Ground(reader)).plan(query).rows() }),
        ("count", { _ = try Planner(Ground(reader)).count(query) }),
      ] as [(String, () throws -> Void)] {
        if what == "count", query.condition == nil { continue }
        let explanation = try Planner(Ground(reader)).plan(query).explanation
        let fault = #expect(throws: ConditionFault.self, "\(what): \(explanation)") { try body() }
        #expect(fault?.code == .missingRow)
      }
    }
  }

  @Test(arguments: [true, false]) func `a condition on a lost row is an error in every plan`(isIndexed: Bool) throws {
    let store = try store(isIndexed: isIndexed)
    let name = try store.read { try authorName($0.catalog) }
    try expectMissing(Query("Book", where: .compare(.equal, name, .constant(.string("author 3"), .string))), store)
  }

  @Test(arguments: [true, false]) func `an order by a lost row is an error in every plan`(isIndexed: Bool) throws {
    let store = try store(isIndexed: isIndexed)
    let name = try store.read { try authorName($0.catalog) }
    try expectMissing(Query("Book", by: [Order(name)]), store)
  }

  /// The rows themselves still exist.
  @Test func `queries on the rows themselves work`() throws {
    let store = try store(isIndexed: true)
    let counts = try store.read { reader in
      let title = try #require(reader.catalog.entity("Book")?.field("title")).id
      let asked = Query("Book", where: .compare(.equal, .field(.row, title), .constant(.string("title 6"), .string)))
      return [try Planner(Ground(reader)).count(Query("Book")), try Planner(Ground(reader)).plan(asked).rows().count]
    }
    #expect(counts == [200, 5])
  }
}
