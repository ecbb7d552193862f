import RoostQuery
import RoostRecords
import SwiftData
import Testing

@testable import RoostGraph

/// Relationships: both sides agree at once and after a save, and the stored state is the visible
/// one.
@Suite struct LinkTests {
  private func all<Model: PersistentModel>(_ context: GraphContext, _ model: Model.Type) throws -> [Model] {
    try context.fetchStored(Query(Model._$type.name), as: model)
  }

  @Test func `a graph is inserted with any of its objects`() throws {
    let store = try SchoolStore.make()
    let context = GraphContext(store)
    let school = School("Hill")
    let ann = Pupil("Ann", school: school)
    let bob = Pupil("Bob")
    school.pupils.append(bob)
    ann.mentor = bob
    try context.insert(ann)
    #expect(ann.school === school && bob.school === school && ann.mentor === bob)
    #expect(Set(school.pupils.map(\.name)) == ["Ann", "Bob"])
    try context.save()
    let other = GraphContext(store)
    let found = try #require(try all(other, School.self).first)
    #expect(found.pupils.map(\.name) == school.pupils.map(\.name))
    #expect(found.pupils.allSatisfy { $0.school === found })
    #expect(found.pupils.first { $0.name == "Ann" }?.mentor?.name == "Bob")
    context.close()
    other.close()
  }

  @Test func `both sides agree at once`() throws {
    let context = GraphContext(try SchoolStore.make())
    let (hill, lake) = (School("Hill"), School("Lake"))
    let pupil = Pupil("Ann")
    for one in [hill, lake] { try context.insert(one) }
    try context.insert(pupil)
    pupil.school = hill
    #expect(hill.pupils.map(\.name) == ["Ann"])
    lake.pupils.append(pupil)
    #expect(pupil.school === lake && hill.pupils.isEmpty)
    lake.pupils = []
    #expect(pupil.school == nil)
    hill.pupils.append(pupil)
    pupil.school = hill
    #expect(hill.pupils.count == 1)
    try context.save()
    #expect(hill.pupils.count == 1 && pupil.school === hill && lake.pupils.isEmpty)
    context.close()
  }

  @Test func `a one-to-one reference moves from one partner to the next`() throws {
    let store = try SchoolStore.make()
    let context = GraphContext(store)
    let (hill, lake) = (School("Hill"), School("Lake"))
    let teacher = Teacher("T")
    for one in [hill, lake] { try context.insert(one) }
    teacher.leads = hill
    try context.insert(teacher)
    #expect(hill.head === teacher)
    lake.head = teacher
    #expect(teacher.leads === lake && hill.head == nil)
    try context.save()
    let other = GraphContext(store)
    let found = try #require(try all(other, Teacher.self).first)
    #expect(found.leads?.name == "Lake" && found.leads?.head === found)
    found.leads = nil
    #expect(try all(other, School.self).allSatisfy { $0.head == nil })
    try other.save()
    #expect(try all(context, School.self).allSatisfy { $0.head == nil })
    context.close()
    other.close()
  }

  @Test func `many-to-many lists keep the order of both sides`() throws {
    let store = try SchoolStore.make()
    let context = GraphContext(store)
    let clubs = ["chess", "choir", "judo"].map(Club.init)
    let pupils = ["Ann", "Bob", "Cid", "Dan"].map { Pupil($0) }
    for club in clubs { try context.insert(club) }
    clubs[0].members = [pupils[2], pupils[0]]
    pupils[0].clubs.append(clubs[1])
    #expect(pupils[2].clubs.map(\.title) == ["chess"])
    #expect(clubs[1].members.map(\.name) == ["Ann"])
    clubs[0].members.insert(pupils[3], at: 1)
    #expect(pupils[3].clubs.map(\.title) == ["chess"])
    pupils[0].clubs.append(clubs[0])
    try context.save()
    let other = GraphContext(store)
    let chess = try #require(try all(other, Club.self).first { $0.title == "chess" })
    #expect(chess.members.map(\.name) == ["Cid", "Dan", "Ann"])
    #expect(try all(other, Pupil.self).first { $0.name == "Ann" }?.clubs.map(\.title).sorted() == ["chess", "choir"])
    chess.members.remove(at: 0)
    chess.members.swapAt(0, 1)
    try other.save()
    _ = try all(context, Club.self)
    #expect(clubs[0].members.map(\.name) == ["Ann", "Dan"] && pupils[2].clubs.isEmpty)
    context.close()
    other.close()
  }

  @Test func `the order of a list stays after it is unloaded`() throws {
    let store = try SchoolStore.make()
    let context = GraphContext(store)
    let school = School("Hill")
    try context.insert(school)
    for name in ["a", "b", "c", "d"] { school.pupils.append(Pupil(name)) }
    try context.save()
    school.pupils.insert(Pupil("e"), at: 1)
    school.pupils.move("d", to: 0)
    try context.save()
    let other = GraphContext(store)
    #expect(try all(other, School.self).first?.pupils.map(\.name) == ["d", "a", "e", "b", "c"])
    context.close()
    other.close()
  }

  @Test func `a cascade is visible at once, and deleted objects leave the lists`() throws {
    let store = try SchoolStore.make()
    let context = GraphContext(store)
    let school = School("Hill")
    let club = Club("chess")
    for name in ["a", "b"] { school.pupils.append(Pupil(name)) }
    try context.insert(school)
    club.members = school.pupils
    try context.insert(club)
    try context.save()
    let first = school.pupils[0]
    try context.delete(first)
    #expect(school.pupils.map(\.name) == ["b"] && club.members.map(\.name) == ["b"])
    let second = school.pupils[0]
    try context.delete(school)
    #expect(club.members.isEmpty)
    try context.save()
    #expect(second.name == "b")
    #expect(try all(context, Pupil.self).isEmpty && all(context, School.self).isEmpty)
    #expect(try all(context, Club.self).map(\.title) == ["chess"])
    #expect(try store.records.verify().isSound)
    context.close()
  }

  @Test func `loaded lists do not keep their objects forever`() throws {
    let store = try SchoolStore.make()
    let context = GraphContext(store)
    weak var kept: Club?
    do {
      let club = Club("chess")
      let pupil = Pupil("Ann")
      club.members = [pupil]
      try context.insert(club)
      try context.save()
      #expect(pupil.clubs.count == 1 && club.members.count == 1)
      kept = club
    }
    context.close()
    #expect(kept == nil)
  }

  @Test func `a new object's list is used while another list is being changed`() throws {
    let context = GraphContext(try SchoolStore.make())
    let (first, ann, bob) = (Club("first"), Pupil("Ann"), Pupil("Bob"))
    for object in [first, ann, bob] as [any _ModelObject] { try context.insert(object) }
    try context.save()
    first.members.append(ann)
    let second = Club("second")
    second.members = [bob]
    try context.insert(second)
    #expect(bob.clubs.map(\.title) == ["second"] && second.members.map(\.name) == ["Bob"])
    let third = Club("third")
    third.members = [bob]
    ann.clubs.append(third)
    #expect(bob.clubs.map(\.title) == ["second", "third"])
    #expect(third.members.map(\.name).sorted() == ["Ann", "Bob"])
    try context.save()
    let other = GraphContext(context.store)
    let found = try other.fetchStored(Query("Club", by: [Order(.row)]), as: Club.self)
    #expect(found.map { $0.members.map(\.name).sorted() } == [["Ann"], ["Bob"], ["Ann", "Bob"]])
    other.close()
    context.close()
  }

  @Test func `members that are added through their own side keep the order of addition`() throws {
    let store = try SchoolStore.make()
    let context = GraphContext(store)
    let club = Club("chess")
    let pupils = ["Ann", "Bob", "Cid"].map { Pupil($0) }
    for one in pupils { try context.insert(one) }
    try context.insert(club)
    try context.save()
    context.reset()
    for one in [pupils[2], pupils[0], pupils[1]] { one.clubs.append(club) }
    try context.save()
    let other = GraphContext(store)
    #expect(try all(other, Club.self).first?.members.map(\.name) == ["Cid", "Ann", "Bob"])
    #expect(club.members.map(\.name) == ["Cid", "Ann", "Bob"])
    context.close()
    other.close()
  }

  @Test func `unloaded objects leave their former lists`() throws {
    let store = try SchoolStore.make()
    do {
      let context = GraphContext(store)
      for number in 0..<2 {
        let school = School("s\(number)")
        school.pupils = [Pupil("p\(number) a"), Pupil("p\(number) b")]
        school.head = Teacher("t\(number)")
        try context.insert(school)
      }
      try context.save()
      context.close()
    }
    let context = GraphContext(store)
    let schools = try context.fetchStored(Query("School", by: [Order(.row)]), as: School.self)
    let moved = try #require(schools[0].pupils.first)
    schools[1].pupils.append(moved)
    #expect(schools[0].pupils.count == 1 && schools[1].pupils.count == 3 && moved.school === schools[1])
    let teachers = try #require(store.map(of: Teacher.self))
    let other = try #require(try context.existing(teachers, RowID(2)) as? Teacher)
    schools[0].head = other
    #expect(schools[1].head == nil && other.leads === schools[0])
    try context.save()
    let again = GraphContext(store)
    let found = try again.fetchStored(Query("School", by: [Order(.row)]), as: School.self)
    #expect(found.map { $0.pupils.count } == [1, 3] && found.map { $0.head?.name } == ["t1", nil])
    again.close()
    context.close()
  }

  /// Random changes from both sides, compared with plain dictionaries.
  @Test(arguments: UInt64(1)...60) func `random changes agree with a model`(seed: UInt64) throws {
    var play = try LinkPlay(seed)
    for round in 0..<60 {
      try play.step("seed \(seed), round \(round)")
    }
    try play.end()
  }
}

extension Array where Element == Pupil {
  fileprivate mutating func move(_ name: String, to place: Int) {
    guard let at = firstIndex(where: { $0.name == name }) else { return }
    insert(remove(at: at), at: place)
  }
}
