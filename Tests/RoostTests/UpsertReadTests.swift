import Foundation
import SwiftData
import Testing

@Model final class Shelving {
  @Attribute(.unique) var number: Int
  @Relationship(deleteRule: .cascade, inverse: \Bound.shelving) var volumes: [Bound] = []
  @Relationship(inverse: \ShelfKeeper.shelves) var keepers: [ShelfKeeper] = []
  init(_ number: Int) { self.number = number }
}

@Model final class Bound {
  @Attribute(.unique) var number: Int
  var pages = 0
  var shelving: Shelving?
  init(_ number: Int) { self.number = number }
}

@Model final class ShelfKeeper {
  var name: String
  var shelves: [Shelving] = []
  init(_ name: String) { self.name = name }
}

/// Regression: a save must read no more than it writes. As soon as one new model was merged into an
/// old row, it loaded the lists of all models of the owners' batch. Upserts of 100,000 rows took 18
/// seconds, and twice as many took three times as long.
@Suite struct UpsertReadTests {
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: Shelving.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func fill(_ owners: Int, _ members: Int) throws {
    let context = ModelContext(container)
    for number in 0..<owners {
      let shelving = Shelving(number)
      shelving.volumes = (0..<members).map { Bound(number * 1000 + $0) }
      context.insert(shelving)
    }
    try context.save()
  }

  private func owners(_ context: ModelContext) throws -> [Shelving] {
    try context.fetch(FetchDescriptor<Shelving>(sortBy: [SortDescriptor(\.number)]))
  }

  /// The counts of all reads of the context.
  private func reads(_ context: ModelContext) -> [Int] {
    let all = context.statistics
    return [
      all.faultsFilled, all.modelsFetched, all.faultsFilledTogether, all.listsLoaded, all.listsLoadedTogether,
      all.coarseReads,
    ]
  }

  private func stored() throws -> [[Int]] { try owners(ModelContext(container)).map { $0.volumes.map(\.number) } }

  @Test func `upserts load no list and no member`() throws {
    try fill(50, 20)
    let context = ModelContext(container)
    let all = try owners(context)
    let before = reads(context)
    for shelving in all.prefix(10) {
      for at in (0..<25) {
        let volume = Bound(shelving.number * 1000 + at)
        volume.pages = 7
        volume.shelving = shelving
        context.insert(volume)
      }
    }
    try context.save()
    #expect(context.lastSave.merges.count == 200)
    #expect(reads(context) == before)
    let rows = try stored()
    #expect(rows.prefix(10).enumerated().allSatisfy { at, list in list == (0..<25).map { at * 1000 + $0 } })
    #expect(rows.dropFirst(10).allSatisfy { $0.count == 20 })
  }

  @Test func `rows that are upserted into another list come last, in their order`() throws {
    try fill(2, 4)
    let context = ModelContext(container)
    let second = try owners(context)[1]
    for number in [2, 1002, 0, 5000] {
      let volume = Bound(number)
      volume.shelving = second
      context.insert(volume)
    }
    try context.save()
    #expect(context.statistics.listsLoaded + context.statistics.listsLoadedTogether == 0)
    #expect(try stored() == [[1, 3], [1000, 1001, 1002, 1003, 2, 0, 5000]])
  }

  @Test func `members that move to an unloaded list come last, in the order of moves`() throws {
    try fill(3, 5)
    let context = ModelContext(container)
    let all = try owners(context)
    let volumes = try context.fetch(FetchDescriptor<Bound>(sortBy: [SortDescriptor(\.number)]))
    let before = reads(context)
    for number in [3, 0, 2004, 1] {
      try #require(volumes.first { $0.number == number }).shelving = all[1]
    }
    let new = Bound(9000)
    new.shelving = all[1]
    context.insert(new)
    // One is removed and added again.
    let again = try #require(volumes.first { $0.number == 1002 })
    again.shelving = nil
    again.shelving = all[1]
    try context.save()
    #expect(reads(context) == before)
    let expected = [[2, 4], [1000, 1001, 1003, 1004, 3, 0, 2004, 1, 9000, 1002], [2000, 2001, 2002, 2003]]
    #expect(try stored() == expected)
    #expect(all.map { $0.volumes.map(\.number) } == expected)
  }

  @Test func `a member that is added again comes last, one that is upserted into its list stays`() throws {
    try fill(2, 3)
    let context = ModelContext(container)
    let all = try owners(context)
    let volumes = try context.fetch(FetchDescriptor<Bound>(sortBy: [SortDescriptor(\.number)]))
    volumes[0].shelving = nil
    volumes[0].shelving = all[0]
    // One comes from another list, so the list is reordered.
    volumes[1].shelving = all[1]
    let same = Bound(1000)
    same.shelving = all[1]
    context.insert(same)
    try context.save()
    #expect(context.statistics.listsLoaded + context.statistics.listsLoadedTogether == 0)
    #expect(try stored() == [[2, 0], [1000, 1001, 1002, 1]])
  }

  @Test func `links that members add have the order in which they were added`() throws {
    try fill(1, 0)
    let writer = ModelContext(container)
    for name in ["a", "b", "c"] { writer.insert(ShelfKeeper(name)) }
    try writer.save()
    let context = ModelContext(container)
    let shelving = try owners(context)[0]
    let all = try context.fetch(FetchDescriptor<ShelfKeeper>(sortBy: [SortDescriptor(\.name)]))
    for number in [2, 0, 1] { all[number].shelves.append(shelving) }
    try context.save()
    #expect(try owners(ModelContext(container))[0].keepers.map(\.name) == ["c", "a", "b"])
  }

  @Test func `the order is kept if others commit meanwhile, and if members are deleted`() throws {
    try fill(2, 3)
    let context = ModelContext(container)
    let all = try owners(context)
    let volumes = try context.fetch(FetchDescriptor<Bound>(sortBy: [SortDescriptor(\.number)]))
    for number in [2, 1] { try #require(volumes.first { $0.number == number }).shelving = all[1] }
    context.delete(try #require(volumes.first { $0.number == 1001 }))
    let other = ModelContext(container)
    let one = Bound(7000)
    one.shelving = try owners(other)[1]
    other.insert(one)
    try other.save()
    try context.save()
    let rows = try stored()
    #expect(rows[0] == [0])
    #expect(rows[1].filter { $0 != 7000 } == [1000, 1002, 2, 1] && rows[1].contains(7000))
  }
}
