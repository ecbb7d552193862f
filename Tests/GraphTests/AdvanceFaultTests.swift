import Roost
import RoostFile
import RoostPages
import RoostRecords
import RoostTestSupport
import Testing

@testable import RoostGraph

/// Read errors while a context merges commits of others, or after its own commit.
@Suite struct AdvanceFaultTests {
  private func filled() throws -> DoorStore {
    let first = try DoorStore()
    do {
      let context = ModelContext(first.container)
      for number in 0..<40 {
        let school = School("s\(number)")
        school.pupils = (0..<20).map { Pupil("p\(number) \($0) " + String(repeating: "x", count: 100)) }
        let club = Club("c\(number)")
        club.members = Array(school.pupils.prefix(3))
        context.insert(school)
        context.insert(club)
      }
      try context.save()
    }
    try first.store.close()
    return try DoorStore(first.files, cacheBytes: 1 << 16)
  }

  /// The visible data: the pupils of each school and the members of each club.
  private func shown(_ schools: [School], _ clubs: [Club]) -> [[String]] {
    schools.map { [$0.name] + $0.pupils.map { String($0.name.prefix(8)) } }
      + clubs.map { [$0.title] + $0.members.map { String($0.name.prefix(8)) } }
  }

  private func all(_ context: ModelContext) throws -> ([School], [Club]) {
    (
      try context.fetch(FetchDescriptor<School>(sortBy: [SortDescriptor(\.persistentModelID)])),
      try context.fetch(FetchDescriptor<Club>(sortBy: [SortDescriptor(\.persistentModelID)]))
    )
  }

  @Test(arguments: 1...16) func `after any read error, no old data stays visible`(nth: Int) throws {
    let door = try filled()
    let (mine, theirs) = (ModelContext(door.container), ModelContext(door.container))
    let schools = try mine.fetch(FetchDescriptor<School>(predicate: #Predicate { $0.name < "s2" }))
    let clubs = try mine.fetch(FetchDescriptor<Club>(predicate: #Predicate { $0.title < "c2" }))
    #expect(schools.allSatisfy { $0.pupils.count == 20 } && clubs.allSatisfy { $0.members.count == 3 })
    let (their, others) = try all(theirs)
    for number in [1, 10, 30, 39] {
      their[number].name += "!"
      theirs.delete(their[number].pupils[1])
      their[0].pupils.append(their[number].pupils[2])
      others[number].members.append(their[number].pupils[5])
    }
    try theirs.save()
    try door.store.records.store.checkpoint()
    door.files.inject(FaultRule(.read, path: "store.roost", nth: nth, .error(ErrorNumber.io)))
    door.files.forgetSteps()
    door.files.recordsReads = true
    mine.processPendingChanges()
    #expect(door.files.steps.count >= min(nth, 5))
    door.files.clearFaults()
    // An error that could not be thrown before is thrown now.
    do { try mine.save() } catch { mine.rollback() }
    mine.processPendingChanges()
    let fresh = ModelContext(door.container)
    let (nowSchools, nowClubs) = try all(fresh)
    let ids = Set(schools.map(\.persistentModelID)).union(clubs.map(\.persistentModelID))
    let wanted = shown(
      nowSchools.filter { ids.contains($0.persistentModelID) }, nowClubs.filter { ids.contains($0.persistentModelID) })
    let found = shown(
      schools.sorted { $0.persistentModelID < $1.persistentModelID },
      clubs.sorted { $0.persistentModelID < $1.persistentModelID })
    #expect(found == wanted, "read \(nth)")
  }

  @Test(arguments: 1...10) func `a save that throws stores nothing, and one that does not stores all`(nth: Int) throws {
    let door = try filled()
    let (mine, theirs) = (ModelContext(door.container), ModelContext(door.container))
    let schools = try mine.fetch(FetchDescriptor<School>(predicate: #Predicate { $0.name < "s2" }))
    #expect(schools.allSatisfy { $0.pupils.count == 20 })
    let their = try all(theirs).0
    for number in [1, 10, 30] {
      their[number].pupils.removeLast()
      their[number].name += "!"
    }
    try theirs.save()
    try door.store.records.store.checkpoint()
    let (first, second) = (schools[0], schools[1])
    first.name = "Hill"
    second.pupils.append(Pupil("new"))
    mine.automaticallyMergesChanges = false
    door.files.inject(FaultRule(.read, path: "store.roost", nth: nth, .error(ErrorNumber.io)))
    let isSaved: Bool
    door.files.forgetSteps()
    door.files.recordsReads = true
    do {
      try mine.save()
      isSaved = true
    } catch { isSaved = false }
    // The last reads come after the commit.
    #expect(isSaved == (nth > 4) || (2...6).contains(nth))
    door.files.clearFaults()
    let stored = try ModelContext(door.container).fetch(FetchDescriptor<School>())
    #expect(stored.contains { $0.name == "Hill" } == isSaved, "read \(nth)")
    #expect(stored.contains { $0.pupils.contains { $0.name == "new" } } == isSaved, "read \(nth)")
    #expect(mine.hasChanges == !isSaved)
    if !isSaved { mine.rollback() }
    mine.automaticallyMergesChanges = true
    mine.processPendingChanges()
    try mine.save()
    let ids = Set(schools.map(\.persistentModelID))
    let wanted = shown(stored.filter { ids.contains($0.persistentModelID) }, []).map { Set($0) }
    #expect(Set(shown(schools, []).map { Set($0) }) == Set(wanted), "read \(nth)")
  }
}
