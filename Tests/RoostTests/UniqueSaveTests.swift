import Foundation
import SwiftData
import Testing

/// Effects of unique values in a save on other objects: partners, closures, refusals,
/// notifications.
@Suite struct UniqueSaveTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try Stock.container()
    context = ModelContext(container)
    context.insert(Ware("a", title: "old", count: 1))
    try context.save()
  }

  @Test func `a stored model that stays keeps its partner`() throws {
    let ware = try #require(try context.fetch(FetchDescriptor<Ware>()).first)
    ware.seal = Seal(1)
    try context.save()
    context.uniquePolicy = .keepExisting
    let again = Ware("a")
    let seal = Seal(2)
    again.seal = seal
    context.insert(again)
    try context.save()
    #expect(ware.seal?.number == 1 && seal.ware == nil)
    #expect(try Stock.wares(container)["a"]?.seal?.number == 1)
    context.uniquePolicy = .upsert
    let third = Ware("a")
    third.seal = Seal(3)
    context.insert(third)
    try context.save()
    #expect(ware.seal?.number == 3)
  }

  @Test(arguments: [false, true]) func `spouses of one who stays are not taken`(_ isBatch: Bool) throws {
    let twins = ModelContext(
      try ModelContainer(for: Twin.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    func put(_ name: String, _ other: String, isBackwards: Bool = false) throws {
      let (one, two) = (Twin(name), Twin(other))
      if isBackwards { two.other = one } else { one.other = two }
      if isBatch {
        try twins.insert(batch: [one])
        if isBackwards { try twins.insert(batch: [two]) }
      } else {
        twins.insert(one)
        if isBackwards { twins.insert(two) }
        try twins.save()
      }
    }
    func pairs() throws -> [String] {
      try ModelContext(twins.container).fetch(FetchDescriptor<Twin>(sortBy: [SortDescriptor(\.name)])).map {
        $0.name + ($0.other?.name ?? "-")
      }
    }
    try put("ann", "bob")
    #expect(try pairs() == ["annbob", "bobann"])
    twins.uniquePolicy = .keepExisting
    try put("ann", "eve")
    #expect(try pairs() == ["annbob", "bobann", "eve-"])
    twins.uniquePolicy = .upsert
    try put("ann", "kim")
    #expect(try pairs() == ["annkim", "bob-", "eve-", "kimann"])
    twins.uniquePolicy = .keepExisting
    try put("ann", "lea", isBackwards: true)
    #expect(try pairs() == ["annkim", "bob-", "eve-", "kimann", "lea-"])
    twins.uniquePolicy = .upsert
    try put("kim", "bob")
    #expect(try pairs() == ["ann-", "bobkim", "eve-", "kimbob", "lea-"])
  }

  @Test func `a closure may give the inserted one another value`() throws {
    try context.setUniquePolicy(
      .resolve { inserted, _ in
        inserted.code += "-2"
        return .upsert
      }, for: Ware.self)
    let (first, second) = (Ware("a", count: 5), Ware("b", count: 6))
    context.insert(first)
    context.insert(second)
    try context.save()
    var wares = try Stock.wares(container)
    #expect(wares["a"]?.count == 1 && wares["a-2"]?.count == 5 && wares["b"]?.count == 6)
    #expect(!first.isDeleted && first.code == "a-2" && context.lastSave.mergeCount == 0)
    // If another model has the closure's value, the closure is called again, and several models get
    // one value each.
    for count in 7..<10 { context.insert(Ware("a", count: count)) }
    try context.save()
    wares = try Stock.wares(container)
    #expect(wares["a-2-2"]?.count == 7 && wares["a-2-2-2"]?.count == 8 && wares["a-2-2-2-2"]?.count == 9)
    // The stored one may give up its value too.
    try context.setUniquePolicy(
      .resolve { _, existing in
        existing.code += "-old"
        return .upsert
      }, for: Ware.self)
    context.insert(Ware("b", count: 60))
    try context.save()
    wares = try Stock.wares(container)
    #expect(wares["b"]?.count == 60 && wares["b-old"]?.count == 6)
  }

  @Test func `the next one is compared with what stays, not with a changed value`() throws {
    try context.setUniquePolicy(
      .resolve { inserted, existing in
        inserted.tags = existing.tags + ["\(existing.count)"]
        if inserted.count == 3 { inserted.code = "c" }
        return .upsert
      }, for: Ware.self)
    for count in 2...4 { context.insert(Ware("a", count: count)) }
    try context.save()
    let wares = try Stock.wares(container)
    #expect(wares["a"]?.tags == ["1", "2"] && wares["a"]?.count == 4 && wares["c"]?.count == 3)
  }

  @Test func `a refused save leaves new models unchanged`() throws {
    try context.setUniquePolicy(
      .resolve { new, _ in new.count == 1 ? .mergeNonNil : .throw }, for: Ware.self)
    let (first, second) = (Ware("a", title: nil, count: 1), Ware("a", count: 2))
    context.insert(first)
    context.insert(second)
    #expect(throws: RoostError.self) { try context.save() }
    #expect(first.title == nil)
    first.code = "z"
    context.delete(second)
    try context.save()
    #expect(try Stock.wares(container)["z"]?.title == nil)
    #expect(try Stock.wares(container)["a"]?.title == "old")
  }

  @Test func `a closure's changes of the new model that it gets stay`() throws {
    try context.setUniquePolicy(
      .resolve { new, existing in
        if new.count == 1 { return .mergeNonNil }
        existing.title = (existing.title ?? "nil") + "!"
        existing.price += 1
        new.title = existing.title
        return .mergeNonNil
      }, for: Ware.self)
    for count in 1...3 { context.insert(Ware("a", title: nil, count: count)) }
    try context.save()
    let ware = try #require(try Stock.wares(container)["a"])
    #expect(ware.title == "old!!" && ware.count == 3)
  }

  @Test func `a model that was merged with another new one is reported as inserted`() throws {
    nonisolated(unsafe) var told: [[PersistentIdentifier]] = []
    let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      told.append($0.userInfo?["inserted"] as? [PersistentIdentifier] ?? [])
      told.append($0.userInfo?["updated"] as? [PersistentIdentifier] ?? [])
    }
    defer { NotificationCenter.default.removeObserver(token) }
    context.insert(Ware("n", count: 1))
    context.insert(Ware("n", count: 2))
    context.insert(Ware("m"))
    try context.save()
    let wares = try Stock.wares(container)
    let names = ["n", "m"].compactMap { wares[$0]?.persistentModelID }
    #expect(told == [names, []])
    told = []
    context.insert(Ware("a", count: 9))
    context.insert(Ware("a", count: 10))
    try context.save()
    #expect(told == [[], [wares["a"]?.persistentModelID].compactMap { $0 }])
  }

  @Test func `models that a pending deletion includes do not conflict`() throws {
    let url = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Shelfful.self, Tome.self, configurations: url)
    let maker = ModelContext(container)
    let shelf = Shelfful("s")
    maker.insert(shelf)
    shelf.tomes = [Tome("a"), Tome("b")]
    try maker.save()
    for checks in [false, true] {
      let context = ModelContext(container)
      context.checksUniqueAtInsert = checks
      let shelf = try #require(try context.fetch(FetchDescriptor<Shelfful>()).first)
      context.delete(shelf)
      let tome = Tome("a")
      if checks { context.insert(tome) } else { try context.insertUnique(tome) }
      #expect(tome.modelContext != nil)
      let again = Shelfful("s")
      again.tomes = [tome, Tome("b")]
      context.insert(again)
      try context.save()
      #expect(try ModelContext(container).fetch(FetchDescriptor<Tome>()).map(\.code).sorted() == ["a", "b"])
    }
  }
}

@Model final class Twin {
  @Attribute(.unique) var name: String
  @Relationship(.mutual) var other: Twin?

  init(_ name: String) { self.name = name }
}

@Model final class Shelfful {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Tome.shelf) var tomes: [Tome] = []

  init(_ name: String) { self.name = name }
}

@Model final class Tome {
  @Attribute(.unique) var code: String
  var shelf: Shelfful?

  init(_ code: String) { self.code = code }
}
