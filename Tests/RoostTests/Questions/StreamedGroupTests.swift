import Foundation
import Roost
import SwiftData
import Testing

/// Groups that come one after another along an index.
@Suite struct StreamedGroupTests {
  private func filled(_ bytes: Int? = nil, groups: Int = 3000) throws -> ModelContext {
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.queryBytes = bytes
    let context = ModelContext(
      try ModelContainer(for: Label.self, Disc.self, Cut.self, configurations: configuration))
    for number in 0..<2 * groups {
      let disc = Disc("title \(number)", number: number / 2)
      disc.length = Double(number)
      context.insert(disc)
    }
    try context.save()
    return ModelContext(context.container)
  }

  @Test func `many groups take little memory`() throws {
    let context = try filled(1 << 16)
    let counts = try context.aggregate(Disc.self, .count, by: \.number, having: { $0.key % 500 == 0 })
    #expect(counts.map(\.key) == [0, 500, 1000, 1500, 2000, 2500] && counts.allSatisfy { $0.values == 2 })
    let sums = try context.aggregate(
      Disc.self, .count, .max(\.length), .sum(\.price), by: \.number, having: { $0.key > 2997 })
    #expect(sums.map(\.key) == [2998, 2999] && sums.map(\.values.1) == [5997, 5999])
    let ends = try context.aggregate(
      Disc.self, .first(\.title, by: \.length), .last(\.title, by: \.length), .countDistinct(\.title), by: \.number,
      having: { $0.key == 7 || $0.key == 2000 })
    #expect(ends.map(\.values.0) == ["title 14", "title 4000"] && ends.map(\.values.1) == ["title 15", "title 4001"])
    #expect(ends.map(\.values.2) == [2, 2])
    #expect(try context.selectDistinct(Disc.self, \.number, limit: 3) == [0, 1, 2])
    // What is kept is counted.
    let error = #expect(throws: RoostError.self) { try context.aggregate(Disc.self, .count, by: \.number) }
    #expect(error?.code == .tooLarge && error?.description.contains("the groups") == true)
    let kept = #expect(throws: RoostError.self) {
      try ForcedWay.$streamsGroups.withValue(false) {
        try context.aggregate(Disc.self, .max(\.length), by: \.number, having: { _ in false })
      }
    }
    #expect(kept?.code == .tooLarge)
  }

  @Test func `a limit ends the reading, and explain names the index`() throws {
    let context = try filled()
    let few = try context.explain { try $0.aggregate(Disc.self, .sum(\.length), by: \.number, limit: 2) }
    #expect(few.grouping == .stream && few.rowsRead < 12 && few.indexes.count == 1 && !few.makesModels, "\(few)")
    #expect(few.description.contains("streams over index \(few.indexes.first ?? "")"), "\(few)")
    // Reading all rows in the order of the index takes longer than a table.
    let all = try context.explain { try $0.aggregate(Disc.self, .sum(\.length), by: \.number) }
    #expect(all.grouping == .rows, "\(all)")
    let distinct = try context.explain { try $0.selectDistinct(Disc.self, \.isNew) }
    #expect(distinct.grouping == .rows)
    let forced = try context.explain { context in
      try ForcedWay.$streamsGroups.withValue(true) { try context.selectDistinct(Disc.self, \.title) }
    }
    #expect(forced.grouping == .stream && forced.selected == ["title"])
    // A model that is not saved is in no index.
    context.insert(Disc("new", number: -1))
    let pending = try context.explain { try $0.aggregate(Disc.self, .count, by: \.number, limit: 1) }
    #expect(pending.grouping == .rows)
    #expect(try context.aggregate(Disc.self, .count, by: \.number, limit: 1).map(\.key) == [-1])
  }

  @Test func `a closure may change and save the store while groups come`() throws {
    let context = try filled(groups: 300)
    var seen = 0
    let found = try ForcedWay.$streamsGroups.withValue(true) {
      try context.aggregate(
        Disc.self, .sum(\.length), by: \.number,
        having: { group in
          seen += 1
          context.insert(Disc("new \(seen)", number: 1000 + seen))
          if seen % 50 == 0 { try context.save() }
          return group.key < 2
        })
    }
    #expect(seen == 300 && found.map(\.key) == [0, 1] && found.map(\.values) == [1, 5])
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Disc>()) == 900)
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try ForcedWay.$streamsGroups.withValue(true) {
        try context.aggregate(Disc.self, .count, by: \.number, having: { _ in throw Stop() })
      }
    }
    #expect(try context.fetchCount(FetchDescriptor<Disc>()) == 900)
  }
}
