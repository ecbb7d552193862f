import Foundation
import SwiftData
import Testing

@Model final class Choir {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \Chorister.choirs) var members: [Chorister] = []

  init(_ name: String) { self.name = name }
}

@Model final class Chorister {
  @Attribute(.unique) var name: String
  var age: Int
  var choirs: [Choir] = []

  init(_ name: String, _ age: Int = 1) { (self.name, self.age) = (name, age) }
}

/// A list is replaced by new models with the unique values of stored ones, as a program does with an
/// answer of a server. Before the fix, the list was empty afterwards if the program had read the other
/// side.
@Suite struct ReplacedListTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Choir.self, Chorister.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let first = ModelContext(container)
    for name in ["x", "y"] { first.insert(Choir(name)) }
    for choir in try first.fetch(FetchDescriptor<Choir>()) where choir.name == "x" {
      choir.members = ["a", "b", "c"].map { Chorister($0) }
    }
    try first.save()
    context = ModelContext(container)
  }

  private func shown(_ context: ModelContext) throws -> [String] {
    let choirs = try context.fetch(FetchDescriptor<Choir>(sortBy: [SortDescriptor(\.name)])).map { choir in
      "\(choir.name): \(choir.members.map { "\($0.name)\($0.age)" }.joined(separator: " "))"
    }
    let singers = try context.fetch(FetchDescriptor<Chorister>(sortBy: [SortDescriptor(\.name)])).map { one in
      "\(one.name): \(one.choirs.map(\.name).sorted().joined(separator: " "))"
    }
    return choirs + singers
  }

  private func choir(_ name: String) throws -> Choir {
    try #require(try context.fetch(FetchDescriptor<Choir>(predicate: #Predicate { $0.name == name })).first)
  }

  private func load(_ isLoaded: Bool) throws {
    if isLoaded { for one in try context.fetch(FetchDescriptor<Chorister>()) { _ = one.choirs.count } }
  }

  private func check(_ expected: [String]) throws {
    try context.save()
    #expect(try shown(ModelContext(container)) == expected)
    #expect(try shown(context) == expected)
  }

  @Test(arguments: [false, true], [false, true])
  func `a list that is replaced by models with the same unique values has them`(isLoaded: Bool, keeps: Bool) throws {
    context.uniquePolicy = keeps ? .keepExisting : .upsert
    try load(isLoaded)
    try choir("x").members = ["c", "a", "d"].map { Chorister($0, 9) }
    let age = keeps ? 1 : 9
    try check(["x: c\(age) a\(age) d9", "y: ", "a: x", "b: ", "c: x", "d: x"])
  }

  @Test(arguments: ["upsert", "keep", "non-nil"], [false, true])
  func `a list of references keeps the stored models, and the same answer changes nothing`(
    policy: String, isLoaded: Bool
  ) throws {
    let container = try Squad.container("a", "b")
    let context = ModelContext(container)
    context.uniquePolicy = policy == "upsert" ? .upsert : policy == "keep" ? .keepExisting : .mergeNonNil
    func men(_ context: ModelContext) throws -> [String] {
      try context.fetch(FetchDescriptor<Squad>(sortBy: [SortDescriptor(\.code)])).map { squad in
        "\(squad.code): \(squad.men.map(\.name).joined(separator: " "))"
      }
    }
    for turn in 0..<3 {
      if isLoaded { for one in try context.fetch(FetchDescriptor<Soldier>()) { _ = one.squad?.code } }
      let squad = try #require(try context.fetch(FetchDescriptor<Squad>(sortBy: [SortDescriptor(\.code)])).first)
      squad.men = ["a2", "a0", "new"].map { Soldier($0) }
      let before = try container.latestHistoryToken
      try context.save()
      let expected = ["a: a2 a0 new", "b: b0 b1 b2"]
      #expect(try men(ModelContext(container)) == expected)
      #expect(try men(context) == expected)
      if turn > 0 { #expect(try container.latestHistoryToken == before) }
    }
    let free = try ModelContext(container).fetch(FetchDescriptor<Soldier>()).filter { $0.squad == nil }
    #expect(free.map(\.name) == ["a1"])
    #expect(try container.verify().isSound)
  }

  @Test(arguments: [false, true]) func `so has a list of the other side`(isLoaded: Bool) throws {
    try load(isLoaded)
    let one = try #require(
      try context.fetch(FetchDescriptor<Chorister>(predicate: #Predicate { $0.name == "b" })).first)
    one.choirs = [Choir("x"), Choir("z")]
    try check(["x: a1 b1 c1", "y: ", "z: b1", "a: x", "b: x z", "c: x"])
  }

  @Test(arguments: [false, true]) func `a merged model joins what it names, and leaves what the program cleared`(
    isLoaded: Bool
  ) throws {
    try load(isLoaded)
    try choir("x").members = []
    try choir("y").members = [Chorister("a", 9)]
    try check(["x: ", "y: a9", "a: y", "b: ", "c: "])
  }
}
