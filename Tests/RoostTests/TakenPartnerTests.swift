import RoostImport
import SwiftData
import Testing

/// One law for one-to-one relationships: a new model takes the partner that it names, whatever writes it.
@Suite struct TakenPartnerTests {
  enum Writer: CaseIterable, Sendable { case save, batch, text, models, snapshots }

  private let container: ModelContainer

  /// Wearer a has crest 1, and b has none.
  init() throws {
    container = try ModelContainer(for: Wearer.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let (a, b) = (Wearer("a"), Wearer("b"))
    a.crest = Crest(1)
    context.insert(a)
    context.insert(b)
    try context.save()
  }

  private func pairs() throws -> [String] {
    let context = ModelContext(container)
    return try context.fetch(FetchDescriptor<Crest>(sortBy: [SortDescriptor(\.number)])).map { crest in
      #expect(crest.wearer.map { $0.crest === crest } ?? true)
      return "\(crest.number)\(crest.wearer?.name ?? "-")"
    }
  }

  private func put(_ number: Int, of name: String, _ writer: Writer) throws {
    let context = ModelContext(container)
    let importer = try container.importer(for: Crest.self)
    let crest = Crest(number)
    if writer != .text {
      crest.wearer =
        writer == .models
        ? Wearer(name) : try context.fetch(FetchDescriptor<Wearer>(predicate: #Predicate { $0.name == name })).first
    }
    switch writer {
    case .save: try context.save()
    case .batch:
      context.rollback()
      try context.insert(batch: [number]) { number in
        let crest = Crest(number)
        crest.wearer = try context.fetch(FetchDescriptor<Wearer>(predicate: #Predicate { $0.name == name })).first
        return crest
      }
    case .text: try importer.run(.text(#"{"number": \#(number), "text": "", "wearer": "\#(name)"}"#, .jsonLines))
    case .models: try importer.run(models: [crest])
    case .snapshots:
      context.insert(crest)
      let snapshot = crest.snapshot
      context.rollback()
      try importer.run(snapshots: [snapshot])
    }
  }

  @Test(arguments: Writer.allCases) func `a new model and an updated one take a partner`(_ writer: Writer) throws {
    try put(4, of: "a", writer)
    #expect(try pairs() == ["1-", "4a"])
    try put(5, of: "b", writer)
    // A stored crest takes the partner of another one.
    try put(1, of: "b", writer)
    #expect(try pairs() == ["1b", "4a", "5-"])
    #expect(try container.verify().isSound)
  }

  @Test func `a partner of a model that needs it stays`() throws {
    let container = try makeFirms()
    let context = ModelContext(container)
    let sailor = Sailor("s")
    sailor.medal = Medal(1, sailor)
    context.insert(sailor)
    try context.save()
    var importer = try container.importer(for: Medal.self)
    importer.options.conflict = .insert
    let error = #expect(throws: RoostError.self) {
      try importer.run(.text(##"{"number": 2, "owner": "#1"}"##, .jsonLines))
    }
    #expect(error?.importFault?.reason == .duplicate && error?.importFault?.field == "owner")
    #expect(try ModelContext(container).fetch(FetchDescriptor<Medal>()).map(\.number) == [1])
  }

  @Test func `a model with the unique values of two others is refused by property and value`() throws {
    let container = try ModelContainer(for: Hand.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Hand(WriterPlay.Record(code: "1", first: "f", last: "l")))
    context.insert(Hand(WriterPlay.Record(code: "2", first: "g", last: "m")))
    try context.save()
    let both = WriterPlay.Record(code: "1", first: "g", last: "m")
    context.insert(Hand(both))
    let saved = #expect(throws: RoostError.self) { try context.save() }
    context.rollback()
    let written = #expect(throws: RoostError.self) { try context.insert(batch: [Hand(both)]) }
    for error in [saved, written] {
      #expect(error?.code == .notUnique && error?.description.contains("first, last") == true)
      #expect(error?.description.contains("Hand 2 already has the unique value \"g\", \"m\"") == true)
      #expect(error?.description.contains("Hand 1 has another one") == true)
    }
    var importer = try container.importer(for: Hand.self)
    importer.options.conflict = .skip
    let error = #expect(throws: RoostError.self) {
      try importer.run(.text(#"{"code": "1", "first": "g", "last": "m", "grade": 0}"#, .jsonLines))
    }
    #expect(error?.importFault?.reason == .duplicate)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Hand>()) == 2)
  }
}
