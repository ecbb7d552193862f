import Foundation
import SwiftData
import Testing

@Suite struct MigrationTests {
  @Test func `a new property and a renamed one`() throws {
    let file = freshFile()
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    do {
      let container = try ModelContainer(
        for: Schema(versionedSchema: GardenSchemaBefore.self), configurations: ModelConfiguration(url: file))
      let context = ModelContext(container)
      context.insert(GardenSchemaBefore.Tool(name: "spade"))
      try context.save()
    }
    let container = try ModelContainer(
      for: Schema(versionedSchema: GardenSchema.self), migrationPlan: GardenPlan.self,
      configurations: ModelConfiguration(url: file))
    let context = ModelContext(container)
    let tools = try context.all(GardenSchema.Tool.self)
    #expect(tools.map(\.title) == ["spade"] && tools.map(\.weight) == [1])
  }

  @Test func `versions are compared`() {
    #expect(Schema.Version(1, 9, 9) < Schema.Version(2, 0, 0) && Schema.Version(1, 2, 3).description == "1.2.3")
    #expect(GardenPlan.schemas.count == 2 && GardenPlan.stages.count == 1)
  }
}
