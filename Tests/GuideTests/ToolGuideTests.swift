import SwiftData
import Testing

@Model final class Lamp {
  @Attribute(.unique) var code: String

  init(_ code: String) { self.code = code }
}

@Suite struct ToolGuideTests {
  @Test func `an error has its number`() throws {
    let context = ModelContext(
      try ModelContainer(for: Lamp.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let (one, two) = (Lamp("a"), Lamp("b"))
    context.insert(one)
    context.insert(two)
    try context.save()
    two.code = "a"
    do {
      try context.save()
    } catch let error as RoostError {
      print("\(error): roost help \(error.reference)")
    }
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.reference == "E0507")
    #expect(RoostError.Code.notUnique.reference == "E0507")
  }
}
