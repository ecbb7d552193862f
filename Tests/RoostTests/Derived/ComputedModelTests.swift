import Foundation
import Roost
import RoostTestSupport
import Testing

/// Derived properties that the program computes from their objects.
@Suite struct ComputedModelTests {
  private static func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: Miller.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  @Test func `a save computes them for new and changed objects`() throws {
    let context = try Self.context()
    let miller = Miller("ANN")
    #expect(miller.key == "" && miller.power == nil)
    context.insert(miller)
    try context.save()
    #expect(miller.key == "ann" && !context.hasChanges)
    miller.name = "Bob"
    miller.stones = 3
    try context.save()
    #expect(miller.key == "bob" && miller.power == 30)
    let found = try ModelContext(context.container).fetch(
      FetchDescriptor<Miller>(predicate: #Predicate { $0.key == "bob" && $0.power == 30 }))
    #expect(found.map(\.name) == ["Bob"])
    miller.stones = 1
    try context.save()
    #expect(miller.power == nil)
  }

  @Test func `bulk updates and batches compute derived properties`() throws {
    let context = try Self.context()
    try context.insert(batch: (1...5).map { Miller("M\($0)") })
    let keys = FetchDescriptor<Miller>(sortBy: [SortDescriptor(\.key)])
    #expect(try context.fetch(keys).map(\.key) == ["m1", "m2", "m3", "m4", "m5"])
    try context.update(model: Miller.self, where: #Predicate { $0.key > "m3" }) { $0.name = "A" + $0.name }
    #expect(try context.fetch(keys).map(\.key) == ["am4", "am5", "m1", "m2", "m3"])
  }

  @Test func `a new computation fills stored objects, and a new version fills them again`() throws {
    let folder = try ScratchFolder()
    let configuration = ModelConfiguration(url: URL(filePath: folder.file("brewers.roost")))
    let first = try ModelContainer(for: EarlierMiller.Brewer.self, configurations: configuration)
    try ModelContext(first).insert(batch: (1...300).map { EarlierMiller.Brewer("B\($0)") })
    try first.close()
    let second = try ModelContainer(for: LaterMiller.Brewer.self, configurations: configuration)
    let later = try ModelContext(second).fetch(FetchDescriptor<LaterMiller.Brewer>())
    #expect(later.count == 300 && later.allSatisfy { $0.key == $0.name.lowercased() })
    try second.close()
    let third = try ModelContainer(for: LastMiller.Brewer.self, configurations: configuration)
    let last = try ModelContext(third).fetch(FetchDescriptor<LastMiller.Brewer>())
    #expect(last.count == 300 && last.allSatisfy { $0.key == $0.name.lowercased() + "!" })
    try third.close()
  }
}
