import SwiftData
import Testing

@Model private final class Wharf {
  var name: String
  @Relationship(deleteRule: .noAction, inverse: \Barge.wharf) var barges: [Barge] = []

  init(_ name: String) { self.name = name }
}

@Model private final class Barge {
  var name: String
  var wharf: Wharf?

  init(_ name: String, _ wharf: Wharf?) { (self.name, self.wharf) = (name, wharf) }
}

/// References that the delete rule `.noAction` leaves: the stored reference stays, as in Core Data, and a getter finds no model.
@Suite struct NoActionTests {
  @Test func `a predicate sees the stored reference, and a getter sees no model`() throws {
    let container = try ModelContainer(
      for: Wharf.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let wharf = Wharf("w")
    context.insert(wharf)
    context.insert(Barge("left", wharf))
    context.insert(Barge("free", nil))
    try context.save()
    context.delete(wharf)
    try context.save()
    let other = ModelContext(container)
    func names(_ predicate: Predicate<Barge>) throws -> [String] {
      try other.fetch(FetchDescriptor(predicate: predicate)).map(\.name)
    }
    #expect(try names(#Predicate { $0.wharf != nil }) == ["left"])
    #expect(try names(#Predicate { $0.wharf == nil }) == ["free"])
    // A value of the missing model is nil.
    #expect(try names(#Predicate { $0.wharf?.name == nil }).sorted() == ["free", "left"])
    let left = try #require(try barges(other).first { $0.name == "left" })
    #expect(left.wharf == nil)
    // Setting it to nil clears the stored reference.
    left.wharf = nil
    try other.save()
    #expect(try names(#Predicate { $0.wharf != nil }) == [])
  }

  private func barges(_ context: ModelContext) throws -> [Barge] { try context.fetch(FetchDescriptor<Barge>()) }
}
