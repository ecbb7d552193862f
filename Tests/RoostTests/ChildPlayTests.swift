import Foundation
import SwiftData
import Testing

/// A child context compared with a second context of the container.
@Suite struct ChildPlayTests {
  @Test(arguments: 0..<6) func `a save of a child merges as a save of a second context`(_ part: UInt64) throws {
    for seed in part * 40..<part * 40 + 40 {
      let plain = try ChildPlay(seed: seed, isChild: false)
      let child = try ChildPlay(seed: seed, isChild: true)
      #expect(plain.hasFailed == child.hasFailed, "seed \(seed): \(plain.story), \(child.story)")
      #expect(try plain.stored() == child.stored(), "seed \(seed): \(plain.story)")
    }
  }

  /// Before the fix, the child could not save.
  @Test func `a model that the parent moves to a new owner goes where the child moved it`() throws {
    let container = try Stock.container()
    let parent = ModelContext(container)
    let (part, first) = (Part("p"), Ware("a"))
    parent.insert(first)
    parent.insert(Ware("b"))
    first.parts = [part]
    try parent.save()
    let child = try ModelContext(parent: parent)
    let own: Part = try #require(try child.existingModel(for: part.persistentModelID))
    own.ware = try child.fetch(FetchDescriptor<Ware>(predicate: #Predicate { $0.code == "b" })).first
    let new = Ware("c")
    parent.insert(new)
    new.parts = [part]
    try child.save()
    #expect(part.ware?.code == "b" && new.parts.isEmpty)
    try parent.save()
    #expect(try Stock.wares(container)["b"]?.parts.map(\.name) == ["p"])
  }

  @Test(arguments: [false, true]) func `the parent's policy decides about a new model of the child`(
    throws refuses: Bool
  ) throws {
    let container = try Stock.container()
    let parent = ModelContext(container)
    let ware = Ware("a", title: "old", count: 1)
    parent.insert(ware)
    try parent.save()
    let child = try ModelContext(parent: parent)
    child.uniquePolicy = .throw
    child.insert(Ware("a", title: "new", count: 2))
    if refuses {
      parent.uniquePolicy = .throw
    } else {
      try parent.setUniquePolicy(.fields(\.title), for: Ware.self)
    }
    try child.save()
    #expect(ware.title == "old")
    if refuses {
      let error = #expect(throws: RoostError.self) { try parent.save() }
      #expect(error?.code == .notUnique)
      #expect(try Stock.wares(container)["a"]?.title == "old")
    } else {
      try parent.save()
      #expect(ware.title == "new" && ware.count == 1 && parent.lastSave.mergeCount == 1)
    }
  }
}
