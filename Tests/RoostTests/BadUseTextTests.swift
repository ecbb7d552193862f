import Foundation
import SwiftData
import Testing

/// Each error names the model, the property and the remedy.
@Suite struct BadUseTextTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try makeFirms()
    context = ModelContext(container)
  }

  /// Expects that a save is refused with one error that names all of this.
  private func refused(_ code: RoostError.Code, _ model: String, _ property: String?, _ parts: String...) {
    let error = #expect(throws: RoostError.self) { try context.save() }
    let text = error?.description ?? ""
    #expect(error?.code == code, "\(text)")
    #expect(text.contains(property.map { "\(model).\($0): " } ?? "\(model): "), "\(text)")
    for part in parts { #expect(text.contains(part), "\(text)") }
  }

  private func stored(_ name: String) throws -> Firm {
    let firm = Firm(name)
    context.insert(firm)
    try context.save()
    return firm
  }

  @Test func `a deleted model is changed`() throws {
    let firm = try stored("Hill")
    context.delete(firm)
    try context.save()
    firm.name = "Lake"
    refused(.deleted, "Firm 1", "name", "it is deleted", "make a new object")
    firm.desks.append(Desk("a"))
    refused(.deleted, "Firm 1", "desks", "it is deleted", "make a new object")
    try context.save()
  }

  @Test func `a deleted model is referenced`() throws {
    let firm = try stored("Hill")
    let (desk, lake) = (Desk("a"), try stored("Lake"))
    context.insert(desk)
    context.delete(firm)
    try context.save()
    desk.firm = firm
    refused(.deleted, "Desk 1", "firm", "Firm 1", "it is deleted", "make a new object")
    context.delete(desk)
    try context.save()
    lake.desks = [desk]
    refused(.deleted, "Firm 2", "desks", "Desk 1", "it is deleted", "make a new object")
    try context.save()
  }

  @Test func `a model that others deleted is changed or referenced`() throws {
    let firm = try stored("Hill")
    let (desk, other) = (Desk("a"), ModelContext(container))
    context.insert(desk)
    try context.save()
    context.automaticallyMergesChanges = false
    context.mergePolicy = .overwrite
    firm.name = "Lake"
    try other.delete(model: Firm.self)
    try other.save()
    refused(.deleted, "Firm 1", nil, "another context deleted", "rollback()", ".storeWins")
    context.rollback()
    #expect(firm.isDeleted)
  }

  @Test func `a model of another context or container is referenced`() throws {
    let others = try [ModelContext(container), ModelContext(makeFirms())]
    for other in others {
      let foreign = Firm("Hill")
      other.insert(foreign)
      let desk = Desk("a")
      context.insert(desk)
      desk.firm = foreign
      refused(.foreign, "Desk \(others[0] === other ? 1 : 2)", "firm", "Firm 1", "another context", "by its identifier")
      context.insert(foreign)
      refusedAsForeign("Firm")
      #expect(throws: RoostError.self) { try context.load(foreign) }
    }
    let other = others[1]
    let firm = try #require(other.insertedModelsArray.first as? Firm)
    try other.save()
    let error = #expect(throws: RoostError.self) {
      try context.existingModel(for: firm.persistentModelID) as Firm?
    }
    #expect(error?.code == .foreign && error?.description.contains("another store") == true)
  }

  private func refusedAsForeign(_ model: String) {
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .foreign && error?.description.contains(model) == true, "\(String(describing: error))")
    #expect(error?.description.contains("fetch it here by its identifier") == true)
  }

  @Test func `an inverse is missing`() {
    let mistakes: [(any PersistentModel.Type, [String])] = [
      (Lopsided.self, ["Lopsided.title", "not a relationship", "name"]),
      (Crooked.self, ["Crooked.lost", "do not reference each other", "name"]),
    ]
    for (model, parts) in mistakes {
      let error = #expect(throws: (any Error).self) {
        try ModelContainer(for: Schema([model]), configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
      }
      let text = error.map { "\($0 as Any)" } ?? ""
      for part in parts { #expect(text.contains(part), "\(text)") }
    }
  }

  @Test func `a type is not in the schema`() throws {
    context.insert(Stranger())
    refused(.unknownModel, "Stranger", nil, "name it where the container is made")
    for call in 0..<3 {
      let error = #expect(throws: RoostError.self) {
        switch call {
        case 0: _ = try context.fetch(FetchDescriptor<Stranger>())
        case 1: _ = try context.fetchCount(FetchDescriptor<Stranger>())
        default: try context.delete(model: Stranger.self)
        }
      }
      #expect(error?.code == .unknownModel && error?.description.contains("Stranger") == true)
      #expect(error?.description.contains("name it where the container is made") == true)
    }
  }

  @Test func `a value must be unique and is not`() throws {
    _ = try stored("Hill")
    context.uniquePolicy = .throw
    let again = Firm("Hill")
    context.insert(again)
    refused(.notUnique, "Firm 2", "name", "\"Hill\"", "Firm 1", "another value")
    let error = #expect(throws: RoostError.self) { try ModelContext(container).insertUnique(Firm("Hill")) }
    #expect(error?.code == .notUnique && error?.description.contains("Firm.name: Firm 1") == true)
    again.name = "Lake"
    try context.save()
    again.name = "Hill"
    refused(.notUnique, "Firm 2", "name", "\"Hill\"", "Firm 1", "another value")
  }

  @Test func `a rule forbids a deletion`() throws {
    let firm = try stored("Hill")
    let (desk, person) = (Desk("a", firm), Badgeholder(1, firm))
    context.insert(desk)
    context.insert(person)
    try context.save()
    context.delete(firm)
    refused(.denied, "Firm 1", "desks", "Desk 1", "cannot be deleted", "delete them too", "remove them")
    desk.firm = nil
    refused(
      .denied, "Badgeholder 1", "firm", "Firm 1", "must reference an object", "delete it too", "change the reference")
    person.firm = Firm("Lake")
    try context.save()
  }

  @Test func `there are too few members, or too many`() throws {
    let crew = Crew("Kiel", 1)
    context.insert(crew)
    refused(.count, "Crew 1", "sailors", "has 0", "2 at least", "add some")
    crew.sailors = (0..<4).map { Sailor("\($0)") }
    refused(.count, "Crew 1", "sailors", "has 4", "3 at most", "remove some")
  }

  @Test func `a value does not fit`() throws {
    let unset = Firm(backingData: _BackingData<Firm>())
    context.insert(unset)
    refused(.badValue, "Firm 1", "name", "never set", "set it")
    context.rollback()
    let moody = Moody(.init(0))
    let odd = ModelContext(
      try ModelContainer(for: Moody.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    odd.insert(moody)
    try odd.save()
    moody.mood.level = -1
    let error = #expect(throws: RoostError.self) { try odd.save() }
    #expect(error?.code == .badValue && error?.description.contains("Moody 1.mood: ") == true)
    #expect(error?.description.contains("not below zero") == true)
    #expect(error?.description.contains("a value that can be stored") == true, "\(String(describing: error))")
    moody.mood.level = 1
    try odd.save()
  }
}

/// Its inverse is no relationship.
@Model final class Lopsided {
  @Relationship(inverse: \Lopsided.title) var other: Lopsided?
  var title = ""

  init() {}
}

/// Its inverse references another model.
@Model final class Crooked {
  @Relationship(inverse: \Straight.lost) var lost: Straight?

  init() {}
}

@Model final class Straight {
  var lost: Straight?

  init() {}
}

@Model final class Moody {
  /// Cannot be encoded if it is below zero.
  struct Mood: Codable, Hashable {
    var level: Int

    init(_ level: Int) { self.level = level }

    enum CodingKeys: CodingKey { case level }

    func encode(to encoder: any Encoder) throws {
      guard level >= 0 else {
        throw EncodingError.invalidValue(level, .init(codingPath: [], debugDescription: "a mood is not below zero"))
      }
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(level, forKey: .level)
    }
  }

  var mood: Mood

  init(_ mood: Mood) { self.mood = mood }
}
