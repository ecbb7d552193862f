import Foundation
import SwiftData
import Testing

/// Stores the reference of a one-to-one relationship.
@Model final class Crest {
  @Attribute(.unique) var number: Int
  var text: String
  var wearer: Wearer?

  init(_ number: Int, text: String = "") {
    self.number = number
    self.text = text
  }
}

@Model final class Wearer {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \Crest.wearer) var crest: Crest?

  init(_ name: String) { self.name = name }
}

/// Upserts of models in one-to-one relationships: the unique values decide which row a model gets,
/// not its partner.
@Suite struct PartingTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Wearer.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
  }

  /// Wearer a has crest 1, b has 2, and 3 is alone.
  private func fill() throws {
    let (a, b) = (Wearer("a"), Wearer("b"))
    (a.crest, b.crest) = (Crest(1), Crest(2))
    context.insert(a)
    context.insert(b)
    context.insert(Crest(3))
    try context.save()
  }

  private func pairs() throws -> [String] {
    let other = ModelContext(container)
    return try other.fetch(FetchDescriptor<Crest>(sortBy: [SortDescriptor(\.number)])).map { crest in
      #expect(crest.wearer.map { $0.crest === crest } ?? true)
      return "\(crest.number)\(crest.wearer?.name ?? "-")"
    }
  }

  private func put(_ model: some PersistentModel, _ isBatch: Bool) throws {
    let fresh = ModelContext(container)
    fresh.uniquePolicy = context.uniquePolicy
    if isBatch { return _ = try fresh.insert(batch: [model]) }
    fresh.insert(model)
    try fresh.save()
  }

  @Test(arguments: [false, true]) func `a stored model gets another stored partner`(_ isBatch: Bool) throws {
    try fill()
    for (number, wanted) in [(3, ["1-", "2b", "3a"]), (2, ["1-", "2a", "3-"]), (4, ["1-", "2-", "3-", "4a"])] {
      let again = Wearer("a")
      again.crest = Crest(number)
      try put(again, isBatch)
      #expect(try pairs() == wanted)
    }
    // Now the change is made from the other side.
    let crest = Crest(1)
    crest.wearer = Wearer("a")
    try put(crest, isBatch)
    #expect(try pairs() == ["1a", "2-", "3-", "4-"])
  }

  @Test(arguments: [false, true]) func `a model that stays unchanged keeps its partner`(_ isBatch: Bool) throws {
    try fill()
    context.uniquePolicy = .keepExisting
    for number in 1...3 {
      let again = Wearer("a")
      again.crest = Crest(number)
      try put(again, isBatch)
      #expect(try pairs() == ["1a", "2b", "3-"])
    }
  }

  @Test(arguments: [false, true]) func `one that is kept and one that is changed`(_ isBatch: Bool) throws {
    try fill()
    let user = ModelContext(container)
    try user.setUniquePolicy(.keepExisting, for: Wearer.self)
    // The crest would move, and the wearer keeps its own: so both keep their partners.
    let (again, crest) = (Wearer("a"), Crest(2, text: "new"))
    again.crest = crest
    if isBatch {
      try user.insert(batch: [again])
    } else {
      user.insert(again)
      try user.save()
    }
    #expect(try pairs() == ["1a", "2b", "3-"])
    let two = try ModelContext(container).fetch(FetchDescriptor<Crest>(predicate: #Predicate { $0.number == 2 }))
    #expect(two.map(\.text) == ["new"])
  }

  /// A value that is too large for its row stays complete, even if the row was written twice.
  @Test(arguments: [false, true]) func `large values survive a conflict with a partner`(_ isBatch: Bool) throws {
    try fill()
    let text = String(repeating: "large ", count: 2000)
    for number in [3, 9] {
      let again = Wearer("a")
      again.crest = Crest(number, text: text)
      try put(again, isBatch)
      let found = try ModelContext(container).fetch(
        FetchDescriptor<Crest>(predicate: #Predicate { $0.number == number }))
      #expect(found.map(\.text) == [text] && found[0].wearer?.name == "a")
    }
  }

  @Test func `two contexts that gave one wearer two crests keep large values`() throws {
    try fill()
    let other = ModelContext(container)
    let text = String(repeating: "large ", count: 2000)
    let theirs = try #require(try other.fetch(FetchDescriptor<Wearer>(predicate: #Predicate { $0.name == "b" })).first)
    let ours = try #require(try context.fetch(FetchDescriptor<Wearer>(predicate: #Predicate { $0.name == "b" })).first)
    theirs.crest = Crest(7)
    try other.save()
    ours.crest = Crest(8, text: text)
    try context.save()
    #expect(try pairs().suffix(2) == ["7-", "8b"])
    let eight = try ModelContext(container).fetch(FetchDescriptor<Crest>(predicate: #Predicate { $0.number == 8 }))
    #expect(eight.map(\.text) == [text])
  }
}
