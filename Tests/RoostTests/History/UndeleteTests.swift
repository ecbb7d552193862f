import Foundation
import SwiftData
import Testing

@Model final class Inn {
  var number: Int
  // One-way: a lodger does not know its host.
  var lodgers: [Lodger] = []
  var host: Lodger?
  init(_ number: Int) { self.number = number }
}

@Model final class Lodger {
  var number: Int
  init(_ number: Int) { self.number = number }
}

@Model final class Sash {
  var number: Int
  @Relationship(inverse: \Wear.badges) var wears: [Wear] = []
  init(_ number: Int) { self.number = number }
}

@Model final class Wear {
  var number: Int
  var badges: [Sash] = []
  init(_ number: Int) { self.number = number }
}

@Model final class Ring {
  var number: Int
  @Relationship(.mutual) var pair: Ring?
  var chest: Chest?
  init(_ number: Int) { self.number = number }
}

@Model final class Chest {
  var number: Int
  @Relationship(inverse: \Ring.chest) var rings: [Ring] = []
  init(_ number: Int) { self.number = number }
}

/// Regression: a deletion that is undone before the save has no effect. If two new models
/// referenced each other and both were deleted, the save failed with "what is set has no effect",
/// although the program had set nothing, and all unsaved changes were lost. And a member that had
/// been removed from a list came back into it.
@Suite struct UndeleteTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Inn.self, Sash.self, Chest.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
  }

  private func inns() throws -> [Int: [Int]] {
    let all = try ModelContext(container).fetch(FetchDescriptor<Inn>())
    return Dictionary(uniqueKeysWithValues: all.map { ($0.number, $0.lodgers.map(\.number)) })
  }

  private func badges() throws -> [[Int]] {
    let all = try ModelContext(container).fetch(FetchDescriptor<Sash>(sortBy: [SortDescriptor(\.number)]))
    return all.map { $0.wears.map(\.number) }
  }

  private func lodgerCount() throws -> Int { try ModelContext(container).fetchCount(FetchDescriptor<Lodger>()) }

  private func fill(saved: Bool) throws -> (inn: Inn, lodgers: [Lodger]) {
    let (inn, lodgers) = (Inn(1), [Lodger(1), Lodger(2), Lodger(3)])
    context.insert(inn)
    for one in lodgers { context.insert(one) }
    inn.lodgers = lodgers
    if saved { try context.save() }
    return (inn, lodgers)
  }

  @Test(arguments: [false, true]) func `a member is restored and its owner is not`(saved: Bool) throws {
    let (inn, lodgers) = try fill(saved: saved)
    context.delete(inn)
    context.delete(lodgers[0])
    context.insert(lodgers[0])
    try context.save()
    #expect(try inns() == [:])
    #expect(try lodgerCount() == 3)
  }

  @Test(arguments: [false, true], [false, true]) func `both are restored in either order`(saved: Bool, ownerFirst: Bool)
    throws
  {
    let (inn, lodgers) = try fill(saved: saved)
    context.delete(inn)
    context.delete(lodgers[2])
    if ownerFirst { context.insert(inn) }
    context.insert(lodgers[2])
    if !ownerFirst { context.insert(inn) }
    #expect(inn.lodgers.map(\.number) == [1, 2, 3])
    try context.save()
    #expect(try inns() == [1: [1, 2, 3]])
  }

  @Test(arguments: [false, true]) func `an owner is restored and its member is not`(saved: Bool) throws {
    let (inn, lodgers) = try fill(saved: saved)
    context.delete(lodgers[1])
    context.delete(inn)
    context.insert(inn)
    #expect(inn.lodgers.map(\.number) == [1, 3])
    try context.save()
    #expect(try inns() == [1: [1, 3]])
    #expect(try lodgerCount() == 2)
  }

  @Test(arguments: [false, true]) func `links of both sides are restored with both models`(saved: Bool) throws {
    let (badge, wear) = (Sash(1), Wear(1))
    context.insert(badge)
    context.insert(wear)
    badge.wears.append(wear)
    if saved { try context.save() }
    context.delete(badge)
    context.delete(wear)
    context.insert(wear)
    #expect(wear.badges.isEmpty)
    context.insert(badge)
    #expect(wear.badges.map(\.number) == [1] && badge.wears.map(\.number) == [1])
    try context.save()
    #expect(try badges() == [[1]])
  }

  @Test(arguments: [false, true]) func `links of both sides are gone if one model stays deleted`(saved: Bool) throws {
    let (badge, wear) = (Sash(1), Wear(1))
    context.insert(badge)
    context.insert(wear)
    badge.wears.append(wear)
    if saved { try context.save() }
    context.delete(badge)
    context.delete(wear)
    context.insert(wear)
    try context.save()
    #expect(wear.badges.isEmpty)
    #expect(try badges() == [])
  }

  @Test func `a member that was removed before stays out`() throws {
    let (inn, lodgers) = try fill(saved: true)
    inn.lodgers.removeAll { $0 === lodgers[1] }
    context.delete(lodgers[1])
    context.insert(lodgers[1])
    #expect(inn.lodgers.map(\.number) == [1, 3])
    try context.save()
    #expect(try inns() == [1: [1, 3]])
  }

  @Test func `a member that was removed and added again is restored once`() throws {
    let (inn, lodgers) = try fill(saved: true)
    inn.lodgers.removeAll()
    inn.lodgers = [lodgers[1], lodgers[0]]
    context.delete(lodgers[1])
    context.insert(lodgers[1])
    #expect(inn.lodgers.map(\.number).sorted() == [1, 2])
    try context.save()
    #expect(try inns()[1]?.sorted() == [1, 2])
  }

  @Test func `a member is restored in a list that was read while it was deleted`() throws {
    let (_, _) = try fill(saved: true)
    let other = ModelContext(container)
    let lodger = try #require(try other.fetch(FetchDescriptor<Lodger>()).first { $0.number == 2 })
    other.delete(lodger)
    let inn = try #require(try other.fetch(FetchDescriptor<Inn>()).first)
    #expect(inn.lodgers.map(\.number) == [1, 3])
    inn.lodgers.append(Lodger(4))
    other.insert(lodger)
    #expect(inn.lodgers.map(\.number).sorted() == [1, 2, 3, 4])
    try other.save()
    #expect(try inns()[1]?.sorted() == [1, 2, 3, 4])
  }

  @Test func `a reference refers to a restored model`() throws {
    let (inn, lodger) = (Inn(1), Lodger(9))
    context.insert(inn)
    inn.host = lodger
    context.delete(inn)
    context.delete(lodger)
    context.insert(inn)
    #expect(inn.host == nil)
    context.insert(lodger)
    #expect(inn.host === lodger)
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Inn>()).first?.host?.number == 9)
  }

  @Test(arguments: [false, true]) func `a member that moved meanwhile is not restored here`(saved: Bool) throws {
    let (badge, other, wear) = (Sash(1), Sash(2), Wear(1))
    for one in [badge, other] { context.insert(one) }
    context.insert(wear)
    badge.wears = [wear]
    let (first, second, third) = (Ring(1), Ring(2), Ring(3))
    for one in [first, second, third] { context.insert(one) }
    first.pair = second
    let chest = Chest(1)
    chest.rings = [first, second]
    context.insert(chest)
    if saved { try context.save() }
    context.delete(badge)
    context.delete(first)
    context.delete(chest)
    wear.badges = [other]
    second.pair = third
    second.chest = nil
    context.insert(badge)
    context.insert(first)
    context.insert(chest)
    #expect(first.pair == nil && second.pair === third && third.pair === second)
    #expect(chest.rings.map(\.number) == [1])
    try context.save()
    let context = ModelContext(container)
    let rings = try context.fetch(FetchDescriptor<Ring>(sortBy: [SortDescriptor(\.number)]))
    #expect(rings.map { $0.pair?.number } == [nil, 3, 2])
    #expect(try context.fetch(FetchDescriptor<Chest>()).map { $0.rings.map(\.number) } == [[1]])
  }
}
