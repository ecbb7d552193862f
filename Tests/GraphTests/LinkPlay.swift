import RoostQuery
import RoostRecords
import RoostTestSupport
import SwiftData
import Testing

@testable import RoostGraph

/// Schools, pupils and clubs that are changed at random, compared with plain lists of names.
struct LinkPlay {
  private var generator: SplitMix64
  private let store: GraphStore
  private var context: GraphContext
  private var schools: [String: School] = [:]
  private var pupils: [String: Pupil] = [:]
  private var clubs: [String: Club] = [:]
  private var pupilCount = 0
  /// How often a school's pupils were in the order of their rows after a save, and how often in
  /// another order.
  private(set) var orders = (rows: 0, others: 0)
  // The expected state: the pupils of a school in order, the members of a club, and the clubs of a
  // pupil as a set.
  private var inSchool: [String: [String]] = [:]
  private var inClub: [String: [String]] = [:]

  init(_ seed: UInt64) throws {
    generator = SplitMix64(seed: seed)
    store = try SchoolStore.make()
    context = GraphContext(store)
    for number in 0..<4 {
      let school = School("s\(number)")
      schools[school.name] = school
      inSchool[school.name] = []
      let club = Club("c\(number)")
      clubs[club.title] = club
      inClub[club.title] = []
      try context.insert(school)
      try context.insert(club)
    }
    for _ in 0..<12 { try context.insert(makePupil()) }
  }

  private mutating func makePupil() -> Pupil {
    let pupil = Pupil("p\(pupilCount)")
    pupilCount += 1
    pupils[pupil.name] = pupil
    return pupil
  }

  private mutating func any<Model>(_ all: [String: Model]) -> (name: String, object: Model) {
    let names = all.keys.sorted()
    let name = names[generator.below(names.count)]
    return (name, all[name]!)
  }

  private mutating func leaveSchool(_ name: String) {
    for school in inSchool.keys { inSchool[school]?.removeAll { $0 == name } }
  }

  mutating func step(_ story: String) throws {
    for _ in 0..<1 + generator.below(5) { try change() }
    if generator.chance(1, in: 3) { check(story + ", before") }
    if generator.chance(1, in: 4) {
      try context.save()
      countOrders()
    }
    check(story)
    if generator.chance(1, in: 6) { try reopen() }
    if generator.chance(1, in: 10) { check(story + ", reopened") }
  }

  private mutating func countOrders() {
    for list in inSchool.values where list.count > 1 {
      let rows = list.map { pupils[$0]!._$state.row }
      if rows == rows.sorted() { orders.rows += 1 } else { orders.others += 1 }
    }
  }

  private mutating func change() throws {
    let (name, pupil) = any(pupils)
    let (schoolName, school) = any(schools)
    let (clubName, club) = any(clubs)
    switch generator.below(16) {
    case 9:
      // In the order of their rows, which need not be written.
      school.pupils.sort { $0._$state.row < $1._$state.row }
      inSchool[schoolName]?.sort { pupils[$0]!._$state.row < pupils[$1]!._$state.row }
    case 10:
      if pupils.count > 24 { return }
      let new = makePupil()
      inSchool[schoolName]?.append(new.name)
      if generator.chance(1, in: 2) { return school.pupils.append(new) }
      new.school = school
      try context.insert(new)
    case 11:
      if generator.chance(2, in: 3) { return }
      for one in inSchool[schoolName]! { pupils[one]!.school = nil }
      inSchool[schoolName] = []
    case 12:
      if pupils.count < 10 || generator.chance(1, in: 2) { return }
      leaveSchool(name)
      for club in inClub.keys { inClub[club]?.removeAll { $0 == name } }
      pupils[name] = nil
      try context.delete(pupil)
    case 0, 1:
      if pupil.school !== school {
        leaveSchool(name)
        inSchool[schoolName]?.append(name)
      }
      pupil.school = school
    case 2:
      leaveSchool(name)
      pupil.school = nil
    case 3:
      if inSchool[schoolName]?.contains(name) == true { return }
      leaveSchool(name)
      let place = generator.below(inSchool[schoolName]!.count + 1)
      inSchool[schoolName]?.insert(name, at: place)
      school.pupils.insert(pupil, at: place)
    case 4:
      var list = inSchool[schoolName]!
      if list.isEmpty { return }
      list.remove(at: generator.below(list.count))
      list.shuffle(using: &generator)
      inSchool[schoolName] = list
      school.pupils = list.map { pupils[$0]! }
    case 5:
      if inClub[clubName]?.contains(name) == true { return }
      inClub[clubName]?.append(name)
      if generator.chance(1, in: 2) { pupil.clubs.append(club) } else { club.members.append(pupil) }
    case 6:
      inClub[clubName]?.removeAll { $0 == name }
      if generator.chance(1, in: 2) {
        pupil.clubs.removeAll { $0 === club }
      } else {
        club.members.removeAll { $0 === pupil }
      }
    case 7:
      // As many as before, but some of them are from other schools.
      let count = inSchool[schoolName]!.count
      let list = Array(pupils.keys.sorted().shuffled(using: &generator).prefix(count))
      for one in list { leaveSchool(one) }
      inSchool[schoolName] = list
      school.pupils = list.map { pupils[$0]! }
    case 13: editInPlace(school, schoolName, adding: pupil, name: name)
    case 14:
      // A member that is added again keeps its place.
      if inSchool[schoolName]?.contains(name) == true { school.pupils.append(pupil) }
    case 15:
      // At the end of one list after another, new pupils or pupils of other schools.
      for (schoolName, school) in schools.sorted(by: { $0.key < $1.key }) where generator.chance(2, in: 3) {
        let isNew = pupils.count < 24 && generator.chance(1, in: 2)
        let (name, pupil) = isNew ? { ($0.name, $0) }(makePupil()) : any(pupils)
        if inSchool[schoolName]?.contains(name) == true { continue }
        leaveSchool(name)
        inSchool[schoolName]?.append(name)
        school.pupils.append(pupil)
      }
    default:
      pupil.name = name
    }
  }

  /// Several changes in one access, after which the number and the last members may be the same as
  /// before.
  private mutating func editInPlace(_ school: School, _ schoolName: String, adding pupil: Pupil, name: String) {
    let list = inSchool[schoolName] ?? []
    let exchanged = list.count > 1 ? (generator.below(list.count), generator.below(list.count)) : nil
    let removed = list.isEmpty || generator.chance(1, in: 2) ? nil : generator.below(list.count)
    let isAdded = !list.contains(name) && generator.chance(2, in: 3)
    // If a new pupil is added at the end, the other one replaces the first.
    let isNew = pupils.count < 24 && list.count > 1 && generator.chance(1, in: 2)
    let new = isNew ? makePupil() : nil
    func edit<Member>(_ list: inout [Member], _ added: Member, new: Member?) {
      if let (one, other) = exchanged { list.swapAt(one, other) }
      if let removed { list.remove(at: removed) }
      if isAdded, new == nil { list.append(added) }
      guard let new else { return }
      if isAdded { list[0] = added }
      list.append(new)
    }
    if isAdded { leaveSchool(name) }
    edit(&inSchool[schoolName]!, name, new: new?.name)
    edit(&school.pupils, pupil, new: new)
  }

  /// Checks lists and references in any order, because reading one may update another.
  private mutating func check(_ story: String) {
    var parts = [0, 1, 2, 3]
    parts.shuffle(using: &generator)
    for part in parts {
      switch part {
      case 0:
        for (name, school) in schools.sorted(by: { $0.key < $1.key }) {
          #expect(school.pupils.map(\.name) == inSchool[name], "\(story), \(name)")
        }
      case 1:
        for (name, club) in clubs.sorted(by: { $0.key < $1.key }) {
          #expect(club.members.map(\.name) == inClub[name], "\(story), \(name)")
        }
      case 2:
        for (name, pupil) in pupils.sorted(by: { $0.key < $1.key }) {
          let all = inClub.filter { $0.value.contains(name) }.map(\.key)
          #expect(pupil.clubs.map(\.title).sorted() == all.sorted(), "\(story), \(name)")
        }
      default:
        for (name, pupil) in pupils.sorted(by: { $0.key < $1.key }) {
          let school = inSchool.first { $0.value.contains(name) }?.key
          #expect(pupil.school?.name == school, "\(story), \(name)")
        }
      }
    }
  }

  /// Reads everything in another context, after a save.
  private mutating func reopen() throws {
    try context.save()
    context.close()
    context = GraphContext(store)
    (schools, pupils, clubs) = ([:], [:], [:])
    for one in try context.fetchStored(Query("School"), as: School.self) { schools[one.name] = one }
    for one in try context.fetchStored(Query("Pupil"), as: Pupil.self) { pupils[one.name] = one }
    for one in try context.fetchStored(Query("Club"), as: Club.self) { clubs[one.title] = one }
  }

  mutating func end() throws {
    try reopen()
    check("at the end")
    #expect(try store.records.verify().isSound)
    #expect(orders.rows > 0 && orders.others > 0, "\(orders)")
    context.close()
  }
}
