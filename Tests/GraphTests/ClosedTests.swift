import Roost
import RoostFile
import RoostRecords
import RoostTestSupport
import Testing

@testable import RoostGraph

/// Closed contexts and stores.
@Suite struct ClosedTests {
  @Test func `every call on a closed container throws that it is closed`() throws {
    let door = try DoorStore()
    let school = School("Hill")
    do {
      let context = ModelContext(door.container)
      context.insert(school)
      try context.save()
    }
    let identifier = school.persistentModelID
    try door.store.close()
    let context = ModelContext(door.container)
    for call in 0..<4 {
      context.insert(Club("chess"))
      let fresh = ModelContext(door.container)
      let error = #expect(throws: RoostError.self, "call \(call)") {
        switch call {
        case 0: _ = try fresh.fetch(FetchDescriptor<School>())
        case 1: try context.save()
        case 2: _ = try fresh.existingModel(for: identifier) as School?
        default: _ = try fresh.fetchCount(FetchDescriptor<School>())
        }
      }
      #expect(error?.code == .closed && error?.description.contains("store") == true, "\(String(describing: error))")
      #expect(error?.description.contains("again") == true, "\(String(describing: error))")
    }
    #expect(ModelContext(door.container).model(for: identifier).isDeleted)
    #expect(school.name == "Hill")
    context.rollback()
  }

  @Test func `a closed context reads nothing and holds nothing`() throws {
    let store = try SchoolStore.make()
    let context = GraphContext(store)
    try context.insert(School("Hill"))
    try context.save()
    context.close()
    let map = try #require(store.map(of: School.self))
    #expect(context.existingQuietly(map, RowID(1)) == nil)
    #expect(context.session.seenCommit == nil)
    let fault = #expect(throws: GraphFault.self) { try context.existing(map, RowID(1)) }
    #expect(fault?.code == .closed)
  }

  @Test func `a placeholder model cannot be deleted`() throws {
    let store = try SchoolStore.make()
    let context = GraphContext(store)
    try context.insert(School("Hill"))
    try context.save()
    context.reset()
    let map = try #require(store.map(of: School.self))
    let dead = context.objects.deadObject(map, RowID(1))
    try context.delete(dead)
    #expect(!context.changes.hasChanges && context.deletedRows.isEmpty)
    try context.save()
    #expect(try context.existing(map, RowID(1)) != nil)
    context.close()
  }

  @Test func `only the holder of the turn looks for an equal model`() throws {
    let store = try SchoolStore.make()
    let context = GraphContext(store)
    // Unsafe, because the test shares a context between threads.
    nonisolated(unsafe) let shared = context
    try RoostFile.Thread { _ = shared.session.lock.take(.saving) }.join()
    for call in 0..<2 {
      let fault = #expect(throws: GraphFault.self) {
        if call == 0 { _ = try context.existing(like: School("Hill")) } else { try context.checkUnique(School("Hill")) }
      }
      #expect(fault?.code == .twoThreads)
    }
    context.session.lock.give()
    context.close()
  }
}
