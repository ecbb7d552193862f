import SwiftData
import Testing

@available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *)
@Model
class Plant {
  var name: String

  init(name: String) { self.name = name }
}

@available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *)
@Model
final class Tree: Plant {
  var height: Double

  init(name: String, height: Double) {
    self.height = height
    super.init(name: name)
  }
}

@Suite(.everyStore) struct InheritanceTests {
  @Test func `subclasses are fetched as themselves`() throws {
    guard #available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    let context = try ModelContext(
      StoreKind.current.container(Schema([Plant.self, Tree.self])))
    context.insert(Plant(name: "fern"))
    context.insert(Tree(name: "oak", height: 20))
    try context.save()
    let fresh = ModelContext(context.container)
    let all = try fresh.fetch(FetchDescriptor<Plant>(sortBy: [SortDescriptor(\.name)]))
    #expect(all.map(\.name) == ["fern", "oak"] && (all[1] as? Tree)?.height == 20)
    #expect(try context.fetch(FetchDescriptor<Tree>()).count == 1)
    #expect(try context.fetch(FetchDescriptor<Plant>(predicate: #Predicate { $0 is Tree })).map(\.name) == ["oak"])
  }
}
