import Foundation
import RoostTestSupport
import SwiftData
import Testing

/// Fetches in batches and in pages.
@Suite struct PageTests {
  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Label.self, Disc.self, Cut.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func filled(_ count: Int) throws -> ModelContext {
    let context = ModelContext(try container())
    for number in 0..<count {
      let disc = Disc("disc \(number % 50)", number: number)
      disc.length = Double(number % 9)
      disc.mood = Feeling.allCases[number % 3]
      context.insert(disc)
    }
    try context.save()
    return ModelContext(context.container)
  }

  /// Regression: in an optimised build the library did not recognise its own key paths here, so it
  /// sorted in memory and refused pages.
  @Test func `pages follow Boolean and localized orders`() throws {
    let context = try filled(30)
    let orders: [SortDescriptor<Disc>] = [
      SortDescriptor(\.isNew), SortDescriptor(\.isLive), SortDescriptor(\.label?.isOpen),
      SortDescriptor(\.title, comparator: .localized), SortDescriptor(\.title, comparator: .localizedStandard),
      SortDescriptor(\.label?.name, comparator: .localizedStandard), SortDescriptor(\.mood),
      SortDescriptor(\.otherMood),
    ]
    for order in orders {
      var descriptor = FetchDescriptor<Disc>(sortBy: [order, SortDescriptor(\.number)])
      #expect(try !"\(context.explain(descriptor))".contains("sorted in memory"))
      let all = try context.fetch(descriptor).map(\.number)
      descriptor.fetchLimit = 7
      var page = try context.fetchPage(descriptor)
      var found = page.models.map(\.number)
      while let next = page.next {
        page = try context.fetchPage(descriptor, after: next)
        found += page.models.map(\.number)
      }
      #expect(found == all && found.count == 30)
    }
  }

  @Test func `a page that ignores unsaved changes is refused while there are some`() throws {
    let context = try filled(30)
    var sorted = FetchDescriptor<Disc>(sortBy: [SortDescriptor(\.number)])
    sorted.fetchLimit = 10
    sorted.includePendingChanges = false
    let first = try context.fetchPage(sorted)
    let moved = try #require(first.models.last)
    moved.number = -1
    // If the row number decides the order, an unsaved object has no position: the next page would
    // begin at a wrong place.
    let error = #expect(throws: RoostError.self) { try context.fetchPage(sorted, after: first.next) }
    #expect(error?.code == .pendingChanges)
    context.rollback()
    #expect(try context.fetchPage(sorted, after: first.next).models.map(\.number) == Array(10..<20))
  }

  @Test func `a page after a cursor of another predicate leaves nothing out`() throws {
    let context = try filled(0)
    for mood in Feeling.allCases {
      for length in 0..<20 {
        let disc = Disc("\(mood) \(length)", number: length)
        disc.mood = mood
        disc.length = Double(length)
        context.insert(disc)
      }
    }
    try context.save()
    for order in [SortOrder.forward, .reverse] {
      func page(_ mood: Feeling, _ limit: Int, after cursor: FetchCursor? = nil) throws -> FetchPage<Disc> {
        var descriptor = FetchDescriptor<Disc>(
          predicate: #Predicate { $0.mood == mood },
          sortBy: [SortDescriptor(\.mood, order: order), SortDescriptor(\.length, order: order)])
        descriptor.fetchLimit = limit
        return try context.fetchPage(descriptor, after: cursor)
      }
      // By their raw values: angry, calm, sad.
      let cursor = try #require(try page(.calm, 11).next)
      let (behind, before) = order == .forward ? (Feeling.sad, Feeling.angry) : (.angry, .sad)
      let lengths = (0..<20).map(Double.init)
      let all = order == .forward ? lengths : lengths.reversed()
      #expect(try page(behind, 100, after: cursor).models.map(\.length) == all)
      #expect(try page(before, 100, after: cursor).models.isEmpty)
      #expect(try page(.calm, 100, after: cursor).models.map(\.length) == Array(all.dropFirst(11)))
    }
  }

  // MARK: Batches

  @Test func `a batch is read on demand`() throws {
    let context = try filled(1000)
    let sorted = FetchDescriptor<Disc>(sortBy: [SortDescriptor(\.number)])
    let all = try context.fetch(sorted, batchSize: 100)
    #expect(context.statistics.modelsFetched == 0 && context.statistics.faultsFilled == 0)
    #expect(all.count == 1000 && all[505].number == 505)
    #expect(context.statistics.faultsFilledTogether == 100)
    #expect(all.map(\.number) == Array(0..<1000))
    // Four batches are kept; the others were released after their use.
    let before = context.statistics.faultsFilledTogether
    #expect(all[999].number == 999 && all[700].number == 700)
    #expect(context.statistics.faultsFilledTogether == before)
    #expect(all[0].number == 0)
    #expect(context.statistics.faultsFilledTogether == before + 100)
    #expect(all.reversed().first?.number == 999 && all[250..<260].map(\.number) == Array(250..<260))
    #expect(throws: RoostError.self) { try context.fetch(sorted, batchSize: 0) }
    #expect(throws: RoostError.self) { try context.fetchIdentifiers(sorted, batchSize: -1) }
    #expect(try context.fetch(sorted, batchSize: .max).last?.number == 999)
  }

  @Test func `commits of others do not change the results`() throws {
    let context = try filled(300)
    let other = ModelContext(context.container)
    let all = try context.fetch(FetchDescriptor<Disc>(sortBy: [SortDescriptor(\.number)]), batchSize: 10)
    let identifiers = try context.fetchIdentifiers(
      FetchDescriptor<Disc>(sortBy: [SortDescriptor(\.number)]), batchSize: 10)
    for disc in try other.fetch(FetchDescriptor<Disc>()) {
      if disc.number % 2 == 0 { other.delete(disc) } else { disc.title = "changed" }
    }
    other.insert(Disc("new", number: -1))
    try other.save()
    // The context moves on, but the collection does not.
    #expect(try context.fetchCount(FetchDescriptor<Disc>()) == 151)
    #expect(all.count == 300 && identifiers.count == 300)
    for (place, disc) in all.enumerated() {
      #expect(disc.number == place && disc.isDeleted == (place % 2 == 0))
      #expect(disc.title == (place % 2 == 0 ? "disc \(place % 50)" : "changed"))
      #expect(disc.persistentModelID == identifiers[place])
    }
  }

  @Test func `unsaved models are in the batches`() throws {
    let context = try filled(100)
    let descriptor = FetchDescriptor<Disc>(sortBy: [SortDescriptor(\.number)])
    let some = try context.fetch(descriptor)
    some[10].number = 1000
    context.delete(some[20])
    let late = Disc("late", number: 50)
    context.insert(late)
    let expected = try context.fetch(descriptor).map(\.persistentModelID)
    let all = try context.fetch(descriptor, batchSize: 7)
    #expect(all.map(\.persistentModelID) == expected && all.last === some[10])
    #expect(try Array(context.fetchIdentifiers(descriptor, batchSize: 7)) == expected)
    #expect(try context.fetchIdentifiers(descriptor, batchSize: 7).filter { $0.storeIdentifier == nil }.count == 1)
    var stored = descriptor
    stored.includePendingChanges = false
    #expect(try context.fetch(stored, batchSize: 7).map(\.persistentModelID) == some.map(\.persistentModelID))
    #expect(try context.fetchIdentifiers(stored).count == 100)
    // After a rollback the new model is still in the results.
    context.rollback()
    #expect(all.contains { $0 === late } && all.count == 100)
  }

  @Test func `batches return subclasses with their own class`() throws {
    let container = try ModelContainer(
      for: Animal.self, Dog.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    for number in 0..<20 { context.insert(number % 3 == 0 ? Dog("d\(number)", tricks: number) : Animal("a\(number)")) }
    try context.save()
    let other = ModelContext(container)
    let all = try other.fetch(FetchDescriptor<Animal>(sortBy: [SortDescriptor(\.name)]), batchSize: 3)
    #expect(all.filter { $0 is Dog }.count == 7)
    let names = try other.fetchIdentifiers(FetchDescriptor<Animal>(), batchSize: 3).map(\.entityName)
    #expect(names.filter { $0 == "Dog" }.count == 7 && names.count == 20)
  }

  // MARK: Pages

  @Test func `an index finds a page without reading the rows before it`() throws {
    let context = try filled(5000)
    var descriptor = FetchDescriptor<Disc>(sortBy: [SortDescriptor(\.number)])
    descriptor.fetchLimit = 10
    var page = try context.fetchPage(descriptor)
    for _ in 0..<300 { page = try context.fetchPage(descriptor, after: page.next) }
    #expect(page.models.map(\.number) == Array(3000..<3010))
    // Eleven for each page, the last of which begins the next page.
    #expect(context.statistics.modelsFetched <= 301 * 11)
    let other = ModelContext(context.container)
    let far = try other.fetchPage(descriptor, after: page.next)
    #expect(far.models.first?.number == 3010 && other.statistics.modelsFetched == 11)
  }

  @Test func `a cursor of another order is refused`() throws {
    let context = try filled(20)
    var descriptor = FetchDescriptor<Disc>(sortBy: [SortDescriptor(\.number)])
    descriptor.fetchLimit = 5
    let cursor = try #require(try context.fetchPage(descriptor).next)
    func refused(_ words: String, _ change: (inout FetchDescriptor<Disc>) -> Void) {
      var other = descriptor
      change(&other)
      #expect {
        try context.fetchPage(other, after: cursor)
      } throws: {
        "\($0)".contains(words)
      }
    }
    refused("was sorted by number, this one is sorted by title") { $0.sortBy = [SortDescriptor(\.title)] }
    refused("sorted by number descending") { $0.sortBy = [SortDescriptor(\.number, order: .reverse)] }
    refused("sorted by nothing") { $0.sortBy = [] }
    refused("leave fetchOffset out") { $0.fetchOffset = 3 }
    refused("is computed") { $0.sortBy = [SortDescriptor(\.shout)] }
    #expect(throws: RoostError.self) {
      try context.fetchPage(FetchDescriptor<Cut>(sortBy: [SortDescriptor(\.seconds)]), after: cursor)
    }
    #expect(throws: RoostError.self) { try filled(20).fetchPage(descriptor, after: cursor) }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>) func `all pages together equal the fetch`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let context = ModelContext(try container())
    let label = Label("l", spot: Site(city: "c", zip: Zip(code: 1, area: nil), open: true))
    context.insert(label)
    var discs: [Disc] = []
    func fill(_ disc: Disc) {
      disc.title = ["a", "b10", "b9", "é", "e\u{301}", "", String(repeating: "x", count: 600)][Int(random.next() % 7)]
      disc.number = Int(random.next() % 7)
      disc.length = [0, -0.0, .nan, 2, -.infinity][Int(random.next() % 5)]
      disc.weight = random.next() % 3 == 0 ? nil : [.nan, 1, 2][Int(random.next() % 3)]
      disc.isLive = [nil, true, false][Int(random.next() % 3)]
      disc.price = Decimal(Int(random.next() % 5)) / 2
      disc.mood = Feeling.allCases[Int(random.next() % 3)]
      disc.label = random.next() % 2 == 0 ? nil : label
    }
    for _ in 0..<80 {
      let disc = Disc("", number: 0)
      fill(disc)
      context.insert(disc)
      discs.append(disc)
    }
    try context.save()
    let sorts: [SortDescriptor<Disc>] = [
      SortDescriptor(\.title), SortDescriptor(\.number), SortDescriptor(\.length), SortDescriptor(\.weight),
      SortDescriptor(\.isLive), SortDescriptor(\.price), SortDescriptor(\.mood), SortDescriptor(\.label?.name),
      SortDescriptor(\.title, comparator: .localizedStandard), SortDescriptor(\.label?.id),
    ]
    for round in 0..<40 {
      if round == 20 {
        for _ in 0..<6 { fill(discs[Int(random.next() % 80)]) }
        context.delete(discs[79])
        let late = Disc("", number: 0)
        fill(late)
        context.insert(late)
      }
      if round == 30 { label.name = "waits" }
      let least = Int(random.next() % 6)
      var descriptor = FetchDescriptor<Disc>()
      switch random.next() % 3 {
      case 0: descriptor.predicate = #Predicate { $0.number >= least }
      case 1: descriptor.predicate = #Predicate { $0.number >= least && $0.shout != "B9" }
      default: break
      }
      for _ in 0..<random.next() % 3 {
        var sort = sorts[Int(random.next() % UInt64(sorts.count))]
        if random.next() % 2 == 0 { sort.order = .reverse }
        descriptor.sortBy.append(sort)
      }
      // Without an order, pages are in the order of row numbers.
      var expected = try context.fetch(descriptor).map(\.persistentModelID)
      if descriptor.sortBy.isEmpty { expected.sort() }
      descriptor.fetchLimit = 1 + Int(random.next() % 20)
      let pages = try context.pages(descriptor)
      let isSame = pages.flatMap { $0 }.map(\.persistentModelID) == expected
      #expect(isSame, "round \(round)")
      #expect(pages.dropLast().allSatisfy { $0.count == descriptor.fetchLimit }, "round \(round)")
    }
  }

  // MARK: Explanations

  @Test func `an explanation counts rows and names the missing index`() throws {
    let context = try filled(2000)
    let seven = 7.0
    var descriptor = FetchDescriptor<Disc>(predicate: #Predicate { $0.key != $0.key || $0.length == seven })
    #expect(try context.explain(descriptor).missingIndex == nil)
    descriptor.predicate = #Predicate { $0.isNew && $0.length == seven }
    let slow = try context.explain(descriptor)
    #expect(slow.rowsRead == 2000 && slow.found == 0 && slow.rowCount == 2000 && slow.indexes.isEmpty)
    #expect(slow.missingIndex == #"#Index<Disc>([\.isNew, \.length])"#)
    #expect("\(slow)".contains("it would read less with #Index<Disc>"))
    #expect(slow.testedOnRows?.contains("length") == true && slow.testedInMemory.isEmpty && slow.sorting == .none)
    descriptor.predicate = #Predicate { $0.number > 1990 }
    descriptor.sortBy = [SortDescriptor(\.number)]
    let quick = try context.explain(descriptor)
    #expect(quick.rowsRead == 9 && quick.found == 9 && quick.indexes == ["number"] && quick.sorting == .index)
    #expect(quick.missingIndex == nil && quick.testedOnRows == nil)
    descriptor.predicate = nil
    descriptor.sortBy = [SortDescriptor(\.length, order: .reverse)]
    descriptor.fetchLimit = 5
    let sorted = try context.explain(descriptor)
    #expect(sorted.sorting == .rows && sorted.found == 5 && sorted.missingIndex == #"#Index<Disc>([\.length])"#)
    descriptor.sortBy = [SortDescriptor(\.shout)]
    descriptor.predicate = #Predicate { $0.shout != "DISC 1" }
    context.insert(Disc("late", number: 1))
    let memory = try context.explain(descriptor)
    #expect(memory.sorting == .memory && memory.testedInMemory.count == 1 && memory.putIn == 1 && memory.found == 5)
  }
}

extension ModelContext {
  /// All pages of a fetch. Each cursor goes through JSON.
  func pages(_ descriptor: FetchDescriptor<Disc>) throws -> [[Disc]] {
    var pages: [[Disc]] = []
    var cursor: FetchCursor?
    repeat {
      let page = try fetchPage(descriptor, after: cursor)
      pages.append(page.models)
      cursor = try page.next.map { try JSONDecoder().decode(FetchCursor.self, from: JSONEncoder().encode($0)) }
      #expect(cursor == page.next)
    } while cursor != nil && pages.count < 1000
    return pages
  }
}
