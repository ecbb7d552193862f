import RoostFile
import RoostPages
import RoostQuery
import RoostRecords
import Testing

@testable import RoostGraph

/// Objects through a context, without the macro.
@Suite struct ContextTests {
  private func store() throws -> GraphStore {
    try GraphStore(inMemory: StoreOptions(), [ModelPlan(Item._$type, uniques: [["name"]], indexes: [["count"]])])
  }

  private func names(_ context: GraphContext) throws -> [String] {
    let map = try #require(context.store.map(of: Item.self))
    let field = try #require(map.entity.field("name"))
    return try context.fetchStored(Query("Item", by: [Order(.field(.row, field.id))]), as: Item.self).map(\.name)
  }

  @Test func `inserted and saved objects are found again`() throws {
    let store = try store()
    let context = GraphContext(store)
    let one = Item("one", count: 1, note: "a note")
    try context.insert(one)
    try context.insert(Item("two"))
    #expect(context.changes.hasChanges)
    #expect(one._$state.row == 1)
    try context.save()
    #expect(!context.changes.hasChanges)
    one.count = 5
    #expect(context.changes.hasChanges)
    try context.save()
    let other = GraphContext(store)
    #expect(try names(other) == ["one", "two"])
    let found = try #require(try other.item(1))
    #expect(found !== one && found.name == "one" && found.count == 5 && found.note == "a note")
    context.close()
    other.close()
    try store.close()
  }

  @Test func `a row has one object as long as it is used`() throws {
    let store = try store()
    let context = GraphContext(store)
    try context.insert(Item("one"))
    try context.save()
    do {
      let first = try context.fetchStored(Query("Item"), as: Item.self)[0]
      let second = try context.fetchStored(Query("Item"), as: Item.self)[0]
      #expect(first === second)
    }
    #expect(context.registeredItem(1) == nil)
    context.close()
  }

  @Test func `objects show the changes of others after the next fetch`() throws {
    let store = try store()
    let (one, two) = (GraphContext(store), GraphContext(store))
    try one.insert(Item("a", count: 1))
    try one.save()
    let mine = try #require(try one.fetchStored(Query("Item"), as: Item.self).first)
    let theirs = try #require(try two.fetchStored(Query("Item"), as: Item.self).first)
    mine.count = 2
    theirs.note = "theirs"
    #expect(theirs.count == 1)
    try one.save()
    #expect(theirs.count == 1)
    try two.save()
    #expect(theirs.count == 2 && theirs.note == "theirs")
    _ = try one.fetchStored(Query("Item"), as: Item.self)
    #expect(mine.count == 2 && mine.note == "theirs")
    one.close()
    two.close()
  }

  @Test func `rollback discards all changes`() throws {
    let store = try store()
    let context = GraphContext(store)
    let kept = Item("kept")
    try context.insert(kept)
    try context.save()
    let new = Item("new")
    try context.insert(new)
    kept.count = 9
    context.rollback()
    #expect(!context.changes.hasChanges && kept.count == 0)
    #expect(new._$state.row == 0 && new.name == "new")
    new.count = 3
    try context.delete(kept)
    context.rollback()
    try context.save()
    #expect(try names(context) == ["kept"])
    context.close()
  }

  @Test func `a deleted object keeps its last values`() throws {
    let store = try store()
    let context = GraphContext(store)
    let item = Item("gone", count: 4)
    try context.insert(item)
    try context.save()
    try context.delete(item)
    try context.save()
    #expect(try names(context) == [])
    #expect(item.name == "gone" && item.count == 4)
    context.close()
  }

  @Test func `a save that throws changes nothing`() throws {
    let store = try store()
    let context = GraphContext(store)
    try context.insert(Item("same"))
    try context.insert(Item("same"))
    context.saver.uniquePolicy = .always(.refuse)
    let refusal = #expect(throws: SaveRefusal.self) { try context.save() }
    #expect(refusal?.faults.map(\.code) == [.notUnique])
    #expect(context.changes.hasChanges)
    let other = GraphContext(store)
    #expect(try names(other) == [])
    context.close()
    other.close()
  }

  @Test func `objects are released on any thread while rows are looked up`() throws {
    let store = try store()
    let context = GraphContext(store)
    for number in 0..<200 { try context.insert(Item("\(number)", count: number)) }
    try context.save()
    let box = Shelf()
    let thread = try RoostFile.Thread { while box.takeOne() {} }
    var sum = 0
    for _ in 0..<300 {
      for item in try context.fetchStored(Query("Item"), as: Item.self) {
        sum += item.count
        box.put(item)
      }
    }
    box.finish()
    thread.join()
    #expect(sum == 300 * 199 * 100)
    context.close()
  }
}

extension GraphContext {
  fileprivate func registeredItem(_ row: UInt64) -> Item? {
    store.map(of: Item.self).flatMap { objects.registered($0, RowID(row)) } as? Item
  }

  fileprivate func item(_ row: UInt64) throws -> Item? {
    try store.map(of: Item.self).flatMap { try existing($0, RowID(row)) } as? Item
  }
}
