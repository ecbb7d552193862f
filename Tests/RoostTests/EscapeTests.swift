import SwiftData
import Testing

/// A model whose deinit runs a closure.
@Model final class Ward {
  var name: String
  @Relationship(inverse: \Bed.ward) var beds: [Bed] = []
  var best: Bed?

  init(_ name: String) { self.name = name }

  deinit { Ward.atEnd(self) }

  // Unsafe, because one test at a time sets it.
  nonisolated(unsafe) static var atEnd: (Ward) -> Void = { _ in }
}

@Model final class Bed {
  var number: Int
  var ward: Ward?

  init(_ number: Int) { self.number = number }
}

/// Values that a model's own `deinit` reads and changes do not keep it alive.
@Suite(.serialized) struct EscapeTests {
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(for: Ward.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let ward = Ward("north")
    ward.beds = [Bed(1), Bed(2)]
    ward.best = ward.beds[1]
    context.insert(ward)
    try context.save()
  }

  /// Releases a ward, which is a fault unless `reads` is true, and runs a closure in its deinit.
  private func end(_ context: ModelContext, reads: Bool, _ body: @escaping (Ward) -> Void) throws {
    let identifier = try #require(try context.fetchIdentifiers(FetchDescriptor<Ward>()).first)
    var count = 0
    weak var seen: Ward?
    do {
      let ward = try #require(try context.existingModel(for: identifier) as Ward?)
      seen = ward
      if !reads { context.reset() }
      Ward.atEnd = { ward in
        count += 1
        body(ward)
      }
    }
    #expect(count == 1 && seen == nil)
    Ward.atEnd = { _ in }
  }

  @Test func `the object of a bulk write's rows is released after them`() throws {
    let context = ModelContext(container)
    nonisolated(unsafe) var found: [String] = []
    Ward.atEnd = { ward in
      found.append("\(ward.name) \(ward.beds.count) \(ward.best == nil)")
      ward.name = "changed"
    }
    try context.update(model: Ward.self) { $0.beds.isEmpty ? () : ($0.best = nil) }
    Ward.atEnd = { _ in }
    #expect(found.count == 1)
    let stored = try ModelContext(container).fetch(FetchDescriptor<Ward>())
    #expect(stored.map(\.name) == ["north"] && stored.allSatisfy { $0.best == nil && $0.beds.count == 2 })
  }

  @Test(arguments: [false, true]) func `it reads its values and relationships`(reads: Bool) throws {
    let context = ModelContext(container)
    var found: [String] = []
    try end(context, reads: reads) { ward in
      found = ["\(ward.beds.map(\.number))", ward.name, "\(ward.best?.number ?? 0)", "\(ward.beds.count)"]
    }
    #expect(found == ["[1, 2]", "north", "2", "2"])
    let ward = try #require(try context.fetch(FetchDescriptor<Ward>()).first)
    #expect(ward.beds.count == 2 && ward.beds.allSatisfy { $0.ward === ward } && !context.hasChanges)
  }

  @Test(arguments: [false, true], 0..<4) func `the loss of its changes is reported`(reads: Bool, way: Int) throws {
    let context = ModelContext(container)
    try end(context, reads: reads) { ward in
      switch way {
      case 0: ward.name = "south"
      case 1: ward.beds.append(Bed(3))
      case 2: ward.beds = []
      default: ward.best = nil
      }
    }
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.description.contains("Ward 1.\(["name", "beds", "beds", "best"][way])") == true)
    try context.save()
    let ward = try #require(try context.fetch(FetchDescriptor<Ward>()).first)
    #expect(ward.name == "north" && ward.beds.map(\.number) == [1, 2] && ward.best?.number == 2)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Bed>()) == 2)
  }

  @Test func `a model that was never inserted may do anything`() throws {
    var found = 0
    Ward.atEnd = { ward in
      ward.beds.append(Bed(1))
      found = ward.beds.count
    }
    do { _ = Ward("loose") }
    Ward.atEnd = { _ in }
    #expect(found == 1)
  }
}
