import Foundation
import RoostImport
import SwiftData
import Testing

/// `validate` of models at the other side of a relationship: each model that a write changes is asked, also if only its list changed.
@Suite struct NeighbourRuleTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Hutch.self, HutchKey.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    let (home, spare) = (Hutch("home", size: 2, least: 1), Hutch("spare", size: 1))
    context.insert(home)
    context.insert(spare)
    home.rabbits = [Rabbit("ann")]
    spare.rabbits = [Rabbit("bob")]
    try context.save()
  }

  private func hutch(_ name: String, _ context: ModelContext) throws -> Hutch {
    try #require(try context.fetch(FetchDescriptor<Hutch>(predicate: #Predicate { $0.name == name })).first)
  }

  private func rabbit(_ name: String, _ context: ModelContext) throws -> Rabbit {
    try #require(try context.fetch(FetchDescriptor<Rabbit>(predicate: #Predicate { $0.name == name })).first)
  }

  private func stored() throws -> [String: String] {
    let all = try ModelContext(container).fetch(FetchDescriptor<Rabbit>())
    return Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.hutch?.name ?? "-") })
  }

  private let before = ["ann": "home", "bob": "spare"]

  /// Expects that a write is refused by `validate`, with these details, and stores nothing.
  private func expectRefusal(
    _ details: [String], sourceLocation: SourceLocation = #_sourceLocation, _ write: () throws -> Void
  ) throws {
    let error = #expect(throws: RoostError.self, sourceLocation: sourceLocation) { try write() }
    #expect(error?.code == .invalid, sourceLocation: sourceLocation)
    #expect(error?.faults.map(\.detail).sorted() == details, sourceLocation: sourceLocation)
    #expect(try stored() == before, sourceLocation: sourceLocation)
  }

  // MARK: Other contexts

  @Test(arguments: [true, false], ModelContext.MergePolicy.allCases)
  func `an owner's rule holds if two contexts remove its members`(
    deletes: Bool, policy: ModelContext.MergePolicy
  ) throws {
    try hutch("home", context).rabbits.append(Rabbit("cat"))
    try context.save()
    let late = ModelContext(container)
    late.automaticallyMergesChanges = false
    late.mergePolicy = policy
    let (home, cat) = (try hutch("home", late), try rabbit("cat", late))
    #expect(home.rabbits.count == 2)
    if deletes { late.delete(cat) } else { home.rabbits.removeAll { $0 === cat } }
    context.delete(try rabbit("ann", context))
    try context.save()
    let error = #expect(throws: RoostError.self) { try late.save() }
    #expect(error?.code == .invalid)
    #expect(try stored() == ["bob": "spare", "cat": "home"])
  }

  // MARK: Deletions

  @Test(arguments: [false, true]) func `a deletion asks those whose lists lose a model`(isLoaded: Bool) throws {
    let other = ModelContext(container)
    let hutch = isLoaded ? try hutch("home", other) : nil
    if let hutch { #expect(hutch.rabbits.count == 1) }
    other.delete(try rabbit("ann", other))
    try expectRefusal(["empty: 0"]) { try other.save() }
    // All faults come together.
    other.insert(Rabbit("cid", try self.hutch("spare", other)))
    try expectRefusal(["empty: 0", "full: 2"]) { try other.save() }
    other.rollback()
    other.delete(try rabbit("bob", other))
    try other.save()
    #expect(try stored() == ["ann": "home"])
  }

  @Test func `a deletion asks those whose references become nil`() throws {
    try rabbit("bob", context).isShy = true
    try context.save()
    let other = ModelContext(container)
    other.delete(try hutch("spare", other))
    try expectRefusal(["bob needs a hutch"]) { try other.save() }
    // The rabbit gets another hutch, or goes too.
    try rabbit("bob", other).hutch = hutch("home", other)
    try other.save()
    #expect(try stored() == ["ann": "home", "bob": "home"])
  }

  @Test func `a deletion asks models that reference the deleted one without an inverse`() throws {
    context.insert(HutchKey(1, try hutch("spare", context)))
    try context.save()
    for context in [ModelContext(container), context] {
      context.delete(try hutch("spare", context))
      try expectRefusal(["key 1 opens nothing"]) { try context.save() }
      context.rollback()
    }
    try expectRefusal(["key 1 opens nothing"]) {
      try context.deleteAll(model: Hutch.self, where: #Predicate { $0.name == "spare" })
    }
    try context.fetch(FetchDescriptor<HutchKey>()).forEach(context.delete)
    context.delete(try hutch("spare", context))
    try context.save()
    #expect(try stored() == ["ann": "home", "bob": "-"])
  }

  @Test func `a merge asks the models that it moves members of`() throws {
    let other = ModelContext(container)
    other.insert(Rabbit("ann", try hutch("spare", other)))
    try hutch("spare", other).size = 5
    try expectRefusal(["empty: 0"]) { try other.save() }
    other.rollback()
    // The stored model has a rabbit, and the merged one has room for none.
    other.insert(Hutch("spare", size: 0))
    try expectRefusal(["full: 1"]) { try other.save() }
    other.rollback()
    try expectRefusal(["full: 1"]) { try other.insert(batch: [Hutch("spare", size: 0)]) }
    let importer = try container.importer(for: Hutch.self)
    #expect(throws: RoostError.self) { try importer.run(models: [Hutch("spare", size: 0)]) }
    #expect(try stored() == before)
  }

  @Test func `a merge asks the partner that it displaces`() throws {
    let container = try ModelContainer(
      for: GuardPost.self, GuardTower.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let (post, tower) = (GuardPost("a"), GuardTower(1))
    context.insert(post)
    context.insert(tower)
    post.tower = tower
    try context.save()
    let (merged, other) = (GuardPost("a"), GuardTower(2))
    context.insert(merged)
    context.insert(other)
    merged.tower = other
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.faults.map(\.detail) == ["a tower needs a post"])
    let towers = try ModelContext(container).fetch(FetchDescriptor<GuardTower>())
    #expect(towers.map(\.number) == [1] && towers.first?.post?.code == "a")
  }

  @Test(arguments: [false, true]) func `a reference to a model that another context deletes is asked again`(
    isNew: Bool
  ) throws {
    let far = Hutch("far", size: 2)
    context.insert(far)
    try rabbit("bob", context).isShy = true
    try context.save()
    let other = ModelContext(container)
    if isNew {
      let shy = Rabbit("eve", try hutch("far", other))
      shy.isShy = true
      other.insert(shy)
    } else {
      try rabbit("bob", other).hutch = hutch("far", other)
    }
    context.delete(far)
    try context.save()
    try expectRefusal(["\(isNew ? "eve" : "bob") needs a hutch"]) { try other.save() }
  }

  @Test func `a deletion that a rule takes along asks the others`() throws {
    let tag = HutchTag("used")
    try hutch("spare", context).tags = [tag]
    try hutch("spare", context).bells = [HutchBell(1)]
    try context.save()
    context.delete(try hutch("spare", context))
    try expectRefusal(["unused"]) { try context.save() }
    context.delete(tag)
    try context.save()
    #expect(try stored() == ["ann": "home", "bob": "-"])
  }

  @Test func `a deletion of what is not loaded asks too`() throws {
    let home = try hutch("home", context)
    home.name = "bells"
    home.bells = [HutchBell(1)]
    try context.save()
    let other = ModelContext(container)
    try other.fetch(FetchDescriptor<HutchBell>()).forEach(other.delete)
    try expectRefusalOfBells { try other.save() }
    other.rollback()
    try expectRefusalOfBells { try other.deleteAll(model: HutchBell.self) }
    try expectRefusalOfBells { try other.deleteAll(model: HutchBell.self, where: #Predicate { $0.tone == 1 }) }
  }

  private func expectRefusalOfBells(_ write: () throws -> Void) throws {
    let error = #expect(throws: RoostError.self) { try write() }
    #expect(error?.faults.map(\.detail) == ["bells: 0"])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<HutchBell>()) == 1)
  }

  // MARK: Bulk writes

  @Test func `bulk deletions ask`() throws {
    try expectRefusal(["empty: 0"]) { try context.deleteAll(model: Rabbit.self) }
    try expectRefusal(["empty: 0"]) {
      try context.deleteAll(model: Rabbit.self, where: #Predicate { $0.name == "ann" })
    }
    try rabbit("bob", context).isShy = true
    try context.save()
    try expectRefusal(["bob needs a hutch"]) {
      try context.deleteAll(model: Hutch.self, where: #Predicate { $0.name == "spare" })
    }
    try context.deleteAll(model: Rabbit.self, where: #Predicate { $0.name == "bob" })
    #expect(try stored() == ["ann": "home"])
  }

  @Test func `bulk updates of references ask both sides`() throws {
    let spare = try hutch("spare", context)
    try expectRefusal(["empty: 0", "full: 2"]) { try context.update(model: Rabbit.self) { $0.hutch = spare } }
    try expectRefusal(["empty: 0"]) { try context.update(model: Rabbit.self) { $0.hutch = nil } }
    let home = try hutch("home", context)
    try context.update(model: Rabbit.self) { $0.hutch = home }
    #expect(try stored() == ["ann": "home", "bob": "home"])
  }

  @Test func `a batch asks the models that it adds to`() throws {
    try expectRefusal(["full: 2"]) { try context.insert(batch: [Rabbit("cid", Hutch("spare", size: 1))]) }
    let spare = try hutch("spare", context)
    try expectRefusal(["full: 2"]) {
      try context.insert(batch: [Rabbit("cid", spare)])
      try context.save()
    }
    context.rollback()
    // Nobody is called before the end of the batch: the two together are one too many.
    try expectRefusal(["full: 3"]) {
      try context.insert(batch: [Rabbit("cid", Hutch("home")), Rabbit("dot", Hutch("home"))])
    }
    try expectRefusal(["full: 1"]) { try context.insert(batch: [Rabbit("cid", Hutch("tiny", size: 0))]) }
    try context.insert(batch: [Rabbit("cid", Hutch("home"))])
    #expect(try stored() == ["ann": "home", "bob": "spare", "cid": "home"])
  }

  // MARK: Imports

  @Test func `an import of models leaves out what the other side refuses`() throws {
    var importer = try container.importer(for: Rabbit.self)
    importer.options.badRecords = .skip(upTo: 9)
    let report = try importer.run(models: [
      Rabbit("cid", Hutch("spare", size: 1)), Rabbit("dot", Hutch("home")), Rabbit("eve", Hutch("home")),
      Rabbit("bob", Hutch("tiny", size: 0)),
    ])
    #expect(report.progress.inserted == 1 && report.progress.bad == 3)
    #expect(try stored() == ["ann": "home", "bob": "spare", "dot": "home"])
  }

  @Test func `an import of text leaves out what the other side refuses`() throws {
    var importer = try container.importer(for: Rabbit.self)
    importer.options.badRecords = .skip(upTo: 9)
    importer.options.conflict = .update
    let records = ["cid,1,false,spare", "dot,1,false,home", "eve,1,false,home", "ann,2,false,", "bob,3,false,"]
    let text = (["name,age,isShy,hutch"] + records).joined(separator: "\n")
    let report = try importer.run(.text(text, .csv))
    #expect(report.faults.map(\.reason) == [.invalid, .invalid])
    #expect(report.faults.map { $0.record.prefix(3) } == ["cid", "eve"])
    #expect(try stored() == ["ann": "-", "bob": "-", "dot": "home"])
  }

  // MARK: Other contexts

  @Test func `two contexts that take one each are asked one after the other`() throws {
    let home = try hutch("home", context)
    home.rabbits.append(Rabbit("cid"))
    try context.save()
    let (one, two) = (ModelContext(container), ModelContext(container))
    two.automaticallyMergesChanges = false
    let (ann, cid) = (try rabbit("ann", one), try rabbit("cid", two))
    _ = try hutch("home", two).rabbits.count
    one.delete(ann)
    two.delete(cid)
    try one.save()
    let error = #expect(throws: RoostError.self) { try two.save() }
    #expect(error?.faults.map(\.detail) == ["empty: 0"])
    #expect(try stored() == ["bob": "spare", "cid": "home"])
  }

  @Test func `a changed model whose list another context shortened is asked with both`() throws {
    let home = try hutch("home", context)
    home.rabbits.append(Rabbit("cid"))
    try context.save()
    let (one, two) = (ModelContext(container), ModelContext(container))
    two.automaticallyMergesChanges = false
    // The list goes from two to one in each of the two.
    try rabbit("cid", two).hutch = nil
    one.delete(try rabbit("ann", one))
    try one.save()
    let error = #expect(throws: RoostError.self) { try two.save() }
    #expect(error?.faults.map(\.detail) == ["empty: 0"])
    #expect(try stored() == ["bob": "spare", "cid": "home"])
  }

  @Test func `a child context asks`() throws {
    let child = try ModelContext(parent: context)
    child.delete(try rabbit("ann", child))
    #expect(throws: RoostError.self) {
      try child.save()
      try context.save()
    }
    #expect(try stored() == before)
  }
}
