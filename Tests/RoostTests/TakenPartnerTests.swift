import RoostImport
import SwiftData
import Testing

/// One rule for one-to-one relationships: a new model takes the partner that it references, in
/// every way of writing.
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

  @Test func `the partner of a model that requires it stays`() throws {
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

  @Test func `a model with unique values of two others is refused, naming property and value`() throws {
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

  // MARK: Dropped models

  /// Crests 1 and 2 belong to a and b. Crest 3 and wearer c have no partner.
  private func fill() throws {
    let context = ModelContext(container)
    let b = try context.fetch(FetchDescriptor<Wearer>(predicate: #Predicate { $0.name == "b" })).first
    b?.crest = Crest(2)
    context.insert(Crest(3))
    context.insert(Wearer("c"))
    try context.save()
  }

  @Test(arguments: [1, 2, 3], ["a", "b", "c"]) func `a model that a save drops takes no partner`(
    _ number: Int, _ name: String
  ) throws {
    try fill()
    for isCrest in [true, false] {
      let context = ModelContext(container)
      context.uniquePolicy = .keepExisting
      let crests = try context.fetch(FetchDescriptor<Crest>(sortBy: [SortDescriptor(\.number)]))
      let wearers = try context.fetch(FetchDescriptor<Wearer>(sortBy: [SortDescriptor(\.name)]))
      if isCrest {
        let crest = Crest(number, text: "dropped")
        context.insert(crest)
        crest.wearer = wearers.first { $0.name == name }
      } else {
        let wearer = Wearer(name)
        context.insert(wearer)
        wearer.crest = crests[number - 1]
      }
      try context.save()
      #expect(try pairs() == ["1a", "2b", "3-"], "\(isCrest)")
      #expect(crests.map { $0.wearer?.name } == ["a", "b", nil], "\(isCrest)")
      #expect(wearers.map { $0.crest?.number } == [1, 2, nil], "\(isCrest)")
      #expect(crests.allSatisfy { $0.text.isEmpty } && !context.hasChanges)
      let last = try #require(try context.all().last)
      #expect(!last.changes.contains { $0.line.contains("updated") }, "\(last.changes.map(\.line))")
    }
    #expect(try container.verify().isSound)
  }

  @Test func `the program's own change counts, whatever a dropped model references`() throws {
    try fill()
    let context = ModelContext(container)
    context.uniquePolicy = .keepExisting
    let wearers = try context.fetch(FetchDescriptor<Wearer>(sortBy: [SortDescriptor(\.name)]))
    // The program clears a reference before a dropped model takes the partner.
    wearers[0].crest = nil
    let one = Crest(1)
    context.insert(one)
    one.wearer = wearers[0]
    try context.save()
    #expect(try pairs() == ["1-", "2b", "3-"])
    // A new model takes the partner that a dropped one had taken.
    let two = Crest(2)
    context.insert(two)
    two.wearer = wearers[1]
    wearers[1].crest = Crest(4)
    try context.save()
    #expect(try pairs() == ["1-", "2-", "3-", "4b"])
    #expect(try container.verify().isSound)
  }
}
