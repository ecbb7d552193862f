import SwiftData
import Testing

/// Declarations that guides use although SwiftData does not have them.
@Model final class Parcel {
  @Attribute(.indexed) var town: String
  @Attribute(.unique, .indexed) var code: Int
  var weight: Double
  @Relationship(minimum: 1, maximum: 2, inverse: \Stamp.parcel) var stamps: [Stamp] = []
  @Relationship(deleteRule: .cascade, maximum: 1) var notes: [Slip] = []

  init(_ town: String, _ code: Int, stamps: Int = 1) {
    self.town = town
    self.code = code
    weight = 1
    self.stamps = (0..<stamps).map { _ in Stamp() }
  }
}

@Model final class Stamp {
  var parcel: Parcel?
  init() {}
}

@Model final class Slip {
  var text: String
  init(_ text: String) { self.text = text }
}

@Suite struct GuideWordTests {
  private let context: ModelContext

  init() throws {
    let container = try ModelContainer(
      for: Parcel.self, Stamp.self, Slip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
  }

  @Test func `an indexed attribute is found with its index`() throws {
    let schema = Schema([Parcel.self])
    #expect(schema.entitiesByName["Parcel"]?.indices == [["town"]], "what is unique has an index already")
    for number in 0..<50 { context.insert(Parcel("town \(number % 5)", number)) }
    try context.save()
    let descriptor = FetchDescriptor<Parcel>(predicate: #Predicate { $0.town == "town 3" })
    #expect(try context.fetch(descriptor).count == 10)
    let plan = try context.explain(descriptor).description
    #expect(plan.contains("town"), "\(plan)")
    let byWeight = FetchDescriptor<Parcel>(predicate: #Predicate { $0.weight == 1 })
    #expect(try context.explain(byWeight).description != plan)
  }

  @Test(arguments: [0, 3]) func `the short relationship names limit the members`(stamps: Int) throws {
    context.insert(Parcel("here", 1, stamps: stamps))
    #expect(throws: RoostError.self) { try context.save() }
    context.rollback()
    context.insert(Parcel("here", 1, stamps: 2))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Stamp>()) == 2)
  }

  @Test func `at most the maximum, and none if no minimum is declared`() throws {
    let parcel = Parcel("here", 1)
    context.insert(parcel)
    try context.save()
    parcel.notes = [Slip("one"), Slip("two")]
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect("\(try #require(error))".contains("notes"))
    parcel.notes = [Slip("one")]
    try context.save()
  }
}
