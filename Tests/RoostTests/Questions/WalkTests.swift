import Foundation
import RoostTestSupport
import SwiftData
import Testing

@Model final class Offshoot {
  var name: String
  var parent: Offshoot?
  @Relationship(inverse: \Offshoot.parent) var shoots: [Offshoot] = []

  init(_ name: String, parent: Offshoot? = nil) {
    self.name = name
    self.parent = parent
  }
}

/// Walks along a relationship between models of one class.
@Suite struct WalkTests {
  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: Offshoot.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  private func shoot(_ name: String, in context: ModelContext) throws -> Offshoot {
    try #require(try context.fetch(FetchDescriptor<Offshoot>(predicate: #Predicate { $0.name == name })).first)
  }

  @Test func `all models below a model are found, and all above it`() throws {
    let writer = try context()
    let root = Offshoot("root")
    writer.insert(root)
    for first in ["a", "b"] {
      let one = Offshoot(first, parent: root)
      for second in 1...3 { _ = Offshoot("\(first)\(second)", parent: one) }
    }
    try writer.save()
    let context = ModelContext(writer.container)
    let found = try context.descendants(of: shoot("root", in: context), along: \.shoots)
    #expect(
      found.map { "\($0.model.name) \($0.depth)" } == ["a 1", "b 1", "a1 2", "a2 2", "a3 2", "b1 2", "b2 2", "b3 2"])
    #expect(try context.descendants(of: shoot("root", in: context), along: \.shoots, atMost: 1).count == 2)
    #expect(try context.descendants(of: shoot("root", in: context), along: \.shoots, atMost: 0).isEmpty)
    #expect(try context.descendants(of: shoot("b2", in: context), along: \.shoots).isEmpty)
    #expect(try context.ancestors(of: shoot("b2", in: context), along: \.parent).map(\.name) == ["b", "root"])
    #expect(try context.ancestors(of: shoot("b2", in: context), along: \.parent, atMost: 1).map(\.name) == ["b"])
    // Unsaved changes count.
    let moved = try shoot("b", in: context)
    moved.parent = try shoot("a3", in: context)
    #expect(
      try context.ancestors(of: shoot("b2", in: context), along: \.parent).map(\.name) == ["b", "a3", "a", "root"])
    #expect(try context.descendants(of: shoot("a3", in: context), along: \.shoots).map(\.depth) == [1, 2, 2, 2])
    let error = #expect(throws: RoostError.self) { try context.ancestors(of: root, along: \.parent) }
    #expect(error?.code == .foreign)
    #expect(throws: RoostError.self) { try context.ancestors(of: moved, along: \.parent, atMost: -1) }
  }

  @Test func `a cycle is walked once`() throws {
    let context = try context()
    let shoots = (0..<3).map { Offshoot("\($0)") }
    for shoot in shoots { context.insert(shoot) }
    for number in 0..<3 { shoots[number].parent = shoots[(number + 1) % 3] }
    for _ in 0..<2 {
      #expect(try context.ancestors(of: shoots[0], along: \.parent).map(\.name) == ["1", "2"])
      #expect(
        try context.descendants(of: shoots[0], along: \.shoots).map { "\($0.model.name) \($0.depth)" } == [
          "2 1", "1 2",
        ])
      try context.save()
    }
    shoots[1].parent = shoots[1]
    #expect(try context.ancestors(of: shoots[1], along: \.parent).isEmpty)
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>) func `walks equal loops over arrays`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let context = try context()
    let shoots = (0..<200).map { Offshoot("\($0)") }
    for shoot in shoots { context.insert(shoot) }
    var parents = [Int?](repeating: nil, count: 200)
    for round in 0..<6 {
      for _ in 0..<60 {
        let (number, other) = (Int(random.next() % 200), Int(random.next() % 200))
        parents[number] = random.next() % 8 == 0 ? nil : other
        shoots[number].parent = parents[number].map { shoots[$0] }
      }
      if random.next() % 2 == 0 { try context.save() }
      let start = Int(random.next() % 200)
      var depths: [Int: Int] = [:]
      var level = [start]
      for depth in 1...200 {
        level = parents.indices.filter { number in
          parents[number].map { level.contains($0) } == true && number != start && depths[number] == nil
        }
        for number in level { depths[number] = depth }
      }
      let found = try context.descendants(of: shoots[start], along: \.shoots)
      #expect(
        Dictionary(uniqueKeysWithValues: found.map { (Int($0.model.name) ?? -1, $0.depth) }) == depths,
        "seed \(seed), round \(round)")
      var (above, next): ([Int], Int?) = ([], parents[start])
      while let one = next, one != start, !above.contains(one) {
        above.append(one)
        next = parents[one]
      }
      #expect(try context.ancestors(of: shoots[start], along: \.parent).map { Int($0.name) ?? -1 } == above)
    }
  }
}
