import RoostPages
import RoostQuery
import RoostRecords
import Testing

@testable import RoostGraph

/// Contexts that changed the same property, and objects with the same unique values.
@Suite final class PolicyTests {
  private let store: GraphStore
  private let (here, there): (GraphContext, GraphContext)

  init() throws {
    store = try GraphStore(
      inMemory: StoreOptions(), [ModelPlan(Item._$type, uniques: [["name"]], indexes: [["count"]])])
    (here, there) = (GraphContext(store), GraphContext(store))
    try here.insert(Item("a", count: 1, note: "old"))
    try here.save()
  }

  deinit {
    here.close()
    there.close()
  }

  private func one(_ context: GraphContext) throws -> Item {
    try #require(try context.fetchStored(Query("Item"), as: Item.self).first)
  }

  private func rows() throws -> [String] {
    let context = GraphContext(store)
    defer { context.close() }
    let all = try context.fetchStored(Query("Item"), as: Item.self)
    return all.map { "\($0.name) \($0.count) \($0.note ?? "-")" }.sorted()
  }

  /// Changes the count in both contexts and saves one of them. With `fetches` the other one then
  /// shows that commit.
  private func conflict(_ policy: MergePolicy, fetches: Bool) throws -> (mine: Item, theirs: Item) {
    here.saver.mergePolicy = policy
    let (mine, theirs) = (try one(here), try one(there))
    mine.count = 2
    theirs.count = 3
    theirs.note = "new"
    try there.save()
    if fetches { _ = try one(here) }
    return (mine, theirs)
  }

  @Test(arguments: [false, true]) func `an error names both values and both versions`(fetches: Bool) throws {
    let (mine, _) = try conflict(.error, fetches: fetches)
    let refusal = #expect(throws: SaveRefusal.self) { try here.save() }
    let fault = try #require(refusal?.faults.first)
    #expect(refusal?.faults.count == 1)
    #expect(fault.code == .conflict && fault.entity == "Item" && fault.row == 1 && fault.property == "count")
    for part in ["was 1", "became 2", "stored 3", "commit"] { #expect(fault.detail.contains(part)) }
    #expect(here.changes.hasChanges && mine.count == 2)
    #expect(try rows() == ["a 3 new"])
    // The conflict can be resolved.
    here.saver.mergePolicy = .objectWins
    try here.save()
    #expect(try rows() == ["a 2 new"])
  }

  @Test(arguments: [false, true]) func `the store wins`(fetches: Bool) throws {
    let (mine, _) = try conflict(.storeWins, fetches: fetches)
    try here.save()
    #expect(mine.count == 3 && mine.note == "new" && !here.changes.hasChanges)
    #expect(here.saver.lastSave.conflicts.map(\.stored) == ["3"])
    #expect(try rows() == ["a 3 new"])
  }

  @Test(arguments: [false, true]) func `the object wins`(fetches: Bool) throws {
    let (mine, theirs) = try conflict(.objectWins, fetches: fetches)
    try here.save()
    #expect(mine.count == 2 && mine.note == "new")
    #expect(here.saver.lastSave.conflicts.map(\.here) == ["2"])
    _ = try one(there)
    #expect(theirs.count == 2)
    #expect(try rows() == ["a 2 new"])
  }

  @Test func `an object also overwrites properties that it did not change`() throws {
    let (mine, _) = try conflict(.overwrite, fetches: false)
    try here.save()
    #expect(mine.count == 2 && mine.note == "old")
    #expect(try rows() == ["a 2 old"])
  }

  @Test(arguments: [MergePolicy.error, .storeWins, .objectWins])
  func `an equal value is a conflict only for an error, another property never`(policy: MergePolicy) throws {
    here.saver.mergePolicy = policy
    let (mine, theirs) = (try one(here), try one(there))
    mine.count = 2
    theirs.count = 2
    theirs.note = "new"
    try there.save()
    if policy == .error {
      let refusal = #expect(throws: SaveRefusal.self) { try here.save() }
      #expect(refusal?.faults.map(\.property) == ["count"])
      here.rollback()
    } else {
      try here.save()
    }
    #expect(here.saver.lastSave.conflicts.isEmpty)
    #expect(try rows() == ["a 2 new"])
    mine.count = 4
    try there.insert(Item("b"))
    try there.save()
    try here.save()
    #expect(try rows() == ["a 4 new", "b 0 -"])
  }

  @Test(arguments: [MergePolicy.error, .storeWins, .objectWins, .overwrite])
  func `an object that was deleted elsewhere stays deleted`(policy: MergePolicy) throws {
    here.saver.mergePolicy = policy
    let mine = try one(here)
    mine.count = 7
    try there.delete(one(there))
    try there.save()
    if policy == .storeWins || policy == .objectWins {
      try here.save()
      #expect(here.saver.lastSave.dropped == [ObjectName("Item", 1)] && !here.changes.hasChanges)
      #expect(mine._$state.flags.contains(.gone) && mine.count == 7)
    } else {
      let refusal = #expect(throws: SaveRefusal.self) { try here.save() }
      #expect(refusal?.faults.first?.code == (policy == .error ? .conflict : .deleted))
      #expect(here.changes.hasChanges)
      try here.delete(mine)
      try here.save()
    }
    #expect(try rows() == [])
  }

  @Test func `an object that was changed elsewhere can be deleted, except with the error policy`() throws {
    here.saver.mergePolicy = .error
    let (mine, theirs) = (try one(here), try one(there))
    try here.delete(mine)
    theirs.count = 5
    try there.save()
    let refusal = #expect(throws: SaveRefusal.self) { try here.save() }
    #expect(refusal?.faults.first?.code == .conflict)
    here.saver.mergePolicy = .storeWins
    try here.save()
    #expect(try rows() == [])
  }

  @Test func `an object is not found by its row after the row is deleted`() throws {
    let map = try #require(store.map(of: Item.self))
    let mine = try one(here)
    try there.delete(one(there))
    try there.save()
    #expect(try here.existing(map, RowID(1)) == nil)
    #expect(mine.name == "a" && mine._$state.flags.contains(.gone))
  }

  // MARK: Unique values

  @Test func `a new object gets the row with its unique value`() throws {
    let mine = try one(there)
    let new = Item("a", count: 9, note: nil)
    try here.insert(new)
    let old = new._$state.row
    try here.save()
    // The context's own object of the row is no longer used, so the new one takes its place.
    #expect(new._$state.row == 1 && new.count == 9 && !here.changes.hasChanges)
    #expect(
      here.saver.lastSave.merges.map(\.existing.row) == [1] && here.saver.lastSave.merges.map(\.inserted.row) == [old])
    #expect(try rows() == ["a 9 -"])
    new.count = 10
    try here.save()
    _ = try one(there)
    #expect(mine.count == 10 && mine.note == nil)
    #expect(try one(here) === new)
    #expect(store.row(try #require(store.map(of: Item.self)), behind: old) == 1)
  }

  @Test func `the object that the row already has stays`() throws {
    let kept = try one(here)
    let new = Item("a", count: 9)
    try here.insert(new)
    try here.save()
    #expect(kept.count == 9 && new._$state.flags.contains(.gone) && new.count == 9)
    #expect(try one(here) === kept)
    #expect(throws: GraphFault.self) { try here.insert(new) }
  }

  @Test func `of two new objects, the row of the first gets the values of the last`() throws {
    let (first, second) = (Item("b", count: 1), Item("b", count: 2, note: "two"))
    try here.insert(first)
    try here.insert(second)
    try here.save()
    #expect(try rows() == ["a 1 old", "b 2 two"])
    #expect(first.count == 2 && second._$state.flags.contains(.gone))
  }

  @Test func `the row can stay, or take values that are not nil, or a closure decides`() throws {
    here.saver.uniquePolicy = .always(.keepExisting)
    let kept = Item("a", count: 5, note: "x")
    try here.insert(kept)
    try here.save()
    #expect(kept.count == 1 && kept.note == "old")
    here.saver.uniquePolicy = .always(.mergeNonNil)
    let merged = Item("a", count: 5)
    try here.insert(merged)
    try here.save()
    #expect(try rows() == ["a 5 old"])
    here.saver.uniquePolicy = .asks { new, old in
      guard let new = new as? Item, let old = old as? Item else { return .refuse }
      new.count += old.count
      return .upsert
    }
    try here.insert(Item("a", count: 10))
    try here.save()
    #expect(try rows() == ["a 15 -"])
    here.saver.uniquePolicy = .always(.refuse)
    let refused = Item("a", count: 0)
    try here.insert(refused)
    let refusal = #expect(throws: SaveRefusal.self) { try here.save() }
    let fault = try #require(refusal?.faults.first)
    #expect(fault.code == .notUnique && fault.property == "name" && fault.row == refused._$state.row)
    #expect(fault.others == [ObjectName("Item", 1)] && fault.detail.contains("\"a\""))
    refused.name = "c"
    try here.save()
    #expect(try rows() == ["a 15 -", "c 0 -"])
  }

  @Test func `a change to an existing unique value is refused`() throws {
    let other = Item("b")
    try here.insert(other)
    try here.save()
    other.name = "a"
    let refusal = #expect(throws: SaveRefusal.self) { try here.save() }
    #expect(refusal?.faults.first?.code == .notUnique && refusal?.faults.first?.others == [ObjectName("Item", 1)])
    #expect(try rows() == ["a 1 old", "b 0 -"])
    // It is allowed if the other object gives up its value or is deleted.
    try one(here).name = "c"
    try here.save()
    #expect(try rows() == ["a 0 -", "c 1 old"])
    let map = try #require(store.map(of: Item.self))
    try here.delete(try #require(try here.existing(map, RowID(1))))
    other.name = "c"
    try here.save()
    #expect(try rows() == ["c 0 -"])
  }

  @Test func `all errors are thrown together`() throws {
    here.saver.uniquePolicy = .always(.refuse)
    let (one, two) = (Item("a"), Item("b"))
    try here.insert(one)
    try here.insert(two)
    try here.insert(Item("b"))
    let refusal = #expect(throws: SaveRefusal.self) { try here.save() }
    #expect(refusal?.faults.count == 2)
    #expect(try rows() == ["a 1 old"])
  }
}
