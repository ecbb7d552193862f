import Foundation
import RoostTestSupport
import SwiftData
import Testing

@Model final class Wardrobe {
  var name: String
  @Relationship(inverse: \Coat.rack) var coats: [Coat] = []

  init(_ name: String) { self.name = name }
}

@Model final class Coat {
  var size: Int
  var rack: Wardrobe?

  init(_ size: Int) { self.size = size }
}

/// A context changes the owner of a model, and another one saves another owner: until the save both
/// sides of the relationship must agree.
@Suite struct MergedOwnerTests {
  private let container: ModelContainer
  private let (here, there): (ModelContext, ModelContext)

  init() throws {
    container = try ModelContainer(for: Wardrobe.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    (here, there) = (ModelContext(container), ModelContext(container))
    let racks = ["a", "b", "c"].map { Wardrobe($0) }
    for rack in racks { here.insert(rack) }
    racks[0].coats = [Coat(1)]
    try here.save()
  }

  private func rack(_ name: String, _ context: ModelContext) throws -> Wardrobe {
    try #require(try context.fetch(FetchDescriptor<Wardrobe>(predicate: #Predicate { $0.name == name })).first)
  }

  private func coat(_ context: ModelContext) throws -> Coat {
    try #require(try context.fetch(FetchDescriptor<Coat>()).first)
  }

  @Test func `a list that another context gave the model does not show it`() throws {
    let mine = try coat(here)
    mine.rack = nil
    try coat(there).rack = rack("b", there)
    try there.save()
    #expect(try rack("b", here).coats.isEmpty && mine.rack == nil)
    try here.save()
    #expect(try rack("b", ModelContext(container)).coats.isEmpty)
  }

  @Test func `the list that was chosen here shows it, although others moved it`() throws {
    let mine = try coat(here)
    mine.rack = try rack("b", here)
    try coat(there).rack = rack("b", there)
    try there.save()
    #expect(try rack("b", here).coats == [mine])
    try coat(there).rack = rack("c", there)
    try there.save()
    #expect(try rack("b", here).coats == [mine] && rack("c", here).coats.isEmpty)
    try here.save()
    #expect(try rack("b", ModelContext(container)).coats.count == 1)
    #expect(try rack("c", ModelContext(container)).coats.isEmpty)
  }

  @Test(arguments: 1...40) func `both sides agree in each of three contexts`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    var contexts = (0..<3).map { _ in ModelContext(container) }
    for step in 0..<150 {
      let context = contexts[below(3)]
      func some<T: PersistentModel>(_ type: T.Type) throws -> T? {
        let all = try context.fetch(FetchDescriptor<T>())
        return all.isEmpty ? nil : all[below(all.count)]
      }
      switch below(100) {
      case ..<10: context.insert(Wardrobe("new"))
      case ..<25:
        let coat = Coat(below(9))
        context.insert(coat)
        coat.rack = try some(Wardrobe.self)
      case ..<40: try some(Coat.self)?.size = below(100)
      case ..<60:
        if let coat = try some(Coat.self) { coat.rack = try below(3) == 0 ? nil : some(Wardrobe.self) }
      case ..<66:
        if let rack = try some(Wardrobe.self), rack.coats.count > 1 { rack.coats.append(rack.coats.removeFirst()) }
      case ..<70: if let coat = try some(Coat.self) { context.delete(coat) }
      case ..<72: if let rack = try some(Wardrobe.self) { context.delete(rack) }
      case ..<76: context.rollback()
      case ..<78: contexts[below(3)] = ModelContext(container)
      default: do { try context.save() } catch is RoostError { context.rollback() }
      }
      let stored = ModelContext(container)
      for context in contexts {
        let racks = try context.fetch(FetchDescriptor<Wardrobe>())
        for coat in try context.fetch(FetchDescriptor<Coat>()) {
          let identifier = coat.persistentModelID
          // A model that another context deleted waits for the save, which decides.
          if identifier.storeIdentifier != nil, try stored.existingModel(for: identifier) as Coat? == nil { continue }
          for rack in racks where rack.coats.contains(coat) != (coat.rack === rack) {
            Issue.record("seed \(seed), step \(step): \(coat) and \(rack) do not agree")
          }
        }
      }
    }
  }
}
