import Foundation
import Roost
import RoostFile
import RoostTestSupport
import Testing

@testable import RoostGraph

/// A getter cannot throw. These tests check what it returns if there is no value, and which call
/// throws the error.
@Suite struct GetterTests {
  /// A container with a whole and its parts, reopened so that little of it is in memory.
  private func makeReopened(parts: Int = 3) throws -> DoorStore {
    let first = try DoorStore()
    do {
      let context = ModelContext(first.container)
      let whole = Thing("whole", owner: Pupil("Ann"))
      for number in 0..<parts { whole.parts.append(Thing("part \(number)", count: number + 1, owner: whole.owner)) }
      context.insert(whole)
      try context.save()
    }
    try first.store.close()
    return try DoorStore(first.files)
  }

  private func whole(_ context: ModelContext) throws -> Thing {
    try #require(try context.fetch(FetchDescriptor<Thing>(predicate: #Predicate { $0.whole == nil })).first)
  }

  /// Faults, whose rows are on other pages than the whole's.
  private func parts(_ context: ModelContext) throws -> [Thing] { try whole(context).parts }

  /// Makes all further reads of pages fail.
  private func breakReading(_ door: DoorStore) {
    door.files.inject(FaultRule(.read, path: "store.roost", .error(ErrorNumber.io), forever: true))
  }

  @Test func `values that cannot be read are defaults, and the save throws the error`() throws {
    let door = try makeReopened(parts: 300)
    let context = ModelContext(door.container)
    let part = try #require(parts(context).last)
    #expect(part._$state.flags.contains(.fault))
    breakReading(door)
    #expect(part.name == "nameless" && part.count == 0 && part.note == nil && part.kind == .second && part.tags == [])
    #expect(part._$state.flags.contains(.invalid))
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .store)
    door.files.clearFaults()
    // Nothing is written before the program rolls back changes that were based on such values.
    part.name = "changed"
    #expect(throws: RoostError.self) { try context.save() }
    context.rollback()
    #expect(part.name == "part 299" && part.count == 300 && part.kind == .first && part.tags == ["a"])
    try context.save()
  }

  @Test func `load throws the error that a getter hides, and does not change the context`() throws {
    let door = try makeReopened(parts: 300)
    let context = ModelContext(door.container)
    let part = try #require(parts(context).last)
    breakReading(door)
    let error = #expect(throws: RoostError.self) { try context.load(part) }
    #expect(error?.code == .store)
    try context.save()
    door.files.clearFaults()
    try context.load(part)
    #expect(part.name == "part 299")
    // Also after a getter has failed.
    let other = try #require(parts(context).dropLast().last)
    #expect(other.name == "part 298")
  }

  @Test func `relationships that cannot be read are nil or empty, and the save throws the error`() throws {
    let door = try makeReopened(parts: 300)
    let context = ModelContext(door.container)
    // A query without the index that finds its parts.
    let whole = try #require(
      try context.fetch(FetchDescriptor<Thing>(predicate: #Predicate { $0.name == "whole" })).first)
    breakReading(door)
    #expect(whole.parts.isEmpty)
    // A list that is not known is not changed.
    whole.parts.append(Thing("new", owner: Pupil("Bob")))
    #expect(throws: RoostError.self) { try context.save() }
    door.files.clearFaults()
    context.rollback()
    #expect(whole.parts.count == 300)
    #expect(try ModelContext(door.container).fetchCount(FetchDescriptor<Thing>()) == 301)
  }

  @Test func `a damaged page is an error and not a trap`() throws {
    let door = try makeReopened(parts: 300)
    let context = ModelContext(door.container)
    let parts = try parts(context)
    let file = try door.files.open("/store.roost", .write)
    let size = try file.size()
    var place: UInt64 = 8192
    while place < size {
      try [UInt8](repeating: 0xA5, count: 64).withUnsafeBytes { try file.write($0, at: place + 1000) }
      place += 4096
    }
    #expect(parts[299].name == "nameless" && parts[299].owner.name == "")
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .store)
  }

  @Test func `a model that outlives its context and its store keeps its values`() throws {
    let door = try makeReopened()
    var parts: [Thing] = []
    do {
      let context = ModelContext(door.container)
      parts = try self.parts(context)
      #expect(parts[0].name == "part 0")
    }
    // All three were read together.
    #expect(parts[0].name == "part 0" && parts[2].name == "part 2")
    #expect(parts[0].owner.name == "Ann")
    try door.store.close()
    #expect(parts[0].name == "part 0" && parts[0].whole == nil && parts[0].parts.isEmpty)
  }

  @Test func `deleted models keep their last values`() throws {
    let door = try makeReopened()
    var kept: [Thing] = []
    do {
      let context = ModelContext(door.container)
      kept = try parts(context)
      for part in kept { context.delete(part) }
      #expect(kept.map(\.count) == [1, 2, 3])
      try context.save()
      #expect(kept.map(\.count) == [1, 2, 3] && kept.allSatisfy(\.isDeleted))
      context.reset()
      #expect(kept.map(\.count) == [1, 2, 3] && kept[0].tags == ["a"])
    }
    #expect(kept.map(\.name) == ["part 0", "part 1", "part 2"])
  }

  @Test func `models that another context deleted keep their last values, and so do faults`() throws {
    let door = try makeReopened()
    let (mine, theirs) = (ModelContext(door.container), ModelContext(door.container))
    let third = ModelContext(door.container)
    let whole = try whole(mine)
    let parts = whole.parts
    let others = try self.parts(third)
    for part in try theirs.fetch(FetchDescriptor<Thing>(predicate: #Predicate { $0.whole != nil })) {
      theirs.delete(part)
    }
    try theirs.save()
    // A pinned snapshot still has it.
    #expect(others[0].name == "part 0" && !others[0].isDeleted)
    #expect(parts.allSatisfy { $0._$state.flags.contains(.fault) } && whole.parts.count == 3)
    mine.processPendingChanges()
    #expect(parts.map(\.name) == ["part 0", "part 1", "part 2"] && parts.allSatisfy(\.isDeleted))
    #expect(whole.parts.isEmpty && !whole.isDeleted)
    mine.reset()
    #expect(parts.map(\.count) == [1, 2, 3])
    try mine.save()
  }

  @Test func `a required relationship references the deleted object`() throws {
    let door = try makeReopened()
    let (mine, theirs) = (ModelContext(door.container), ModelContext(door.container))
    let whole = try whole(mine)
    let owner = whole.owner
    #expect(owner.name == "Ann")
    mine.delete(owner)
    #expect(whole.owner === owner && whole.owner.isDeleted)
    mine.rollback()
    #expect(whole.owner === owner && !owner.isDeleted)
    _ = theirs
  }

  @Test func `an identifier without a row gives a deleted model`() throws {
    let door = try makeReopened()
    let context = ModelContext(door.container)
    let part = try #require(parts(context).first)
    let identifier = part.persistentModelID
    context.delete(part)
    try context.save()
    let other = ModelContext(door.container)
    let dead = try #require(other.model(for: identifier) as? Thing)
    #expect(dead.isDeleted && dead.name == "nameless" && dead.kind == .second && dead.owner.isDeleted)
    #expect(try other.existingModel(for: identifier) as Thing? == nil)
    try other.save()
  }

  @Test func `a value without any default stops the program with its name and the remedy`() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let door = try GetterTests().makeReopened(parts: 300)
      let context = ModelContext(door.container)
      let part = try GetterTests().parts(context)[299]
      GetterTests().breakReading(door)
      withExtendedLifetime(context) { _ = part.sealed }
    }
    let said = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(said.contains("Thing") && said.contains(".sealed") && said.contains("load(_:)"))
  }
}
