import RoostFile
import RoostPages
import RoostQuery
import RoostRecords
import SwiftData
import Testing

@testable import RoostGraph

/// Objects live as long as they are used.
@Suite struct LifetimeTests {
  private func all<Model: PersistentModel>(_ context: GraphContext, _ model: Model.Type) throws -> [Model] {
    try context.fetchStored(Query(Model._$type.name), as: model)
  }

  private func living(_ context: GraphContext) -> Int { context.objects.all.count }

  @Test func `appending in chunks does not grow memory`() throws {
    // Ten times the limit. Each chunk reads every list again, so the work grows with the square of
    // the chunks.
    let (chunks, size) = (40, 500)
    let store = try SchoolStore.make()
    let context = GraphContext(store)
    context.links.ledger = LinkLedger(most: 2000)
    for number in 0..<10 { try context.insert(School("\(number)")) }
    try context.save(.relaxed)
    var most = 0
    for chunk in 0..<chunks {
      let schools = try all(context, School.self)
      for number in 0..<size { schools[number % 10].pupils.append(Pupil("\(chunk) \(number)")) }
      try context.save(.relaxed)
      most = max(most, living(context))
    }
    // A list stays complete while a program appends to it; after the save it may be unloaded.
    #expect(most <= 2000 + 11)
    context.links.unloadLists()
    #expect(living(context) <= 12)
    #expect(try all(context, School.self).reduce(0) { $0 + $1.pupils.count } == chunks * size)
    context.close()
  }

  @Test func `inserting in chunks does not grow memory`() throws {
    #if DEBUG
      let (chunks, size) = (40, 500)
    #else
      let (chunks, size) = (200, 1000)
    #endif
    let store = try SchoolStore.make()
    let context = GraphContext(store)
    context.links.ledger = LinkLedger(most: 2000)
    var most = 0
    for chunk in 0..<chunks {
      // Schools that are filled one after the other, as albums are.
      let school = School("\(chunk)")
      try context.insert(school)
      for number in 0..<size { school.pupils.append(Pupil("\(chunk) \(number)")) }
      try context.save(.relaxed)
      most = max(most, living(context))
    }
    #expect(most <= 2000 + 2 * size + 20)
    context.close()
  }

  @Test func `unused objects are released`() throws {
    let store = try SchoolStore.make()
    let context = GraphContext(store)
    let school = School("Hill")
    for number in 0..<100 { school.pupils.append(Pupil("\(number)")) }
    try context.insert(school)
    try context.save()
    context.reset()
    do {
      let pupils = try all(context, Pupil.self)
      #expect(pupils.allSatisfy { $0.school === school })
      withExtendedLifetime(pupils) { #expect(living(context) == 101) }
    }
    #expect(living(context) == 1)
    context.close()
  }

  @Test func `last references are released on another thread while relationships are followed`() throws {
    let store = try SchoolStore.make()
    let context = GraphContext(store)
    for number in 0..<20 {
      let school = School("\(number)")
      for at in 0..<10 { school.pupils.append(Pupil("\(number) \(at)")) }
      try context.insert(school)
    }
    try context.save()
    context.reset()
    let box = Shelf()
    let thread = try RoostFile.Thread { while box.takeOne() {} }
    var count = 0
    for _ in 0..<60 {
      for pupil in try all(context, Pupil.self) {
        if let school = pupil.school {
          count += school.name.isEmpty ? 0 : 1
          box.put(school)
        }
        box.put(pupil)
      }
    }
    box.finish()
    thread.join()
    #expect(count == 60 * 200)
    context.close()
  }

  #if DEBUG
    /// Without an inverse, only the list itself knows its members.
    @Test func `appending stored objects to a list without an inverse searches it once`() throws {
      let plans = [
        ModelPlan(Pupil._$type),
        ModelPlan(Club._$type, relationships: [RelationshipPlan("members", to: "Pupil", isToMany: true)]),
      ]
      let context = GraphContext(try GraphStore(inMemory: StoreOptions(), plans))
      let (club, pupils) = (Club("chess"), (0..<1000).map { Pupil("\($0)") })
      try context.insert(club)
      for pupil in pupils { try context.insert(pupil) }
      try context.save()
      for pupil in pupils { club.members.append(pupil) }
      let list = try #require(context.links.ledger.lists.values.first)
      #expect(list.rows == pupils.map { $0._$state.row })
      // 64 searches of short lists, and one that makes the index.
      #expect(list.searchedRows < 64 * 64)
      try context.save()
      context.close()
    }

    /// Each new member searches the list of its unloaded owner. Before, 10,000 of them took quadratic
    /// time.
    @Test func `new members of a list that is not loaded search it once`() throws {
      let store = try SchoolStore.make()
      let first = GraphContext(store)
      try first.insert(Club("chess"))
      try first.save()
      let context = GraphContext(store)
      let club = try #require(all(context, Club.self).first)
      let pupils = (0..<1000).map { Pupil("\($0)") }
      for pupil in pupils {
        try context.insert(pupil)
        pupil.clubs = [club]
        #expect(pupil.clubs.first === club)
      }
      let edit = try #require(context.links.ledger.edits.values.first { $0.owner === club })
      #expect(edit.added == pupils.map { $0._$state.row })
      #expect(edit.searchedRows <= 64 * 64)
      try context.save()
      #expect(club.members.count == 1000)
      context.close()
    }
  #endif

  /// An object keeps its context, the table of objects and the links alive, which its accessors
  /// need.
  @Test(arguments: [false, true]) func `an object keeps its context`(isClosed: Bool) throws {
    let store = try SchoolStore.make()
    let first = GraphContext(store)
    let school = School("Hill")
    school.pupils.append(Pupil("Ann"))
    try first.insert(school)
    try first.save()
    first.close()
    weak var context: GraphContext?
    func read() throws -> Pupil {
      let made = GraphContext(store)
      context = made
      let pupil = try #require(all(made, Pupil.self).first)
      if isClosed { made.close() }
      return pupil
    }
    do {
      let pupil = try read()
      #expect(context != nil && pupil.graphContext === context)
      // The first object of another class needs a new origin, which the table makes for its
      // context.
      let found = try #require(pupil.school)
      #expect(found.name == "Hill" && found.pupils.map(\.name) == ["Ann"] && found.graphContext === context)
      if !isClosed { context?.close() }
    }
    #expect(context == nil)
  }

  @Test func `a long chain of unsaved objects is released without recursion`() throws {
    #if DEBUG
      let length = 100_000
    #else
      let length = 1_000_000
    #endif
    let context = GraphContext(try SchoolStore.make())
    weak var end: Pupil?
    do {
      var last = Pupil("first")
      end = last
      for number in 1..<length {
        let next = Pupil("\(number)")
        next.mentor = last
        last = next
      }
      #expect(last.mentor != nil)
    }
    #expect(end == nil)
    do {
      var last = Pupil("first")
      end = last
      try context.insert(last)
      for number in 1..<1000 {
        let next = Pupil("\(number)")
        next.mentor = last
        try context.insert(next)
        last = next
      }
      context.rollback()
    }
    #expect(end == nil && living(context) == 0)
    context.close()
  }
}
