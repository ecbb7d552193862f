#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Testing

  @Model private final class Report {
    #FullText<Report>([\.title, \.text])
    #FullText<Report>([\.title], .substrings)
    var title: String
    var text: String?
    var year: Int
    init(_ title: String, _ text: String?, _ year: Int) { (self.title, self.text, self.year) = (title, text, year) }
  }

  /// A database has no full text index, so the program tests `matches`.
  @Suite(.server) struct FullTextAskTests {
    @Test func `the program tests a full text query, and ranks are refused`() throws {
      let ground = try Ground()
      try ground.save(
        ground.open(Report.self), (0..<60).map { Report("report \($0)", $0 % 3 == 0 ? "the wall" : nil, 1960 + $0) })
      let context = try ground.open(Report.self)
      let some = #Predicate<Report> { $0.matches("wall") && $0.year > 1990 }
      #expect(
        try context.fetch(FetchDescriptor(predicate: some, sortBy: [SortDescriptor(\.year)])).map(\.year) == [
          1993, 1996, 1999, 2002, 2005, 2008, 2011, 2014, 2017,
        ])
      #expect(try context.fetchCount(FetchDescriptor(predicate: some)) == 9)
      context.insert(Report("a wall that is not saved", nil, 2000))
      #expect(try context.fetchCount(FetchDescriptor(predicate: some)) == 10)
      let plan = try "\(context.explain(FetchDescriptor(predicate: some)))"
      #expect(plan.contains("matches") && !plan.contains("full text index"))
      #expect(
        try context.fetchCount(FetchDescriptor<Report>(predicate: #Predicate { $0.title.contains("ort 5") })) == 11)
      let error = #expect(throws: RoostError.self) { try context.search(Report.self, for: "wall") }
      #expect(error?.code == .badCondition && error?.description.contains("matches") == true)
      #expect(throws: SwiftDataError.self) {
        try context.fetch(FetchDescriptor<Report>(predicate: #Predicate { $0.matches("(wall") }))
      }
    }
  }
#endif
