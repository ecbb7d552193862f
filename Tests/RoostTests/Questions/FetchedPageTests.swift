import Foundation
import RoostTestSupport
import SwiftData
import Testing

/// Pages of a child context, whose row numbers differ from those of its parent.
@Suite struct FetchedPageTests {
  private func context() throws -> ModelContext {
    let context = ModelContext(
      try ModelContainer(
        for: Label.self, Disc.self, Cut.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    context.autosaveEnabled = false
    return context
  }

  /// Before the fix, a limit ended the pages after the first one.
  @Test(arguments: [true, false]) func `a limit does not end the pages`(isSorted: Bool) throws {
    let parent = try context()
    for number in 0..<7 { parent.insert(Disc("m", number: number)) }
    try parent.save()
    var descriptor = FetchDescriptor<Disc>(sortBy: isSorted ? [SortDescriptor(\.title)] : [])
    descriptor.fetchLimit = 3
    let child = try ModelContext(parent: parent)
    #expect(try child.pages(descriptor).map { $0.map(\.number) } == [[0, 1, 2], [3, 4, 5], [6]])
    child.insert(Disc("m", number: 7))
    parent.insert(Disc("m", number: 8))
    #expect(try child.pages(descriptor).joined().map(\.number).sorted() == Array(0...8))
  }

  /// A cursor names the model by its key, so that it can be used elsewhere.
  @Test func `a cursor is valid in another child and in the parent`() throws {
    let parent = try context()
    for number in 0..<9 { parent.insert(Disc("m", number: number)) }
    try parent.save()
    var descriptor = FetchDescriptor<Disc>(sortBy: [SortDescriptor(\.title, order: .reverse)])
    descriptor.fetchLimit = 4
    let (one, other) = (try ModelContext(parent: parent), try ModelContext(parent: parent))
    // This child's rows have another order.
    #expect(try other.fetch(FetchDescriptor<Disc>(predicate: #Predicate { $0.number == 3 })).count == 1)
    let first = try one.fetchPage(descriptor)
    #expect(first.models.map(\.number) == [8, 7, 6, 5])
    for context in [one, other, parent] {
      let next = try context.fetchPage(descriptor, after: first.next)
      #expect(next.models.map(\.number) == [4, 3, 2, 1])
      #expect(try one.fetchPage(descriptor, after: next.next).models.map(\.number) == [0])
    }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>) func `all pages together are the sorted models`(
    _ seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    let parent = try context()
    let labels = (0..<3).map { Label("l\($0)", spot: Site(city: "c", zip: Zip(code: 1, area: nil), open: true)) }
    for label in labels { parent.insert(label) }
    func fill(_ disc: Disc, _ labels: [Label]) {
      disc.title = ["a", "b10", "b9", "é", "e\u{301}", ""][Int(random.next() % 6)]
      disc.number = Int(random.next() % 7)
      disc.length = [0, -0.0, .nan, 2, -.infinity][Int(random.next() % 5)]
      disc.weight = random.next() % 3 == 0 ? nil : [.nan, 1, 2][Int(random.next() % 3)]
      disc.isLive = [nil, true, false][Int(random.next() % 3)]
      disc.mood = Feeling.allCases[Int(random.next() % 3)]
      disc.label = random.next() % 2 == 0 ? nil : labels[Int(random.next() % 3)]
    }
    for _ in 0..<50 {
      let disc = Disc("", number: 0)
      fill(disc, labels)
      parent.insert(disc)
    }
    try parent.save()
    let child = try ModelContext(parent: parent)
    let sorts: [SortDescriptor<Disc>] = [
      SortDescriptor(\.title), SortDescriptor(\.number), SortDescriptor(\.length), SortDescriptor(\.weight),
      SortDescriptor(\.isLive), SortDescriptor(\.mood), SortDescriptor(\.label?.name),
      SortDescriptor(\.title, comparator: .localizedStandard),
    ]
    for round in 0..<30 {
      if round % 10 == 5 {
        let own = try child.fetch(FetchDescriptor<Label>())
        let discs = try child.fetch(FetchDescriptor<Disc>())
        for _ in 0..<5 { fill(discs[Int(random.next() % UInt64(discs.count))], own) }
        if let last = discs.last { child.delete(last) }
        own[0].name = "waits \(round)"
        for context in [child, parent] {
          let late = Disc("", number: 0)
          context.insert(late)
          fill(late, context == child ? own : labels)
        }
      }
      let least = Int(random.next() % 6)
      var descriptor = FetchDescriptor<Disc>()
      switch random.next() % 4 {
      case 0: descriptor.predicate = #Predicate { $0.number >= least }
      case 1: descriptor.predicate = #Predicate { $0.number >= least && $0.shout != "B9" }
      case 2: descriptor.predicate = #Predicate { $0.label?.name != "l1" }
      default: break
      }
      for _ in 0..<random.next() % 3 {
        var sort = sorts[Int(random.next() % UInt64(sorts.count))]
        if random.next() % 2 == 0 { sort.order = .reverse }
        descriptor.sortBy.append(sort)
      }
      let expected = try child.fetch(descriptor)
      descriptor.fetchLimit = 1 + Int(random.next() % 20)
      let pages = try child.pages(descriptor)
      let found = Array(pages.joined())
      #expect(Set(found) == Set(expected) && found.count == expected.count, "round \(round)")
      #expect(pages.dropLast().allSatisfy { $0.count == descriptor.fetchLimit }, "round \(round)")
      // Models with equal values have another order in the fetch.
      let isSorted = zip(found, expected).allSatisfy { one, other in
        descriptor.sortBy.allSatisfy { $0.compare(one, other) == .orderedSame }
      }
      #expect(isSorted, "round \(round)")
    }
  }
}
