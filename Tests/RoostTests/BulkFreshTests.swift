import Foundation
import SwiftData
import Testing

/// Bulk writes see relationships as new as the rows that they change.
@Suite struct BulkFreshTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let other: ModelContext

  init() throws {
    container = try Stock.container()
    context = ModelContext(container)
    other = ModelContext(container)
    context.automaticallyMergesChanges = false
    _ = try context.fetch(FetchDescriptor<Ware>())
    let ware = Ware("new", count: 1, group: WareGroup("g"))
    other.insert(ware)
    ware.parts = [Part("p"), Part("q")]
    ware.seal = Seal(7)
    try other.save()
  }

  @Test func `an update follows references of rows that the context has not loaded`() throws {
    try context.update(model: Ware.self, where: #Predicate { $0.code == "new" }) {
      $0.title = $0.group?.name ?? "none"
      $0.count = $0.parts.count
      $0.version = $0.seal?.number ?? 0
    }
    let ware = try #require(try Stock.wares(container)["new"])
    #expect(ware.title == "g" && ware.count == 2 && ware.version == 7)
  }

  @Test func `a predicate that is tested in memory sees the same state`() throws {
    let changed = try context.update(
      model: Ware.self, where: #Predicate { $0.doubled == 2 && $0.group?.name == "g" }
    ) { $0.price = 3 }
    #expect(changed.count == 1)
    #expect(
      try context.deleteAll(model: Ware.self, where: #Predicate { $0.doubled == 2 && $0.parts.count == 2 }).count == 1)
  }

  @Test func `a unique policy's closure sees the same state`() throws {
    try context.setUniquePolicy(
      .resolve { inserted, existing in
        inserted.title = existing.group?.name ?? "none"
        inserted.count = existing.parts.count
        return .upsert
      }, for: Ware.self)
    try context.insert(batch: [Ware("new")])
    let ware = try #require(try Stock.wares(container)["new"])
    #expect(ware.title == "g" && ware.count == 2)
  }

  @Test func `threads that write at once see the groups of the others`() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: url) }
    let container = try ModelContainer(
      for: Ware.self, WareGroup.self, Part.self, WareLabel.self, Seal.self,
      configurations: ModelConfiguration(url: url.appendingPathComponent("s.roost")))
    DispatchQueue.concurrentPerform(iterations: 4) { place in
      let context = ModelContext(container)
      for number in 0..<25 {
        if place < 2 {
          context.insert(Ware("\(place) \(number)", group: WareGroup("g \(place) \(number)")))
          #expect(throws: Never.self) { try context.save() }
        } else {
          #expect(throws: Never.self) {
            try context.update(model: Ware.self, where: #Predicate { $0.title == nil }) {
              $0.title = $0.group?.name ?? "none"
            }
          }
        }
      }
    }
    let context = ModelContext(container)
    try context.update(model: Ware.self, where: #Predicate { $0.title == nil }) { $0.title = $0.group?.name ?? "none" }
    let wares = try context.fetch(FetchDescriptor<Ware>())
    #expect(wares.count == 50)
    for ware in wares { #expect(ware.title == "g " + ware.code) }
  }
}

extension Ware {
  /// Not stored.
  var doubled: Int { count * 2 }
}
