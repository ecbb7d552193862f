import Foundation
import RoostTestSupport
import SwiftData
import Testing

@Model final class Volume {
  var number: Int
  var shelf: Shelf?
  var weight: Int
  init(_ number: Int, _ weight: Int) {
    self.number = number
    self.weight = weight
  }
}

@Model final class Shelf {
  var name: String
  var grade: Int?
  var plain: String
  var room: Room?
  @Relationship(inverse: \Volume.shelf) var volumes: [Volume] = []
  #Index<Shelf>([\.name], [\.grade, \.name])
  init(_ name: String, _ grade: Int?) {
    self.name = name
    self.grade = grade
    plain = name
  }
}

@Model final class Room {
  var title: String
  @Relationship(inverse: \Shelf.room) var shelves: [Shelf] = []
  #Index<Room>([\.title])
  init(_ title: String) { self.title = title }
}

/// Orders over a reference, along an index of the referenced class, compared with sorting.
@Suite struct FollowedOrderTests {
  private static func context(_ random: inout SplitMix64, _ count: Int) throws -> ModelContext {
    let container = try ModelContainer(
      for: Volume.self, Shelf.self, Room.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let names = ["a", "B", "é", "e\u{301}", "", String(repeating: "x", count: 600), "z"]
    let rooms = (0..<3).map { _ in Room(names[random.below(names.count)]) }
    let shelves = (0..<12).map { _ in
      let name = names[random.below(names.count)]
      // Swift's own order is undefined if such a text is a prefix of another one with another
      // encoding.
      let ending = name.utf8.count != name.count || random.below(3) > 0 ? "" : "1"
      return Shelf(name + ending, random.below(3) == 0 ? nil : random.below(3))
    }
    for shelf in shelves where random.below(4) > 0 { shelf.room = rooms[random.below(3)] }
    for room in rooms { context.insert(room) }
    for shelf in shelves { context.insert(shelf) }
    for number in 0..<count {
      let volume = Volume(number, random.below(4))
      context.insert(volume)
      if random.below(5) > 0 { volume.shelf = shelves[random.below(shelves.count)] }
    }
    try context.save()
    return context
  }

  private typealias Key = (Volume, Volume) -> Int

  private static func order<Value: Comparable>(_ value: @escaping (Volume) -> Value?, _ isDescending: Bool) -> Key {
    { one, other in
      let (first, second) = (value(one), value(other))
      let result =
        switch (first, second) {
        case (nil, nil): 0
        case (nil, _): -1
        case (_, nil): 1
        case (let first?, let second?): first < second ? -1 : second < first ? 1 : 0
        }
      return isDescending ? -result : result
    }
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>) func `rows have the order that sorting gives`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let context = try Self.context(&random, 120)
    let all = try context.fetch(FetchDescriptor<Volume>(sortBy: [SortDescriptor(\.number)]))
    var followed = 0
    for _ in 0..<24 {
      let isDown = random.below(2) == 0
      let way: SortOrder = isDown ? .reverse : .forward
      let isOtherDown = random.below(2) == 0
      let otherWay: SortOrder = isOtherDown ? .reverse : .forward
      let (sort, keys): ([SortDescriptor<Volume>], [Key]) =
        switch random.below(6) {
        case 0: ([SortDescriptor(\.shelf?.name, order: way)], [Self.order({ $0.shelf?.name }, isDown)])
        case 1: ([SortDescriptor(\.shelf?.grade, order: way)], [Self.order({ $0.shelf?.grade }, isDown)])
        case 2:
          (
            [SortDescriptor(\.shelf?.grade, order: way), SortDescriptor(\.shelf?.name, order: otherWay)],
            [Self.order({ $0.shelf?.grade }, isDown), Self.order({ $0.shelf?.name }, isOtherDown)]
          )
        case 3:
          (
            [SortDescriptor(\.shelf?.name, order: way), SortDescriptor(\.weight, order: otherWay)],
            [Self.order({ $0.shelf?.name }, isDown), Self.order({ $0.weight }, isOtherDown)]
          )
        case 4: ([SortDescriptor(\.shelf?.room?.title, order: way)], [Self.order({ $0.shelf?.room?.title }, isDown)])
        default: ([SortDescriptor(\.shelf?.plain, order: way)], [Self.order({ $0.shelf?.plain }, isDown)])
        }
      let weight = random.below(5)
      let isAll = random.below(2) == 0
      // Ties follow row numbers, in the direction of the first key.
      let expected = all.filter { isAll || $0.weight != weight }.sorted { one, other in
        for key in keys {
          let result = key(one, other)
          if result != 0 { return result < 0 }
        }
        return isDown ? one.number > other.number : one.number < other.number
      }
      var descriptor = FetchDescriptor<Volume>(
        predicate: isAll ? nil : #Predicate { $0.weight != weight }, sortBy: sort)
      descriptor.fetchOffset = random.below(3) == 0 ? random.below(30) : nil
      descriptor.fetchLimit = random.below(4) == 0 ? nil : 1 + random.below(20)
      let wanted = expected.dropFirst(descriptor.fetchOffset ?? 0).prefix(descriptor.fetchLimit ?? .max)
      #expect(try context.fetch(descriptor).map(\.number) == wanted.map(\.number), "seed \(seed), \(descriptor.sortBy)")
      #expect(try context.fetchCount(descriptor) == wanted.count)
      if try context.explain(descriptor).description.contains("along the rows of") { followed += 1 }
      // Pages have the same rows.
      descriptor.fetchOffset = nil
      descriptor.fetchLimit = 17
      var (walked, cursor): ([Int], FetchCursor?) = ([], nil)
      repeat {
        let page = try context.fetchPage(descriptor, after: cursor)
        walked += page.models.map(\.number)
        cursor = page.next
      } while cursor != nil && walked.count < 200
      #expect(walked == expected.map(\.number))
    }
    #expect(followed > 4)
  }

  @Test func `a limit is reached without reading all rows`() throws {
    var random = SplitMix64(seed: 3)
    let context = try Self.context(&random, 2000)
    var descriptor = FetchDescriptor<Volume>(sortBy: [SortDescriptor(\.shelf?.name, order: .reverse)])
    descriptor.fetchLimit = 10
    let told = try context.explain(descriptor)
    #expect(told.sorting == .index && told.rowsRead <= 22 && told.found == 10, "\(told)")
    #expect(told.indexes.count == 2 && told.missingIndex == nil)
    #expect(told.entriesRead < 1000, "\(told)")
    // If the referenced rows must be sorted, the explanation names the index that would avoid it.
    for number in 0..<300 {
      let shelf = Shelf("shelf \(number)", number)
      context.insert(shelf)
      shelf.volumes = [Volume(10_000 + number, 1)]
    }
    try context.save()
    var plain = FetchDescriptor<Volume>(sortBy: [SortDescriptor(\.shelf?.plain, order: .reverse)])
    plain.fetchLimit = 10
    let advised = try context.explain(plain)
    #expect(advised.found == 10 && advised.rowsRead > 300 && advised.rowsRead < 400, "\(advised)")
    #expect(advised.missingIndex == "#Index<Shelf>([\\.plain])", "\(advised)")
  }

  /// Regression: rows with few different references form few groups, and a group is sorted as a
  /// whole. For ten rows all rows were found one by one.
  @Test(arguments: [0, 1, 400]) func `an access along large groups is not used if sorting all rows costs less`(
    shelves count: Int
  ) throws {
    let container = try ModelContainer(
      for: Volume.self, Shelf.self, Room.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let shelves = (0..<count).map { Shelf("shelf \($0)", nil) }
    shelves.forEach(context.insert)
    for number in 0..<2000 {
      let volume = Volume(number, (number * 7919) % 2000)
      context.insert(volume)
      if count > 0 { volume.shelf = shelves[number % count] }
    }
    try context.save()
    var descriptor = FetchDescriptor<Volume>(sortBy: [SortDescriptor(\.shelf?.name), SortDescriptor(\.weight)])
    descriptor.fetchLimit = 10
    descriptor.fetchOffset = 3
    let told = try context.explain(descriptor)
    #expect(told.found == 10)
    if count == 400 {
      // Five volumes on each shelf: three groups, whose rows are read once for their keys and once
      // for themselves.
      #expect(told.description.contains("along the rows of") && told.rowsRead <= 40, "\(told)")
    } else {
      #expect(!told.description.contains("along the rows of"), "\(told)")
      #expect(told.rowsRead <= 2013, "\(told)")
    }
    let all = try context.fetch(FetchDescriptor<Volume>()).sorted { one, other in
      let (first, second) = (one.shelf?.name ?? "", other.shelf?.name ?? "")
      return first == second ? one.weight < other.weight : first < second
    }
    #expect(try context.fetch(descriptor).map(\.number) == all.dropFirst(3).prefix(10).map(\.number))
  }
}
