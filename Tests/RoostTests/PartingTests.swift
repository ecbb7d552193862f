import Foundation
import SwiftData
import Testing

/// It holds the reference of a relationship between two.
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

/// Upserts of models that stand between two: whose row one becomes its own unique values say, and its partner does not.
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

  @Test(arguments: [false, true]) func `a stored one gets another stored partner`(_ isBatch: Bool) throws {
    try fill()
    for (number, wanted) in [(3, ["1-", "2b", "3a"]), (2, ["1-", "2a", "3-"]), (4, ["1-", "2-", "3-", "4a"])] {
      let again = Wearer("a")
      again.crest = Crest(number)
      try put(again, isBatch)
      #expect(try pairs() == wanted)
    }
    // The same, said from the other side.
    let crest = Crest(1)
    crest.wearer = Wearer("a")
    try put(crest, isBatch)
    #expect(try pairs() == ["1a", "2-", "3-", "4-"])
  }

  @Test(arguments: [false, true]) func `who stays as it is keeps its partner`(_ isBatch: Bool) throws {
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
    // The crest would go over, and the wearer keeps its own: so both keep whom they have.
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

  /// What is too large for its row is whole, also where the row was tried twice.
  @Test(arguments: [false, true]) func `large values survive that a partner stood in the way`(_ isBatch: Bool) throws {
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

  @Test func `two contexts that gave one wearer two crests leave large values whole`() throws {
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
