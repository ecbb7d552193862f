import RoostQuery
import RoostRecords
import Testing

@Suite("Plans") struct PlanTests {
  let library: Library

  init() throws { library = try Library() }

  private func check(_ query: Query, contains sentence: String) throws {
    try library.store.read { reader in
      let plan = try Planner(Ground(reader)).plan(query)
      let rows = try plan.rows()
      #expect(plan.explanation.contains(sentence), "\(plan.explanation)")
      let expected = try library.expected(query)
      if query.order.isEmpty, query.limit == nil { #expect(rows.sorted() == expected) }
      #expect(Set(rows).isSubset(of: expected))
      #expect(rows.count == min(max(0, expected.count - query.offset), query.limit ?? .max))
      #expect(try plan.count() == rows.count)
    }
  }

  private func string(_ text: String) -> Expression { .constant(.string(text), .string) }

  @Test func equalityReadsARangeOfTheIndex() throws {
    let genre = Expression.compare(.equal, library.track("genre"), string("rock"))
    try check(Query("Track", where: genre), contains: "byGenre")
  }

  @Test func nilIsAValueOfTheIndex() throws {
    let genre = Expression.compare(.equal, library.track("genre"), .constant(.null, .optional(.string)))
    try check(Query("Track", where: genre), contains: "byGenre")
  }

  @Test func aCountIsReadFromTheIndexAlone() throws {
    let genre = Expression.compare(.equal, library.track("genre"), string("rock"))
    try library.store.read { reader in
      let plan = try Planner(Ground(reader)).plan(Query("Track", where: genre))
      #expect(try plan.count() == library.expected(Query("Track", where: genre)).count)
      #expect(plan.tally.rows == 0 && plan.tally.entries == 0)
      let expected = try library.expected(Query("Track", where: genre)).count
      #expect(try Planner(Ground(reader)).count(Query("Track", where: genre)) == expected)
      #expect(try Planner(Ground(reader)).count(Query("Track", where: genre, offset: 3, limit: 5)) == 5)
      #expect(try Planner(Ground(reader)).count(Query("Track", where: genre, offset: expected, limit: 5)) == 0)
      #expect(try Planner(Ground(reader)).count(Query("Track")) == 500)
    }
  }

  @Test func anEqualityAndARangeUseBothPartsOfACompoundIndex() throws {
    let both =
      Expression.compare(.equal, library.track("genre"), string("jazz"))
      && .compare(.less, library.track("plays"), .constant(.int(5), .int))
    try check(Query("Track", where: both), contains: "byGenrePlays")
  }

  @Test func aReferenceIsFollowedBackwards() throws {
    let title = library.field("title", of: "Album", library.track("album"))
    let query = Query("Track", where: .compare(.equal, title, string("Album 3")))
    try check(query, contains: "index byAlbum, for each row of")
  }

  @Test func anOrderWithALimitReadsTheIndexOfTheOrder() throws {
    let long = Expression.compare(.greater, library.track("duration"), .constant(.double(100), .double))
    for isDescending in [false, true] {
      let query = Query(
        "Track", where: long, by: [Order(library.track("released"), isDescending: isDescending)], limit: 10)
      try check(query, contains: "index byReleased (released): from end to end")
    }
  }

  @Test func branchesOfAnOrAreJoined() throws {
    let either =
      Expression.compare(.equal, library.track("genre"), string("soul"))
      || .compare(.less, library.track("released"), .constant(.date(100), .date))
    try check(Query("Track", where: either), contains: "any of")
  }

  @Test func aConditionWithoutAnIndexIsTestedRowByRow() throws {
    let love = Expression.text(.containsLoosely, library.track("title"), string("LÒVE"))
    try check(Query("Track", where: love, offset: 7, limit: 20), contains: "all 500 rows")
  }

  @Test func aCollectionBecomesRanges() throws {
    let some = Expression.contains(
      .constant(.array([.int(3), .int(9), .int(3), .int(4)]), .array(.int)), library.track("plays"))
    let genre = Expression.compare(.equal, library.track("genre"), string("rock"))
    try check(Query("Track", where: some && genre), contains: "byGenrePlays (genre, plays): 3 ranges")
  }

  @Test func aConditionThatIsNeverTrueReadsNothing() throws {
    let never =
      Expression.compare(.less, library.track("plays"), .constant(.int(3), .int))
      && .compare(.greater, library.track("plays"), .constant(.int(7), .int))
    try check(Query("Track", where: never), contains: "nothing")
  }

  @Test func rowsAreSortedWithoutAnIndex() throws {
    try library.store.read { reader in
      let query = Query(
        "Track", by: [Order(library.track("title")), Order(library.track("plays"), isDescending: true)], offset: 3,
        limit: 50)
      let plan = try Planner(Ground(reader)).plan(query)
      let rows = try plan.rows()
      let table = try reader.table("Track")
      let keys = try rows.map { row in
        let values = try table.values(row)!
        guard case .string(let title)? = values["title"], case .int(let plays)? = values["plays"] else {
          throw RecordFault(.wrongType, "a test's row")
        }
        return (title, -plays, row.number)
      }
      #expect(rows.count == 50)
      for (one, two) in zip(keys, keys.dropFirst()) { #expect(one < two) }
    }
  }
}
