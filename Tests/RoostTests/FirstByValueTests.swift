import Foundation
import SwiftData
import Testing

/// `first(_:where:is:)` finds what a fetch with an equality finds.
@Suite struct FirstByValueTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Artist.self, Album.self, Vehicle.self, Team.self, Player.self, Badge.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    for name in ["Ella", "Nina", "Bjo\u{308}rk"] { context.insert(Artist(name, street: "street of \(name)")) }
    for number in 0..<20 { context.insert(Player(number == 7 ? nil : "p\(number)", points: number, goals: number % 3)) }
    try context.save()
  }

  @Test func `a unique property finds its model, in any normal form of a text`() throws {
    let other = ModelContext(container)
    #expect(try other.first(Artist.self, where: \.name, is: "Nina")?.address.street == "street of Nina")
    #expect(try other.first(Artist.self, where: \.name, is: "Bj\u{F6}rk")?.address.street == "street of Bjo\u{308}rk")
    #expect(try other.first(Artist.self, where: \.name, is: "nina") == nil)
    let nina = try #require(try other.first(where: \Artist.name, is: "Nina"))
    #expect(try other.first(Artist.self, where: \.name, is: "Nina") === nina)
  }

  @Test func `any other property finds one too`() throws {
    #expect(try context.first(Player.self, where: \.points, is: 12)?.name == "p12")
    #expect(try context.first(Player.self, where: \.points, is: 99) == nil)
    let error = #expect(throws: SwiftDataError.self) {
      try context.first(Artist.self, where: \.address.street, is: "street of Ella")
    }
    #expect(error == .unsupportedKeyPath)
    #expect(try context.first(Player.self, where: \.name, is: nil)?.points == 7)
    #expect(try context.first(Player.self, where: \.name, is: "p3")?.points == 3)
    context.insert(Vehicle("x", weight: 3))
    try context.save()
    #expect(try context.first(Vehicle.self, where: \.plate, is: "x")?.weight == 3)
  }

  @Test func `unsaved changes and commits of others are seen`() throws {
    let ella = try #require(try context.first(Artist.self, where: \.name, is: "Ella"))
    ella.name = "Ella F."
    context.insert(Artist("new"))
    #expect(try context.first(Artist.self, where: \.name, is: "Ella") == nil)
    #expect(try context.first(Artist.self, where: \.name, is: "Ella F.") === ella)
    #expect(try context.first(Artist.self, where: \.name, is: "new") != nil)
    context.delete(ella)
    #expect(try context.first(Artist.self, where: \.name, is: "Ella F.") == nil)
    try context.save()
    #expect(try context.first(Artist.self, where: \.name, is: "Ella F.") == nil)
    let other = ModelContext(container)
    other.insert(Artist("from elsewhere"))
    try other.save()
    #expect(try context.first(Artist.self, where: \.name, is: "from elsewhere") != nil)
  }

  @Test func `a closed context and an unknown model throw`() throws {
    let other = try ModelContainer(for: Badge.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    #expect(throws: (any Error).self) { try ModelContext(other).first(Artist.self, where: \.name, is: "Ella") }
    try container.close()
    #expect(throws: (any Error).self) { try context.first(Artist.self, where: \.name, is: "Ella") }
  }
}
