import Foundation
import Roost
import RoostTestSupport
import Testing

/// Derived properties of models: after saves, in other contexts, after bulk writes, imports,
/// rollbacks and migrations.
@Suite struct DerivedModelTests {
  private static func container(_ url: URL? = nil) throws -> ModelContainer {
    try ModelContainer(
      for: Granary.self, Sack.self, SackSeal.self,
      configurations: url.map { ModelConfiguration(url: $0) } ?? ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private static func fill(_ context: ModelContext) throws -> (north: Granary, south: Granary) {
    let (north, south) = (Granary("north"), Granary("south"))
    context.insert(north)
    context.insert(south)
    for number in 1...4 {
      context.insert(Sack("n\(number)", weight: number * 10, volume: 0.1, day: number, in: north))
    }
    context.insert(Sack("s1", weight: 7, day: 1, in: south))
    try context.save()
    return (north, south)
  }

  private static func day(_ day: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(day) * 86_400) }

  @Test func `a save gives the objects of the context their derived values`() throws {
    let context = ModelContext(try Self.container())
    let granary = Granary("east")
    #expect(granary.sackCount == 0 && granary.weight == 0 && granary.lightest == nil)
    let (north, south) = try Self.fill(context)
    #expect(north.sackCount == 4 && north.weight == 100 && north.lightest == 10)
    #expect(north.volume == 0.1 + 0.1 + 0.1 + 0.1)
    #expect(north.lastArrival == Self.day(4) && north.lastLabel == "n4")
    #expect(south.sackCount == 1 && south.volume == 0 && south.lastLabel == "s1")
    let moved = try #require(north.sacks.first { $0.label == "n4" })
    moved.granary = south
    #expect(north.weight == 100)
    try context.save()
    #expect(north.weight == 60 && north.lastLabel == "n3" && south.weight == 47 && south.lastLabel == "n4")
    let lightest = try #require(north.sacks.first { $0.weight == 10 })
    context.delete(lightest)
    try context.save()
    #expect(north.lightest == 20 && north.sackCount == 2 && !context.hasChanges)
  }

  @Test func `other contexts and the history see the new values`() throws {
    let container = try Self.container()
    let context = ModelContext(container)
    let (north, _) = try Self.fill(context)
    let other = ModelContext(container)
    let granaries = try other.fetch(FetchDescriptor<Granary>(sortBy: [SortDescriptor(\.name)]))
    #expect(granaries.map(\.weight) == [100, 7])
    context.insert(Sack("n5", weight: 1, day: 9, in: north))
    try context.save()
    _ = try other.fetchCount(FetchDescriptor<Granary>())
    #expect(granaries[0].weight == 101 && granaries[0].lightest == 1 && granaries[0].lastLabel == "n5")
    let last = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
    let updated = last.changes.compactMap { change -> [PartialKeyPath<Granary>]? in
      guard case .update(let update as DefaultHistoryUpdate<Granary>) = change else { return nil }
      return update.updatedAttributes
    }
    #expect(updated.first?.contains(\.weight) == true)
  }

  @Test func `predicates, sort orders and indexes work on them`() throws {
    let context = ModelContext(try Self.container())
    _ = try Self.fill(context)
    let heavy = FetchDescriptor<Granary>(
      predicate: #Predicate { $0.weight > 50 }, sortBy: [SortDescriptor(\.weight, order: .reverse)])
    #expect(try context.fetch(heavy).map(\.name) == ["north"])
    #expect("\(try context.explain(heavy))".contains("weight"))
    let byCount = FetchDescriptor<Granary>(sortBy: [SortDescriptor(\.sackCount)])
    #expect(try context.fetch(byCount).map(\.name) == ["south", "north"])
  }

  @Test func `bulk writes update them`() throws {
    let container = try Self.container()
    let context = ModelContext(container)
    let (north, south) = try Self.fill(context)
    try context.update(model: Sack.self, where: #Predicate { $0.weight >= 30 }) { $0.weight = 1 }
    _ = try context.fetchCount(FetchDescriptor<Granary>())
    #expect(north.weight == 32 && north.lightest == 1)
    try context.delete(model: Sack.self, where: #Predicate { $0.weight == 1 })
    try context.save()
    #expect(north.weight == 30 && north.sackCount == 2 && south.weight == 7)
  }

  @Test func `a rollback and a failed save change nothing`() throws {
    let context = ModelContext(try Self.container())
    let (north, _) = try Self.fill(context)
    context.insert(Sack("big", weight: .max, day: 1, in: north))
    let error = #expect(throws: (any Error).self) { try context.save() }
    #expect("\(String(describing: error))".contains("weight"))
    context.rollback()
    #expect(north.weight == 100 && north.sackCount == 4)
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Granary>()).map(\.weight).sorted() == [7, 100])
  }

  @Test func `a merge of unique values keeps them`() throws {
    let context = ModelContext(try Self.container())
    let (north, _) = try Self.fill(context)
    context.insert(Granary("north"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Granary>()) == 2)
    let stored = try #require(
      try ModelContext(context.container).fetch(FetchDescriptor<Granary>()).first { $0.name == "north" })
    #expect(stored.sackCount == stored.sacks.count && stored.weight == stored.sacks.reduce(0) { $0 + $1.weight })
    _ = north
  }

  @Test func `many-to-many relationships have them too`() throws {
    let context = ModelContext(try Self.container())
    let (north, _) = try Self.fill(context)
    let seal = SackSeal("fragile")
    context.insert(seal)
    seal.sacks = north.sacks
    try context.save()
    #expect(seal.sackCount == 4 && seal.weight == 100)
    north.sacks[0].weight += 5
    seal.sacks.removeLast()
    try context.save()
    #expect(seal.sackCount == 3 && seal.weight == seal.sacks.reduce(0) { $0 + $1.weight })
  }

  @Test func `a child context shows them after the save of its parent`() throws {
    let context = ModelContext(try Self.container())
    let (north, _) = try Self.fill(context)
    let child = try ModelContext(parent: context)
    let own = try #require(try child.fetch(FetchDescriptor<Granary>()).first { $0.name == "north" })
    child.insert(Sack("n5", weight: 5, day: 9, in: own))
    try child.save()
    #expect(north.weight == 100)
    try context.save()
    #expect(north.weight == 105 && north.sackCount == 5 && north.lastLabel == "n5")
    let again = try ModelContext(parent: context).fetch(FetchDescriptor<Granary>())
    #expect(again.first { $0.name == "north" }?.weight == 105)
  }

  @Test func `delete rules update them`() throws {
    let context = ModelContext(try Self.container())
    let (north, south) = try Self.fill(context)
    let seal = SackSeal("old")
    context.insert(seal)
    seal.sacks = north.sacks + south.sacks
    try context.save()
    #expect(seal.weight == 107)
    context.delete(north)
    try context.save()
    // The sacks of the deleted granary have none, and are still sealed.
    #expect(seal.weight == 107 && seal.sackCount == 5 && south.weight == 7)
    try context.deleteAll(model: Sack.self, where: #Predicate { $0.granary == nil })
    _ = try context.fetchCount(FetchDescriptor<Granary>())
    #expect(seal.weight == 7 && seal.sackCount == 1)
  }

  @Test func `they are stored after reopening, and verify finds them correct`() throws {
    let folder = try ScratchFolder()
    let url = URL(filePath: folder.file("granaries.roost"))
    let container = try Self.container(url)
    _ = try Self.fill(ModelContext(container))
    try container.close()
    let again = try Self.container(url)
    #expect(try ModelContext(again).fetch(FetchDescriptor<Granary>()).map(\.weight).sorted() == [7, 100])
    #expect(try again.verify().isSound)
    try again.close()
  }

  @Test func `a property that becomes derived is filled, and keeps its values as an ordinary one`() throws {
    let folder = try ScratchFolder()
    let configuration = ModelConfiguration(url: URL(filePath: folder.file("granaries.roost")))
    let first = try ModelContainer(
      for: EarlierGranary.Granary.self, EarlierGranary.Sack.self, configurations: configuration)
    let context = ModelContext(first)
    let granary = EarlierGranary.Granary("north")
    context.insert(granary)
    for weight in 1...3 { context.insert(EarlierGranary.Sack("c", weight: weight, in: granary)) }
    try context.save()
    try first.close()
    let second = try ModelContainer(
      for: LaterGranary.Granary.self, LaterGranary.Sack.self, configurations: configuration)
    let later = try #require(try ModelContext(second).fetch(FetchDescriptor<LaterGranary.Granary>()).first)
    #expect(later.weight == 6 && later.sackCount == 3 && later.heaviest == 3)
    try second.close()
    let third = try ModelContainer(
      for: EarlierGranary.Granary.self, EarlierGranary.Sack.self, configurations: configuration)
    let last = try #require(try ModelContext(third).fetch(FetchDescriptor<EarlierGranary.Granary>()).first)
    #expect(last.weight == 6)
    last.weight = 50
    try last.modelContext?.save()
    #expect(last.weight == 50)
    try third.close()
  }

  @Test func `a unique derived property is refused with its name`() throws {
    let memory = ModelConfiguration(isStoredInMemoryOnly: true)
    let unique = #expect(throws: (any Error).self) {
      _ = try ModelContainer(for: UniqueGranary.Chest.self, configurations: memory)
    }
    #expect("\(String(describing: unique))".contains("itemCount"))
  }
}
