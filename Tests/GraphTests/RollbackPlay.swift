import RoostQuery
import RoostRecords
import RoostTestSupport
import SwiftData
import Testing

@testable import RoostGraph

/// New schools, pupils and clubs that reference each other and stored ones, and are rolled back and
/// inserted again.
@Suite struct RollbackPlay {
  private struct State: Equatable {
    var schools: [String: Set<String>] = [:]
    var heads: [String: String] = [:]
    var clubs: [String: Set<String>] = [:]
    var pupils: [String: [String]] = [:]
  }

  /// The relationships of objects, read from every side.
  private func state(_ schools: [School], _ clubs: [Club], _ pupils: [Pupil]) -> State {
    var state = State()
    for one in schools {
      state.schools[one.name] = Set(one.pupils.map(\.name))
      state.heads[one.name] = one.head?.name
    }
    for one in clubs { state.clubs[one.title] = Set(one.members.map(\.name)) }
    for one in pupils {
      state.pupils[one.name] = [one.school?.name ?? "-", one.mentor?.name ?? "-"] + one.clubs.map(\.title).sorted()
    }
    return state
  }

  @Test(arguments: UInt64(1)...80) func `rolled back objects keep their relationships`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let store = try SchoolStore.make()
    let context = GraphContext(store)
    // The targets of one-way relationships of the new objects.
    let mentors = ["m0", "m1"].map { Pupil($0) }
    for one in mentors { try context.insert(one) }
    try context.save()
    let schools = (0..<3).map { School("s\($0)") }
    let clubs = (0..<3).map { Club("c\($0)") }
    let pupils = (0..<8).map { Pupil("p\($0)") }
    for one in schools { if generator.chance(1, in: 2) { try context.insert(one) } }
    for round in 0..<4 {
      for _ in 0..<12 { change(schools, clubs, pupils, mentors, &generator) }
      // An inserted object brings along the objects that it references; the others are inserted
      // separately.
      for one in schools { try context.insert(one) }
      for one in clubs { try context.insert(one) }
      for one in pupils { try context.insert(one) }
      for _ in 0..<6 { change(schools, clubs, pupils, mentors, &generator) }
      let reads = generator.chance(1, in: 2)
      if generator.chance(1, in: 4) { context.processPendingChanges() }
      // Reading loads lists. Without it they are rolled back unloaded.
      let before = reads ? state(schools, clubs, pupils) : nil
      context.rollback()
      #expect(!context.changes.hasChanges && context.objects.all.allSatisfy { $0.graphContext === context })
      let now = state(schools, clubs, pupils)
      if let before { #expect(now == before, "seed \(seed), round \(round)") }
      #expect(pupils.allSatisfy { $0.graphContext == nil } && mentors.allSatisfy { $0.graphContext === context })
      for one in (schools as [any _ModelObject]) + clubs + pupils { try context.insert(one) }
      #expect(state(schools, clubs, pupils) == now, "seed \(seed), round \(round), again")
      if generator.chance(1, in: 2) { context.rollback() }
    }
    for one in (schools as [any _ModelObject]) + clubs + pupils { try context.insert(one) }
    let last = state(schools, clubs, pupils)
    try context.save()
    #expect(state(schools, clubs, pupils) == last, "seed \(seed), saved")
    let other = GraphContext(store)
    let stored = state(
      try other.fetchStored(Query("School"), as: School.self), try other.fetchStored(Query("Club"), as: Club.self),
      try other.fetchStored(Query("Pupil"), as: Pupil.self).filter { $0.name.hasPrefix("p") })
    #expect(stored == last, "seed \(seed), stored")
    #expect(try store.records.verify().isSound)
    other.close()
    context.close()
  }

  private func change(
    _ schools: [School], _ clubs: [Club], _ pupils: [Pupil], _ mentors: [Pupil], _ generator: inout SplitMix64
  ) {
    let pupil = pupils[generator.below(pupils.count)]
    let school = schools[generator.below(schools.count)]
    let club = clubs[generator.below(clubs.count)]
    // Without a context there is no inverse, so only one side is used there.
    let isLoose = pupil.graphContext == nil || school.graphContext == nil || club.graphContext == nil
    switch generator.below(isLoose ? 4 : 7) {
    case 0: pupil.school = school
    case 1: if !pupil.clubs.contains(where: { $0 === club }) { pupil.clubs.append(club) }
    case 2: pupil.mentor = generator.chance(1, in: 2) ? mentors[generator.below(2)] : pupils[generator.below(8)]
    case 3: pupil.name = pupil.name
    case 4: school.pupils.append(pupil)
    case 5: club.members.removeAll { $0 === pupil }
    default: school.head = generator.chance(1, in: 2) ? Teacher("t\(generator.below(100))") : nil
    }
  }
}
