import SwiftData
import Testing

@Model final class LockerRoom {
  var number: Int
  @Relationship(deleteRule: .cascade, inverse: \Locker.room) var lockers: [Locker] = []
  init(_ number: Int) { self.number = number }
}

@Model final class Locker {
  var number: Int
  var room: LockerRoom?
  @Relationship(deleteRule: .cascade, inverse: \LockerItem.locker) var items: [LockerItem] = []
  @Relationship(deleteRule: .cascade, inverse: \LockerKey.locker) var keys: [LockerKey] = []
  @Relationship(deleteRule: .cascade, inverse: \LockerTag.lockers) var tags: [LockerTag] = []
  @Relationship(deleteRule: .cascade) var lid: LockerLid?
  init(_ number: Int) { self.number = number }
}

@Model final class LockerItem {
  @Attribute(.unique) var number: Int
  var locker: Locker?
  @Relationship(inverse: \LockerTag.items) var tags: [LockerTag] = []
  var best: LockerTag?
  init(_ number: Int) { self.number = number }
}

@Model final class LockerKey {
  var number: Int
  var locker: Locker
  init(_ number: Int, _ locker: Locker) { (self.number, self.locker) = (number, locker) }
}

@Model final class LockerTag {
  var number: Int
  var items: [LockerItem] = []
  var lockers: [Locker] = []
  init(_ number: Int) { self.number = number }
}

@Model final class LockerLid {
  var number: Int
  init(_ number: Int) { self.number = number }
}

/// Regression: a stored member that is inserted again while its owner stays deleted must stay, with
/// its edits. The save deleted it silently, because the rules of rows follow references. If one of
/// its lists of links had changed, every save failed with "there is no row".
@Suite struct BackAloneTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(for: LockerRoom.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    context.autosaveEnabled = false
  }

  private enum Edit: CaseIterable { case none, value, list, otherSide, reference, takesOverValue }
  private enum Way: CaseIterable { case takenAlong, deletedBefore, deletedAfter }

  @Test(arguments: Edit.allCases, Way.allCases)
  private func `a stored member that is inserted again stays with its edits`(edit: Edit, way: Way) throws {
    let (locker, item, sibling, tag) = (Locker(1), LockerItem(1), LockerItem(2), LockerTag(1))
    locker.items = [item, sibling]
    context.insert(locker)
    context.insert(tag)
    try context.save()
    let looking = ModelContext(container)
    let seen = try #require(try looking.fetch(FetchDescriptor<LockerItem>()).first { $0.number == 1 })
    #expect(seen.locker?.number == 1)
    if way == .deletedBefore { context.delete(item) }
    context.delete(locker)
    if way == .deletedAfter { context.delete(item) }
    context.insert(item)
    #expect(!item.isDeleted && item.locker == nil && sibling.isDeleted)
    switch edit {
    case .none: break
    case .value: item.number = 5
    case .list: item.tags = [tag]
    case .otherSide: tag.items = [item]
    case .reference: item.best = tag
    case .takesOverValue: item.number = 2
    }
    for _ in 1...2 {
      try context.save()
      #expect(!item.isDeleted && item.modelContext === context && item.locker == nil)
    }
    let number = edit == .value ? 5 : edit == .takesOverValue ? 2 : 1
    let stored = ModelContext(container)
    let items = try stored.fetch(FetchDescriptor<LockerItem>())
    #expect(items.map(\.number) == [number])
    #expect(items.first?.locker == nil && items.first?.best?.number == (edit == .reference ? 1 : nil))
    #expect(items.first?.tags.count == (edit == .list || edit == .otherSide ? 1 : 0))
    #expect(try stored.fetchCount(FetchDescriptor<Locker>()) == 0)
    // Another context that has it is updated.
    #expect(try looking.fetchCount(FetchDescriptor<LockerItem>()) == 1)
    #expect(!seen.isDeleted && seen.locker == nil && seen.number == number)
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(
      history.last?.changes.contains { change in
        if case .update(let update) = change {
          update.changedPersistentIdentifier == item.persistentModelID
        } else {
          false
        }
      } == true)
  }

  @Test func `a member whose owner must not be nil prevents the owner's deletion`() throws {
    let locker = Locker(1)
    let key = LockerKey(1, locker)
    context.insert(key)
    try context.save()
    context.delete(locker)
    context.insert(key)
    for _ in 1...2 {
      let error = #expect(throws: RoostError.self) { try context.save() }
      #expect(error?.code == .denied && error?.description.contains("must reference an object") == true)
    }
    // The refused deletion ended no link.
    context.insert(locker)
    #expect(key.locker === locker && locker.keys == [key])
    context.delete(locker)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<LockerKey>()) == 0)
  }

  @Test func `members by links and members that the owner references stay too`() throws {
    let (locker, tag, lid) = (Locker(1), LockerTag(1), LockerLid(1))
    (locker.tags, locker.lid) = ([tag, LockerTag(2)], lid)
    context.insert(locker)
    try context.save()
    context.delete(locker)
    context.insert(tag)
    context.insert(lid)
    (tag.number, lid.number) = (7, 8)
    try context.save()
    #expect(!tag.isDeleted && !lid.isDeleted && tag.lockers.isEmpty)
    let stored = ModelContext(container)
    #expect(try stored.fetch(FetchDescriptor<LockerTag>()).map(\.number) == [7])
    #expect(try stored.fetch(FetchDescriptor<LockerLid>()).map(\.number) == [8])
  }

  @Test func `a member stays if its owner is deleted by a rule and has no object`() throws {
    let (room, locker) = (LockerRoom(1), Locker(1))
    (room.lockers, locker.items) = ([locker], [LockerItem(1), LockerItem(2)])
    context.insert(room)
    try context.save()
    let other = ModelContext(container)
    let items = try other.fetch(FetchDescriptor<LockerItem>(sortBy: [SortDescriptor(\.number)]))
    other.delete(try #require(try other.fetch(FetchDescriptor<LockerRoom>()).first))
    other.insert(items[0])
    try other.save()
    #expect(!items[0].isDeleted && items[0].locker == nil && items[1].isDeleted)
    let stored = ModelContext(container)
    #expect(try stored.fetch(FetchDescriptor<LockerItem>()).map(\.number) == [1])
    #expect(try stored.fetchCount(FetchDescriptor<Locker>()) == 0)
  }

  @Test func `a restored member is deleted with an owner that is deleted later`() throws {
    let (locker, item) = (Locker(1), LockerItem(1))
    locker.items = [item]
    context.insert(locker)
    try context.save()
    context.delete(locker)
    context.insert(item)
    context.insert(locker)
    #expect(locker.items == [item])
    context.delete(locker)
    #expect(item.isDeleted)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<LockerItem>()) == 0)
    // The save forgets restored members.
    let (second, third) = (Locker(2), LockerItem(3))
    second.items = [third]
    context.insert(second)
    try context.save()
    context.delete(third)
    context.insert(third)
    third.number = 4
    try context.save()
    context.delete(second)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<LockerItem>()) == 0)
  }
}
