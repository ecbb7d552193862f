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

  @Test(arguments: 0..<3) func `a child shows its parent's models after each save, rollback and undo`(
    _ part: UInt64
  ) throws {
    for seed in part * 40..<part * 40 + 40 {
      let play = try ChildPlay(threeFrom: seed)
      #expect(play.difference == nil, "seed \(seed): \(play.story)")
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

  // MARK: Later changes of the parent

  private func ware(_ code: String, _ context: ModelContext) throws -> Ware {
    try #require(try context.fetch(FetchDescriptor<Ware>(predicate: #Predicate { $0.code == code })).first)
  }

  /// A container with one ware, its parts and its seal.
  private func stock() throws -> (container: ModelContainer, parent: ModelContext, ware: Ware) {
    let container = try Stock.container()
    let parent = ModelContext(container)
    let (ware, group) = (Ware("a"), WareGroup("g"))
    parent.insert(ware)
    parent.insert(group)
    ware.parts = ["p", "q"].map { Part($0) }
    ware.seal = Seal(1)
    ware.group = group
    try parent.save()
    return (container, parent, ware)
  }

  /// Before the fix, the parts did not come back, and the child's save took them from the ware.
  @Test(arguments: 0..<4) func `models come back after the parent undoes the child's deletion`(_ way: Int) throws {
    let (container, parent, _) = try stock()
    if way % 2 == 1 { parent.undoManager = UndoManager() }
    let child = try ModelContext(parent: parent)
    let own = try ware("a", child)
    if way < 2 { child.delete(own) } else { child.delete(own.parts[1]) }
    try child.save()
    if way % 2 == 1 { parent.undoManager?.undo() } else { parent.rollback() }
    let again = try ware("a", child)
    #expect(again.parts.map(\.name) == ["p", "q"] && again.seal?.number == 1 && again.group?.name == "g")
    again.parts.append(Part("r"))
    try child.save()
    try parent.save()
    #expect(try Stock.wares(container)["a"]?.parts.map(\.name) == ["p", "q", "r"])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Part>()) == 3)
  }

  /// Before the fix, the child showed the seal in both wares.
  @Test(arguments: 0..<4) func `a new partner of the parent takes the former owner's place`(_ way: Int) throws {
    let (container, parent, ware) = try stock()
    let child = try ModelContext(parent: parent)
    let own = try self.ware("a", child)
    #expect(try child.fetch(FetchDescriptor<Seal>()).map(\.ware) == [own] && own.seal?.number == 1)
    let (new, seal) = (Ware("z"), ware.seal)
    parent.insert(new)
    if way % 2 == 0 { new.seal = seal } else { seal?.ware = new }
    if way > 1 { try parent.save() }
    // The answer contains the former owner, or it does not.
    if way == 0 { #expect(try child.fetch(FetchDescriptor<Ware>()).count == 2) }
    let other = try self.ware("z", child)
    #expect(own.seal == nil && other.seal?.number == 1 && other.seal?.ware == other)
    own.seal = Seal(2)
    try child.save()
    try parent.save()
    let stored = try Stock.wares(container)
    #expect(stored["a"]?.seal?.number == 2 && stored["z"]?.seal?.number == 1)
  }

  @Test func `a new model of the parent replaces the former partner`() throws {
    let (container, parent, ware) = try stock()
    let child = try ModelContext(parent: parent)
    let own = try self.ware("a", child)
    let former = try #require(own.seal)
    let new = Seal(2)
    parent.insert(new)
    new.ware = ware
    // The answer does not contain the former partner.
    let other = try #require(try child.fetch(FetchDescriptor<Seal>(predicate: #Predicate { $0.number == 2 })).first)
    #expect(other.ware == own && own.seal == other && former.ware == nil)
    former.number = 3
    try child.save()
    try parent.save()
    #expect(try Stock.wares(container)["a"]?.seal?.number == 2)
  }

  /// Before the fix, the new models lost the ware without an error.
  @Test(arguments: [false, true]) func `a reference to a merged model follows to the stored model`(
    throws fetches: Bool
  ) throws {
    let (container, parent, _) = try stock()
    let child = try ModelContext(parent: parent)
    let own = try ware("a", child)
    let (new, label) = (Ware("a"), WareLabel("l"))
    child.insert(new)
    let first = new.persistentModelID
    try child.save()
    let second = new.persistentModelID
    try parent.save()
    let (part, seal) = (Part("x"), Seal(3))
    for model in [part, label, seal] as [any PersistentModel] { child.insert(model) }
    part.ware = new
    seal.ware = new
    label.wares = [new]
    if fetches { _ = try ware("a", child) }
    try child.save()
    #expect(new.isDeleted && part.ware == own && label.wares == [own] && seal.ware == own)
    for identifier in [first, second] { #expect(try child.existingModel(for: identifier) as Ware? === own) }
    try parent.save()
    let stored = try #require(try Stock.wares(container)["a"])
    #expect(stored.parts.map(\.name) == ["p", "q", "x"] && stored.labels.count == 1 && stored.seal?.number == 3)
  }

  /// Before the fix, the new model stayed in the grandchild, and each of its saves threw.
  @Test(arguments: 0..<4) func `a grandchild follows a merge of its parent's parent`(_ way: Int) throws {
    let (container, parent, _) = try stock()
    let child = try ModelContext(parent: parent)
    let grandchild = try ModelContext(parent: child)
    let own = try ware("a", grandchild)
    let new = Ware("a", title: "new")
    grandchild.insert(new)
    let first = new.persistentModelID
    try grandchild.save()
    if way % 2 == 1 { _ = try grandchild.fetch(FetchDescriptor<Ware>()) }
    try child.save()
    if way > 1 { _ = try grandchild.fetch(FetchDescriptor<Ware>()) }
    try parent.save()
    #expect(try grandchild.fetch(FetchDescriptor<Ware>()) == [own])
    #expect(new.isDeleted && own.title == "new")
    #expect(try grandchild.existingModel(for: first) as Ware? === own)
    own.title = "later"
    for context in [grandchild, child, parent] { try context.save() }
    #expect(try Stock.wares(container)["a"]?.title == "later")
  }
}
