import Foundation
import RoostTestSupport
import SwiftData
import Testing

/// `matches` in predicates, and searches with ranks.
@Suite struct FullTextTests {
  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Memoir.self, LongMemoir.self, Cabinet.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func found(_ context: ModelContext, _ question: String) throws -> [Int] {
    try context.fetch(
      FetchDescriptor<Memoir>(predicate: #Predicate { $0.matches(question) }, sortBy: [SortDescriptor(\.number)])
    ).map(\.number)
  }

  private func filled() throws -> ModelContext {
    let context = ModelContext(try container())
    let texts = [
      ("The Berlin Wall", "Heroes, just for one day"), ("Station to Station", nil),
      ("Low", "A new career in a new town"),
      ("Running", "He runs from the wall to Berlin"), ("café", "über"),
    ]
    for (number, (title, body)) in texts.enumerated() { context.insert(Memoir(title, body, number: number)) }
    context.insert(LongMemoir("Dear wall", to: "wall", body: "yours, Berlin", number: 5))
    return context
  }

  @Test(arguments: [
    ("berlin wall", [0, 3, 5]), ("\"berlin wall\"", [0]), ("heroes OR town", [0, 2]), ("wall NOT heroes", [3, 5]),
    ("wall -berlin", []), ("title:wall", [0, 5]), ("body:wall", [3]), ("run", [3]), ("stat*", [1]), ("CAFE", [4]),
    ("uber", [4]), ("NEAR(runs wall, 2)", [3]), ("NEAR(runs berlin, 2)", []), ("\"wall to ber\"*", [3]),
    ("(heroes OR low) new", [2]), ("nothing", []),
  ])
  func `questions find stored and unsaved models`(question: String, expected: [Int]) throws {
    let context = try filled()
    #expect(try found(context, question) == expected)
    try context.save()
    #expect(try found(context, question) == expected)
    let fresh = ModelContext(context.container)
    #expect(try found(fresh, question) == expected)
    #expect(
      try fresh.fetch(FetchDescriptor<Memoir>()).filter { $0.matches(question) }.map(\.number).sorted() == expected)
    #expect(
      try fresh.fetchCount(FetchDescriptor<Memoir>(predicate: #Predicate { $0.matches(question) })) == expected.count)
  }

  @Test func `a search is combined with other conditions, and the plan shows the index`() throws {
    let context = try filled()
    try context.save()
    let question = "wall"
    let descriptor = FetchDescriptor<Memoir>(
      predicate: #Predicate { $0.number < 4 && ($0.matches(question) || $0.title == "Low") },
      sortBy: [SortDescriptor(\.number)])
    #expect(try context.fetch(descriptor).map(\.number) == [0, 2, 3])
    let negated = FetchDescriptor<Memoir>(predicate: #Predicate { !$0.matches(question) })
    #expect(try Set(context.fetch(negated).map(\.number)) == [1, 2, 4])
    for number in 100..<400 { context.insert(Memoir("filler \(number)", number: number)) }
    try context.save()
    let plan = try "\(context.explain(FetchDescriptor<Memoir>(predicate: #Predicate { $0.matches(question) })))"
    #expect(plan.contains("full text index words of Memoir"))
  }

  @Test func `subclasses and related models are found`() throws {
    let context = try filled()
    let cabinet = Cabinet("Wall")
    context.insert(cabinet)
    for memoir in try context.fetch(FetchDescriptor<Memoir>()) where memoir.number % 2 == 0 { memoir.cabinet = cabinet }
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      #expect(
        try context.fetch(FetchDescriptor<LongMemoir>(predicate: #Predicate { $0.matches("wall") })).map(\.number) == [
          5
        ]
      )
      let inCabinet = #Predicate<Memoir> { $0.cabinet?.matches("Wall") == true }
      #expect(try Set(context.fetch(FetchDescriptor(predicate: inCabinet)).map(\.number)) == [0, 2, 4])
      // The index of folders is case-sensitive.
      #expect(try context.fetchCount(FetchDescriptor<Cabinet>(predicate: #Predicate { $0.matches("wall") })) == 0)
      let withSheet = #Predicate<Cabinet> { $0.memoirs.contains { $0.matches("heroes") } }
      #expect(try context.fetch(FetchDescriptor(predicate: withSheet)).map(\.name) == ["Wall"])
    }
  }

  @Test func `the best match comes first, saved or not`() throws {
    let context = ModelContext(try container())
    for number in 0..<50 {
      context.insert(
        Memoir("memoir \(number)", "filler words of a long text \(number % 7 == 0 ? "wall" : "")", number: number))
    }
    let best = Memoir("wall", "wall wall", number: 99)
    context.insert(best)
    func search(_ limit: Int?, weights: [PartialKeyPath<Memoir>: Double] = [:]) throws -> [FullTextMatch<Memoir>] {
      try context.search(Memoir.self, for: "wall", weights: weights, limit: limit)
    }
    let unsaved = try search(nil)
    #expect(unsaved.map(\.model.number) == [99, 0, 7, 14, 21, 28, 35, 42, 49])
    try context.save()
    let saved = try search(nil)
    #expect(saved.map(\.model.number) == unsaved.map(\.model.number))
    #expect(saved.allSatisfy { $0.score > 0 } && saved[0].score > saved[1].score)
    #expect(try search(3).map(\.model.number) == [99, 0, 7])
    #expect(
      try context.search(Memoir.self, for: "wall", offset: 1, limit: 2).map(\.model.number) == [0, 7])
    #expect(
      try context.search(Memoir.self, for: "wall", where: #Predicate { $0.number > 10 }, limit: 2).map(\.model.number)
        == [99, 14])
    // An unsaved change counts.
    let raised = try #require(saved.last?.model)
    raised.title = "wall wall wall wall"
    #expect(try search(2, weights: [\.title: 100]).map(\.model.number).first == raised.number)
    context.delete(best)
    #expect(try search(nil).map(\.model.number).contains(99) == false)
    context.rollback()
    #expect(try search(1).map(\.model.number) == [99])
  }

  @Test func `an invalid question is an error`() throws {
    let context = try filled()
    try context.save()
    for question in [
      "(wall", "wall)", "\"wall", "AND", "-wall", "nowhere:wall", "", String(repeating: "(", count: 9000),
    ] {
      #expect(throws: SwiftDataError.self, "\(question.prefix(20))") { try found(context, question) }
      #expect(throws: SwiftDataError.self, "\(question.prefix(20))") { try context.search(Memoir.self, for: question) }
      #expect(!Memoir("wall").matches(question))
    }
    let many = (0..<999).map { "word\($0)" }.joined(separator: " OR ")
    #expect(try found(context, many).isEmpty)
    #expect(throws: SwiftDataError.self) { try found(context, many + " OR a OR b") }
    let error = #expect(throws: RoostError.self) {
      try context.search(Memoir.self, for: "wall", weights: [\.number: 2])
    }
    #expect(error?.code == .badValue)
    #expect(throws: RoostError.self) { try context.search(Memoir.self, for: "wall", weights: [\.title: .nan]) }
    #expect(throws: RoostError.self) { try context.search(Memoir.self, for: "wall", limit: -1) }
  }

  @Test func `typed text is made a question`() throws {
    let context = try filled()
    try context.save()
    for typed in [
      "berlin wall", "\"berlin wall", "berlin (wall", "berlin* - wall", "  berlin\n OR wall", "title:berlin",
    ] {
      for question in [SearchInput.all(of: typed), SearchInput.any(of: typed), SearchInput.prefixes(of: typed)] {
        _ = try found(context, question)
      }
    }
    #expect(try found(context, SearchInput.all(of: "Berlin \"wall")) == [0, 3, 5])
    #expect(try found(context, SearchInput.any(of: "low career heroes")) == [0, 2])
    #expect(try found(context, SearchInput.prefixes(of: "ber wa")) == [0, 3, 5])
    #expect(try found(context, SearchInput.phrase("new \"town")) == [2])
    #expect(SearchInput.isEmpty("  \" * ") && !SearchInput.isEmpty("a"))
  }

  @Test func `snippets show the match, and escape for a page`() throws {
    let context = ModelContext(try container())
    let words = (0..<60).map { "word\($0)" }.joined(separator: " ")
    context.insert(Memoir("a <b> & \"c\"", "\(words) the <wall> of Berlin \(words)", number: 1))
    try context.save()
    let match = try #require(try context.search(Memoir.self, for: "wall b").first)
    let body = match.snippet(of: \.body, words: 5)
    #expect(body.text.contains("<wall>") && body.isCutBefore && body.isCutAfter)
    #expect(body.highlights.map { String(body.text[$0]) } == ["wall"])
    #expect(body.html.contains("&lt;<mark>wall</mark>&gt;"))
    #expect(match.snippet(of: \.title).html == "a &lt;<mark>b</mark>&gt; &amp; &quot;c&quot;")
    #expect(match.snippet(of: \.title).marked("[", "]") == "a <[b]> & \"c\"")
  }

  @Test func `a search sees commits of other contexts`() throws {
    let context = try filled()
    try context.save()
    let other = ModelContext(context.container)
    for number in 10..<14 {
      other.insert(Memoir("wall \(number)", number: number))
      try other.save()
      let found = try context.search(Memoir.self, for: "wall")
      #expect(Set(found.map(\.model.number)) == Set([0, 3, 5] + Array(10...number)))
      #expect(found.allSatisfy { $0.score > 0 })
    }
  }

  @Test func `a subclass is searched by the index of its superclass`() throws {
    let context = try filled()
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      let found = try context.search(LongMemoir.self, for: "wall", weights: [\.title: 4])
      #expect(found.map(\.model.number) == [5] && found[0].snippet(of: \.title).marked("<", ">") == "Dear <wall>")
    }
    #expect(throws: (any Error).self) { try ModelContainer(for: Petal.self, Blossom.self) }
    let own = ModelContext(
      try ModelContainer(
        for: Stem.self, Bud.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    own.insert(Bud("green"))
    for isSaved in [false, true] {
      if isSaved { try own.save() }
      #expect(try own.fetchCount(FetchDescriptor<Bud>(predicate: #Predicate { $0.matches("colour:green") })) == 1)
    }
  }

  @Test func `a property that is not stored is refused with its name`() throws {
    let error = #expect(throws: (any Error).self) { try ModelContainer(for: Husk.self) }
    #expect(error.map { "\($0)" }?.contains("which no store has: name stored properties") == true, "\(error as Any)")
  }

  @Test func `typed or pasted text is never an error`() throws {
    let context = try filled()
    try context.save()
    let pasted = (0..<5000).map { "word\($0)" }.joined(separator: " ")
    for typed in [
      "\"\u{301}abc", "a\"\u{200D}b", pasted, String(repeating: "x", count: 70_000) + " wall", "wall \u{0}",
    ] {
      for question in [
        SearchInput.all(of: typed), SearchInput.any(of: typed), SearchInput.prefixes(of: typed),
        SearchInput.phrase(typed),
      ] where !question.isEmpty { _ = try found(context, question) }
    }
    #expect(try found(context, SearchInput.prefixes(of: "running")) == [3])
  }
}
