import Foundation
import SwiftData
import Testing

/// The models of existing stores: relationships of every form.
private enum Old {
  @Model final class Item {
    var number: Int
    var owner: Owner?
    var lone: Owner?
    var needed: Owner
    var tags: [Tag] = []
    var lid: Lid?
    init(_ number: Int, _ needed: Owner) {
      self.number = number
      self.needed = needed
    }
  }
  @Model final class Owner {
    var number: Int
    @Relationship(inverse: \Item.owner) var items: [Item] = []
    @Relationship(inverse: \Item.needed) var needing: [Item] = []
    var way: [Tag] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Tag {
    var number: Int
    @Relationship(inverse: \Item.tags) var items: [Item] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Lid {
    var number: Int
    @Relationship(inverse: \Item.lid) var item: Item?
    init(_ number: Int) { self.number = number }
  }
}

/// All of them renamed.
private enum Renamed {
  @Model final class Item {
    var number: Int
    @Relationship(originalName: "owner") var boss: Owner?
    @Relationship(originalName: "lone") var single: Owner?
    @Relationship(originalName: "needed") var required: Owner
    @Relationship(originalName: "tags") var labels: [Tag] = []
    @Relationship(originalName: "lid") var cover: Lid?
    init(_ number: Int, _ required: Owner) {
      self.number = number
      self.required = required
    }
  }
  @Model final class Owner {
    var number: Int
    @Relationship(originalName: "items", inverse: \Item.boss) var things: [Item] = []
    @Relationship(originalName: "needing", inverse: \Item.required) var requiring: [Item] = []
    @Relationship(originalName: "way") var path: [Tag] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Tag {
    var number: Int
    @Relationship(originalName: "items", inverse: \Item.labels) var labelled: [Item] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Lid {
    var number: Int
    @Relationship(originalName: "item", inverse: \Item.cover) var covered: Item?
    init(_ number: Int) { self.number = number }
  }
}

/// Only one side is renamed.
private enum HalfRenamed {
  @Model final class Item {
    var number: Int
    @Relationship(originalName: "owner") var boss: Owner?
    var tags: [Tag] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Owner {
    var number: Int
    @Relationship(inverse: \Item.boss) var items: [Item] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Tag {
    var number: Int
    @Relationship(originalName: "items", inverse: \Item.tags) var labelled: [Item] = []
    init(_ number: Int) { self.number = number }
  }
}

private enum Exchanged {
  @Model final class Item {
    var number: Int
    @Relationship(originalName: "lone") var owner: Owner?
    @Relationship(originalName: "owner") var lone: Owner?
    init(_ number: Int) { self.number = number }
  }
  @Model final class Owner {
    var number: Int
    @Relationship(originalName: "way") var items: [Tag] = []
    @Relationship(originalName: "items", inverse: \Item.lone) var way: [Item] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Tag {
    var number: Int
    init(_ number: Int) { self.number = number }
  }
}

/// One-way relationships get an inverse.
private enum Inverse {
  @Model final class Item {
    var number: Int
    var lone: Owner?
    init(_ number: Int) { self.number = number }
  }
  @Model final class Owner {
    var number: Int
    @Relationship(inverse: \Item.lone) var loners: [Item] = []
    @Relationship(inverse: \Tag.holders) var way: [Tag] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Tag {
    var number: Int
    var holders: [Owner] = []
    init(_ number: Int) { self.number = number }
  }
}

/// A tag is in at most one list.
private enum InverseToOne {
  @Model final class Tag {
    var number: Int
    var holder: Owner?
    init(_ number: Int) { self.number = number }
  }
  @Model final class Owner {
    var number: Int
    @Relationship(inverse: \Tag.holder) var way: [Tag] = []
    init(_ number: Int) { self.number = number }
  }
}

/// Another property is the inverse, so the old one has none.
private enum OneWay {
  @Model final class Item {
    var number: Int
    var owner: Owner?
    var tags: [Tag] = []
    var lid: Lid?
    init(_ number: Int) { self.number = number }
  }
  @Model final class Owner {
    var number: Int
    @Relationship(inverse: \Item.owner) var others: [Item] = []
    var items: [Item] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Tag {
    var number: Int
    @Relationship(inverse: \Item.tags) var others: [Item] = []
    var items: [Item] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Lid {
    var number: Int
    @Relationship(inverse: \Item.lid) var other: Item?
    var item: Item?
    init(_ number: Int) { self.number = number }
  }
}

/// One side of each is removed.
private enum HalfGone {
  @Model final class Item {
    var number: Int
    var owner: Owner?
    var tags: [Tag] = []
    var lid: Lid?
    init(_ number: Int) { self.number = number }
  }
  @Model final class Owner {
    var number: Int
    init(_ number: Int) { self.number = number }
  }
  @Model final class Tag {
    var number: Int
    init(_ number: Int) { self.number = number }
  }
  @Model final class Lid {
    var number: Int
    init(_ number: Int) { self.number = number }
  }
}

private enum Rules {
  @Model final class Item {
    var number: Int
    var owner: Owner?
    init(_ number: Int) { self.number = number }
  }
  @Model final class Owner {
    var number: Int
    @Relationship(deleteRule: .cascade, minimumModelCount: 1, maximumModelCount: 2, inverse: \Item.owner)
    var items: [Item] = []
    init(_ number: Int) { self.number = number }
  }
}

/// Every reference is a list, and every list has an inverse list.
private enum Lists {
  @Model final class Item {
    var number: Int
    var owner: [Owner] = []
    var lone: [Owner] = []
    var needed: [Owner] = []
    var lid: [Lid] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Owner {
    var number: Int
    @Relationship(inverse: \Item.owner) var items: [Item] = []
    @Relationship(inverse: \Item.needed) var needing: [Item] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Lid {
    var number: Int
    @Relationship(inverse: \Item.lid) var item: Item?
    init(_ number: Int) { self.number = number }
  }
}

/// The other side of the one-to-one relationship is a list.
private enum OtherList {
  @Model final class Item {
    var number: Int
    var lid: Lid?
    init(_ number: Int) { self.number = number }
  }
  @Model final class Lid {
    var number: Int
    @Relationship(inverse: \Item.lid) var item: [Item] = []
    init(_ number: Int) { self.number = number }
  }
}

/// One owner has one item.
private enum Single {
  @Model final class Item {
    var number: Int
    var lone: Owner?
    init(_ number: Int) { self.number = number }
  }
  @Model final class Owner {
    var number: Int
    @Relationship(inverse: \Item.lone) var loner: Item?
    init(_ number: Int) { self.number = number }
  }
}

/// Both sides of the one-to-one relationship are lists.
private enum ManyLids {
  @Model final class Item {
    var number: Int
    var lid: [Lid] = []
    init(_ number: Int) { self.number = number }
  }
  @Model final class Lid {
    var number: Int
    @Relationship(inverse: \Item.lid) var item: [Item] = []
    init(_ number: Int) { self.number = number }
  }
}

private enum Optionality {
  @Model final class Item {
    var number: Int
    var owner: Owner
    var needed: Owner?
    init(_ number: Int, _ owner: Owner) {
      self.number = number
      self.owner = owner
    }
  }
  @Model final class Owner {
    var number: Int
    @Relationship(inverse: \Item.owner) var items: [Item] = []
    @Relationship(inverse: \Item.needed) var needing: [Item] = []
    init(_ number: Int) { self.number = number }
  }
}

private enum Refused {
  enum Narrower {
    @Model final class Item {
      var number: Int
      var tags: Tag?
      init() { number = 0 }
    }
    @Model final class Tag {
      var number: Int
      @Relationship(inverse: \Item.tags) var items: [Item] = []
      init() { number = 0 }
    }
  }
  enum Elsewhere {
    @Model final class Item {
      var number: Int
      var lone: Tag?
      init() { number = 0 }
    }
    @Model final class Tag {
      var number: Int
      init() { number = 0 }
    }
  }
  enum Value {
    @Model final class Item {
      var number: Int
      var lone: String?
      var tags: [Int] = []
      init() { number = 0 }
    }
  }
}

/// Relationships whose form in the models differs from the store.
@Suite struct InferenceLinkTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func open(_ models: any PersistentModel.Type...) throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: Schema(models), configurations: [ModelConfiguration(url: folder.file())]))
  }

  /// Opens the store twice with these models: the second opening must find the same result.
  private func twice(
    _ models: any PersistentModel.Type..., check: (ModelContext) throws -> Void
  ) throws {
    for round in 1...2 {
      let container = try ModelContainer(for: Schema(models), configurations: [ModelConfiguration(url: folder.file())])
      do { try check(ModelContext(container)) } catch {
        Issue.record("round \(round): \(error)")
        throw error
      }
      let report = try container.verify()
      #expect(report.isSound, "round \(round): \(report.findings)")
      try container.close()
    }
  }

  private func refusal(_ models: any PersistentModel.Type...) -> String {
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Schema(models), configurations: [ModelConfiguration(url: folder.file())])
    }
    #expect(error == .loadIssueModelContainer)
    return error?.description ?? ""
  }

  private static let old: [any PersistentModel.Type] = [Old.Item.self, Old.Owner.self, Old.Tag.self, Old.Lid.self]

  /// Makes six items, two owners and three tags. Item 6 has only its required owner.
  private func makeOld(isShared: Bool = true) throws {
    let container = try ModelContainer(
      for: Schema(Self.old), configurations: [ModelConfiguration(url: folder.file())])
    let context = ModelContext(container)
    let owners = [Old.Owner(1), Old.Owner(2)]
    let tags = (1...3).map { Old.Tag($0) }
    owners.forEach { context.insert($0) }
    tags.forEach { context.insert($0) }
    let items = (1...6).map { Old.Item($0, owners[$0 % 2]) }
    items.forEach { context.insert($0) }
    try context.save()
    owners[0].items = [items[4], items[0], items[2]]
    owners[1].items = [items[1], items[3]]
    for item in items.prefix(5) {
      item.lone = owners[item.number % 2]
      let lid = Old.Lid(item.number)
      context.insert(lid)
      item.lid = lid
    }
    owners[0].way = [tags[2], tags[0]]
    owners[1].way = isShared ? [tags[0], tags[1]] : [tags[1]]
    items[0].tags = [tags[2], tags[0]]
    items[1].tags = [tags[0], tags[1]]
    try context.save()
    try container.close()
  }

  private func checkOld() throws {
    try twice(Old.Item.self, Old.Owner.self, Old.Tag.self, Old.Lid.self) { context throws in
      let items = try all(context, \Old.Item.number)
      let owners = try all(context, \Old.Owner.number)
      #expect(items.map(\.owner?.number) == [1, 2, 1, 2, 1, nil])
      #expect(items.map(\.lone?.number) == [2, 1, 2, 1, 2, nil])
      #expect(items.map(\.needed.number) == [2, 1, 2, 1, 2, 1])
      #expect(items.map(\.lid?.number) == [1, 2, 3, 4, 5, nil])
      #expect(owners.map { $0.items.map(\.number) } == [[5, 1, 3], [2, 4]])
      #expect(owners.map { $0.way.map(\.number) } == [[3, 1], [1, 2]])
      #expect(items.prefix(2).map { $0.tags.map(\.number) } == [[3, 1], [1, 2]])
    }
  }

  private func all<T: PersistentModel>(_ context: ModelContext, _ sort: any KeyPath<T, Int> & Sendable) throws -> [T] {
    try context.fetch(FetchDescriptor<T>(sortBy: [SortDescriptor(sort)]))
  }

  // MARK: Names

  @Test func `both sides of relationships are renamed`() throws {
    try makeOld()
    try twice(Renamed.Item.self, Renamed.Owner.self, Renamed.Tag.self, Renamed.Lid.self) { context throws in
      let items = try all(context, \Renamed.Item.number)
      let owners = try all(context, \Renamed.Owner.number)
      #expect(items.map(\.boss?.number) == [1, 2, 1, 2, 1, nil])
      #expect(items.map(\.single?.number) == [2, 1, 2, 1, 2, nil])
      #expect(items.map(\.required.number) == [2, 1, 2, 1, 2, 1])
      #expect(items.map(\.cover?.number) == [1, 2, 3, 4, 5, nil])
      #expect(try all(context, \Renamed.Lid.number).map(\.covered?.number) == [1, 2, 3, 4, 5])
      #expect(owners.map { $0.things.map(\.number) } == [[5, 1, 3], [2, 4]])
      #expect(owners.map { $0.path.map(\.number) } == [[3, 1], [1, 2]])
      #expect(owners.map { Set($0.requiring.map(\.number)) } == [[2, 4, 6], [1, 3, 5]])
      #expect(items.prefix(2).map { $0.labels.map(\.number) } == [[3, 1], [1, 2]])
      #expect(try all(context, \Renamed.Tag.number).map { Set($0.labelled.map(\.number)) } == [[1, 2], [2], [1]])
      let found = FetchDescriptor<Renamed.Item>(predicate: #Predicate { $0.boss?.number == 2 })
      #expect(try context.fetchCount(found) == 2)
    }
  }

  @Test func `one side of a relationship is renamed`() throws {
    try makeOld()
    try twice(HalfRenamed.Item.self, HalfRenamed.Owner.self, HalfRenamed.Tag.self) { context throws in
      #expect(try all(context, \HalfRenamed.Item.number).map(\.boss?.number) == [1, 2, 1, 2, 1, nil])
      #expect(try all(context, \HalfRenamed.Owner.number).map { $0.items.map(\.number) } == [[5, 1, 3], [2, 4]])
      #expect(
        try all(context, \HalfRenamed.Tag.number).map { Set($0.labelled.map(\.number)) } == [[1, 2], [2], [1]])
    }
  }

  @Test func `relationships exchange names, once`() throws {
    try makeOld()
    try twice(Exchanged.Item.self, Exchanged.Owner.self, Exchanged.Tag.self) { context throws in
      let items = try all(context, \Exchanged.Item.number)
      let owners = try all(context, \Exchanged.Owner.number)
      #expect(items.map(\.owner?.number) == [2, 1, 2, 1, 2, nil])
      #expect(items.map(\.lone?.number) == [1, 2, 1, 2, 1, nil])
      #expect(owners.map { $0.items.map(\.number) } == [[3, 1], [1, 2]])
      #expect(owners.map { $0.way.map(\.number) } == [[5, 1, 3], [2, 4]])
    }
  }

  // MARK: Inverses

  @Test func `a one-way relationship gets an inverse`() throws {
    try makeOld()
    try twice(Inverse.Item.self, Inverse.Owner.self, Inverse.Tag.self) { context throws in
      let items = try all(context, \Inverse.Item.number)
      let owners = try all(context, \Inverse.Owner.number)
      #expect(items.map(\.lone?.number) == [2, 1, 2, 1, 2, nil])
      #expect(owners.map { Set($0.loners.map(\.number)) } == [[2, 4], [1, 3, 5]])
      #expect(owners.map { $0.way.map(\.number) } == [[3, 1], [1, 2]])
      #expect(try all(context, \Inverse.Tag.number).map { Set($0.holders.map(\.number)) } == [[1, 2], [2], [1]])
      // Both sides show a change.
      let moved = owners[0].loners.removeFirst()
      owners[0].loners.append(moved)
      try context.save()
      #expect(owners[0].loners.last === moved && moved.lone === owners[0])
    }
    try twice(Old.Item.self, Old.Owner.self, Old.Tag.self, Old.Lid.self) { context throws in
      #expect(try all(context, \Old.Owner.number).map { $0.way.map(\.number) } == [[3, 1], [1, 2]])
      #expect(try all(context, \Old.Item.number).map(\.lone?.number) == [2, 1, 2, 1, 2, nil])
    }
  }

  @Test func `a one-way list gets a to-one inverse, unless an object is in two lists`() throws {
    try makeOld(isShared: false)
    try twice(InverseToOne.Tag.self, InverseToOne.Owner.self) { context throws in
      #expect(try all(context, \InverseToOne.Tag.number).map(\.holder?.number) == [1, 2, 1])
      #expect(try all(context, \InverseToOne.Owner.number).map { $0.way.map(\.number) } == [[3, 1], [2]])
    }
  }

  @Test func `an object in two lists prevents a to-one inverse`() throws {
    try makeOld()
    let text = refusal(InverseToOne.Tag.self, InverseToOne.Owner.self)
    #expect(text.contains("Tag.holder") || text.contains("Owner.way"), "\(text)")
    #expect(text.contains("more than one list"), "\(text)")
    try checkOld()
  }

  @Test func `another property becomes the inverse, and the old one becomes one-way`() throws {
    try makeOld()
    try twice(OneWay.Item.self, OneWay.Owner.self, OneWay.Tag.self, OneWay.Lid.self) { context throws in
      let items = try all(context, \OneWay.Item.number)
      let owners = try all(context, \OneWay.Owner.number)
      let (tags, lids) = (try all(context, \OneWay.Tag.number), try all(context, \OneWay.Lid.number))
      #expect(items.map(\.owner?.number) == [1, 2, 1, 2, 1, nil])
      #expect(owners.map { $0.items.map(\.number) } == [[5, 1, 3], [2, 4]])
      #expect(owners.map { $0.others.map(\.number) } == [[5, 1, 3], [2, 4]])
      #expect(items.prefix(2).map { $0.tags.map(\.number) } == [[3, 1], [1, 2]])
      #expect(tags.map { Set($0.items.map(\.number)) } == [[1, 2], [2], [1]])
      #expect(tags.map { Set($0.others.map(\.number)) } == [[1, 2], [2], [1]])
      #expect(items.map(\.lid?.number) == [1, 2, 3, 4, 5, nil])
      #expect(lids.map(\.item?.number) == [1, 2, 3, 4, 5] && lids.map(\.other?.number) == [1, 2, 3, 4, 5])
    }
    // Now a change of one side does not change the other one.
    let context = try open(OneWay.Item.self, OneWay.Owner.self, OneWay.Tag.self, OneWay.Lid.self)
    let (items, owners) = (try all(context, \OneWay.Item.number), try all(context, \OneWay.Owner.number))
    items[0].owner = owners[1]
    items[1].lid = items[0].lid
    owners[1].items.append(items[0])
    try context.save()
    #expect(owners.map { $0.items.map(\.number) } == [[5, 1, 3], [2, 4, 1]])
    #expect(owners.map { $0.others.map(\.number) } == [[5, 3], [2, 4, 1]])
    #expect(items.prefix(2).map(\.lid?.number) == [nil, 1])
    #expect(try all(context, \OneWay.Lid.number).prefix(2).map(\.item?.number) == [1, 2])
    #expect(try context.container.verify().isSound)
    try context.container.close()
    let text = refusal(Old.Item.self, Old.Owner.self, Old.Tag.self, Old.Lid.self)
    #expect(text.contains("two relationships") && text.contains("migration plan"), "\(text)")
  }

  @Test func `one side is removed, and comes back`() throws {
    try makeOld()
    try twice(HalfGone.Item.self, HalfGone.Owner.self, HalfGone.Tag.self, HalfGone.Lid.self) { context throws in
      let items = try all(context, \HalfGone.Item.number)
      #expect(items.map(\.owner?.number) == [1, 2, 1, 2, 1, nil])
      #expect(items.prefix(2).map { $0.tags.map(\.number) } == [[3, 1], [1, 2]])
      #expect(items.map(\.lid?.number) == [1, 2, 3, 4, 5, nil])
    }
    try checkOld()
  }

  // MARK: Rules

  @Test func `delete rules and counts come from the models`() throws {
    try makeOld()
    try twice(Rules.Item.self, Rules.Owner.self) { context throws in
      let owners = try all(context, \Rules.Owner.number)
      #expect(owners.map { $0.items.map(\.number) }.first == [5, 1, 3] || owners.count == 1)
    }
    let context = try open(Rules.Item.self, Rules.Owner.self)
    let owners = try all(context, \Rules.Owner.number)
    owners[0].items.append(try all(context, \Rules.Item.number)[5])
    #expect(throws: (any Error).self) { try context.save() }
    context.rollback()
    context.delete(owners[0])
    try context.save()
    #expect(try all(context, \Rules.Item.number).map(\.number) == [2, 4, 6])
    // The delete rules on rows agree, without objects.
    try context.delete(model: Rules.Owner.self)
    #expect(try all(context, \Rules.Item.number).map(\.number) == [6])
  }

  @Test func `references become optional, and required`() throws {
    try makeOld()
    let text = refusal(Optionality.Item.self, Optionality.Owner.self)
    #expect(text.contains("Item.owner") && text.contains("1 object has none"), "\(text)")
    try checkOld()
    do {
      let context = try open(Old.Item.self, Old.Owner.self, Old.Tag.self, Old.Lid.self)
      let owner = try #require(try all(context, \Old.Owner.number).first)
      try all(context, \Old.Item.number)[5].owner = owner
      try context.save()
      try context.container.close()
    }
    var count = 0
    try twice(Optionality.Item.self, Optionality.Owner.self) { context throws in
      let items = try all(context, \Optionality.Item.number)
      let owners = try all(context, \Optionality.Owner.number)
      #expect(items.prefix(6).map(\.owner.number) == [1, 2, 1, 2, 1, 1])
      #expect(items.prefix(6).map(\.needed?.number) == [count == 0 ? 2 : nil, 1, 2, 1, 2, 1])
      #expect(owners[0].items.prefix(3).map(\.number) == [5, 1, 3])
      items[0].needed = nil
      context.insert(Optionality.Item(10 + count, owners[0]))
      try context.save()
      count += 1
    }
  }

  // MARK: To many

  @Test func `references become lists`() throws {
    try makeOld()
    try twice(Lists.Item.self, Lists.Owner.self, Lists.Lid.self) { context throws in
      let items = try all(context, \Lists.Item.number)
      let owners = try all(context, \Lists.Owner.number)
      #expect(items.map { $0.owner.map(\.number) } == [[1], [2], [1], [2], [1], []])
      #expect(items.map { $0.lone.map(\.number) } == [[2], [1], [2], [1], [2], []])
      #expect(items.map { $0.needed.map(\.number) } == [[2], [1], [2], [1], [2], [1]])
      #expect(items.map { $0.lid.map(\.number) } == [[1], [2], [3], [4], [5], []])
      #expect(owners.map { $0.items.map(\.number) } == [[5, 1, 3], [2, 4]])
      #expect(owners.map { Set($0.needing.map(\.number)) } == [[2, 4, 6], [1, 3, 5]])
      #expect(try all(context, \Lists.Lid.number).map(\.item?.number) == [1, 2, 3, 4, 5])
    }
    let context = try open(Lists.Item.self, Lists.Owner.self, Lists.Lid.self)
    #expect(try context.container.parkedData().map(\.property) == ["tags", "way"])
    let (items, owners) = (try all(context, \Lists.Item.number), try all(context, \Lists.Owner.number))
    items[0].owner.append(owners[1])
    items[5].lid = items[4].lid
    try context.save()
    #expect(owners.map { $0.items.map(\.number) } == [[5, 1, 3], [2, 4, 1]])
    #expect(items[4].lid.isEmpty && items[5].lid.map(\.number) == [5])
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(!history.isEmpty && history.allSatisfy { !$0.changes.isEmpty || $0.author == nil })
    #expect(try context.container.verify().isSound)
  }

  @Test func `the other side of a to-one relationship becomes a list`() throws {
    try makeOld()
    try twice(OtherList.Item.self, OtherList.Lid.self) { context throws in
      let items = try all(context, \OtherList.Item.number)
      let lids = try all(context, \OtherList.Lid.number)
      #expect(items.prefix(5).map(\.lid?.number) == [1, 2, 3, 4, 5])
      #expect(lids.map { $0.item.first?.number } == [1, 2, 3, 4, 5])
      items[5].lid = lids[0]
      try context.save()
      #expect(lids[0].item.map(\.number) == [1, 6])
    }
  }

  @Test func `both sides of a to-one relationship become lists`() throws {
    try makeOld()
    try twice(ManyLids.Item.self, ManyLids.Lid.self) { context throws in
      #expect(try all(context, \ManyLids.Item.number).map { $0.lid.map(\.number) } == [[1], [2], [3], [4], [5], []])
      #expect(try all(context, \ManyLids.Lid.number).map { $0.item.map(\.number) } == [[1], [2], [3], [4], [5]])
    }
  }

  @Test func `a to-one inverse is refused while several objects have the same reference`() throws {
    try makeOld()
    let text = refusal(Single.Item.self, Single.Owner.self)
    #expect(text.contains("Item.lone") && text.contains("2 groups") && text.contains("a reference to row"), "\(text)")
    try checkOld()
    do {
      let context = try open(Old.Item.self, Old.Owner.self, Old.Tag.self, Old.Lid.self)
      for item in try all(context, \Old.Item.number) where item.number > 2 { item.lone = nil }
      try context.save()
      try context.container.close()
    }
    try twice(Single.Item.self, Single.Owner.self) { context throws in
      #expect(try all(context, \Single.Owner.number).map(\.loner?.number) == [2, 1])
    }
  }

  // MARK: Refused

  @Test func `a change that loses members, or references another model, is refused and named`() throws {
    try makeOld()
    for (text, property, has) in [
      (refusal(Refused.Narrower.Item.self, Refused.Narrower.Tag.self), "Item.tags", "a list"),
      (refusal(Refused.Elsewhere.Item.self, Refused.Elsewhere.Tag.self), "Item.lone", "a relationship to Owner"),
      (refusal(Refused.Value.Item.self), "Item.lone", "a relationship"),
    ] {
      #expect(text.contains(property) && text.contains(has) && text.contains("migration plan"), "\(text)")
    }
    try checkOld()
  }

  @Test func `a change of links that is only in the log is replayed`() throws {
    try makeOld()
    let models: [any PersistentModel.Type] = [Lists.Item.self, Lists.Owner.self, Lists.Lid.self]
    let container = try ModelContainer(for: Schema(models), configurations: [ModelConfiguration(url: folder.file())])
    let copy = folder.file("copy.roost")
    try FileManager.default.copyItem(at: folder.file(), to: copy)
    let log = URL(fileURLWithPath: folder.file().path + "-log")
    try FileManager.default.copyItem(at: log, to: URL(fileURLWithPath: copy.path + "-log"))
    let again = try ModelContainer(for: Schema(models), configurations: [ModelConfiguration(url: copy)])
    let context = ModelContext(again)
    #expect(try all(context, \Lists.Owner.number).map { $0.items.map(\.number) } == [[5, 1, 3], [2, 4]])
    #expect(try all(context, \Lists.Item.number).map { $0.lid.map(\.number) } == [[1], [2], [3], [4], [5], []])
    let report = try again.verify()
    #expect(report.isSound, "\(report.findings)")
    _ = container
  }
}
