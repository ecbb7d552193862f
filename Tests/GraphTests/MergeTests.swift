import RoostQuery
import RoostRecords
import RoostTestSupport
import SwiftData
import Testing

@testable import RoostGraph

/// Several contexts of one store: each shows the stored data with its own changes.
@Suite struct MergeTests {
  /// A pupil in the reference model.
  private struct Fact: Equatable {
    var name: String
    var school: UInt64?
  }

  private final class User {
    let context: GraphContext
    let schools: [School]
    /// All pupils that it has seen, held so that there are old objects.
    var pupils: [UInt64: Pupil] = [:]
    var own: Set<UInt64> = []
    var changed: [UInt64: Fact] = [:]
    var deleted: Set<UInt64> = []

    init(_ store: GraphStore) throws {
      context = GraphContext(store)
      schools = try context.fetchStored(Query("School"), as: School.self)
    }

    func sees(_ stored: [UInt64: Fact]) -> [UInt64: Fact] {
      stored.merging(changed) { $1 }.filter { !deleted.contains($0.key) }
    }
  }

  @Test(arguments: UInt64(1)...30) func `each sees the commits of others after its next call`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let store = try SchoolStore.make()
    let first = GraphContext(store)
    for number in 0..<3 { try first.insert(School("\(number)")) }
    try first.save()
    first.close()
    let users = try (0..<3).map { _ in try User(store) }
    var stored: [UInt64: Fact] = [:]
    for round in 0..<120 {
      let user = users[random.below(3)]
      let place = "seed \(seed), round \(round)"
      switch random.below(12) {
      case 0, 1, 2:
        let pupil = Pupil("p\(round)")
        let school = user.schools[random.below(3)]
        if random.below(2) == 0 { school.pupils.append(pupil) } else { pupil.school = school }
        if pupil._$state.row == 0 { try user.context.insert(pupil) }
        user.context.processPendingChanges()
        let row = pupil._$state.row
        user.pupils[row] = pupil
        user.own.insert(row)
        user.changed[row] = Fact(name: pupil.name, school: school._$state.row)
      case 3, 4, 5:
        guard let row = user.own.sorted().randomOne(&random), let pupil = user.pupils[row] else { continue }
        var fact = try #require(user.sees(stored)[row])
        if random.below(2) == 0 {
          pupil.name += "'"
          fact.name += "'"
        } else {
          let school = random.below(4) == 0 ? nil : user.schools[random.below(3)]
          pupil.school = school
          fact.school = school?._$state.row
        }
        user.changed[row] = fact
      case 6:
        guard let row = user.own.sorted().randomOne(&random), let pupil = user.pupils[row] else { continue }
        try user.context.delete(pupil)
        user.own.remove(row)
        user.deleted.insert(row)
      case 7, 8, 9:
        try user.context.save()
        stored = user.sees(stored)
        user.changed = [:]
        user.deleted = []
      case 10:
        user.context.rollback()
        user.own = user.own.union(user.deleted).filter { stored[$0] != nil }
        user.changed = [:]
        user.deleted = []
      default: user.context.processPendingChanges()
      }
      try check(user, stored, place)
    }
    for user in users {
      try user.context.save()
      stored = user.sees(stored)
      user.changed = [:]
      user.deleted = []
    }
    let fresh = try User(store)
    for user in users + [fresh] {
      user.context.processPendingChanges()
      try check(user, stored, "seed \(seed), at the end")
      // The order is the same in all contexts.
      for (one, other) in zip(user.schools, fresh.schools) {
        #expect(one.pupils.map { $0._$state.row } == other.pupils.map { $0._$state.row }, "seed \(seed)")
      }
      user.context.close()
    }
    let findings = try store.records.verify()
    #expect(findings.isSound, "seed \(seed): \(findings)")
  }

  private func check(_ user: User, _ stored: [UInt64: Fact], _ place: String) throws {
    user.context.processPendingChanges()
    let expected = user.sees(stored)
    for (row, pupil) in user.pupils {
      if let fact = expected[row] {
        #expect(!pupil.isDeleted, "\(place), row \(row)")
        #expect(Fact(name: pupil.name, school: pupil.school?._$state.row) == fact, "\(place), row \(row)")
      } else if pupil._$state.row != 0 {
        // Another context deleted it. It keeps its name.
        #expect(pupil.isDeleted && pupil.name.hasPrefix("p"), "\(place), row \(row)")
      }
    }
    for school in user.schools {
      let row = school._$state.row
      let members = Set(school.pupils.map { $0._$state.row })
      #expect(members == Set(expected.filter { $0.value.school == row }.keys), "\(place), school \(row)")
    }
    if user.changed.isEmpty, user.deleted.isEmpty {
      for pupil in try user.context.fetchStored(Query("Pupil"), as: Pupil.self) {
        user.pupils[pupil._$state.row] = pupil
      }
    }
  }

  @Test func `lists stay loaded if a commit did not change them`() throws {
    let store = try SchoolStore.make()
    let (one, two) = (GraphContext(store), GraphContext(store))
    for number in 0..<4 {
      let school = School("\(number)")
      school.pupils = [Pupil("\(number) a"), Pupil("\(number) b")]
      try one.insert(school)
    }
    try one.save()
    let mine = try one.fetchStored(Query("School"), as: School.self)
    for school in mine { #expect(school.pupils.count == 2) }
    let theirs = try two.fetchStored(Query("School"), as: School.self)
    theirs[0].pupils.append(Pupil("new"))
    theirs[1].pupils[0].name = "another name"
    theirs[2].pupils[0].school = theirs[1]
    try two.save()
    one.processPendingChanges()
    #expect(mine.map { $0._$isFilled(1) } == [false, false, false, true])
    #expect(mine.map(\.pupils.count) == [3, 3, 1, 2])
    try two.delete(theirs[3].pupils[1])
    try two.save()
    one.processPendingChanges()
    #expect(mine.map { $0._$isFilled(1) } == [true, true, true, false])
    #expect(mine[3].pupils.map(\.name) == ["3 a"])
    one.close()
    two.close()
  }

  @Test func `a context that does not merge keeps its snapshot, but not forever`() throws {
    let store = try SchoolStore.make()
    let (one, two) = (GraphContext(store), GraphContext(store))
    try one.insert(School("first"))
    try one.save()
    two.session.mergesChanges = false
    two.session.mostCommitsBehind = 5
    let seen = try #require(try two.fetchStored(Query("School"), as: School.self).first)
    let mine = try #require(try one.fetchStored(Query("School"), as: School.self).first)
    for number in 1...5 {
      mine.name = "\(number)"
      try one.save()
      #expect(try two.fetchStored(Query("School"), as: School.self).first === seen && seen.name == "first")
    }
    mine.name = "last"
    try one.save()
    #expect(seen.name == "first")
    two.processPendingChanges()
    #expect(seen.name == "last")
    two.session.mostCommitsBehind = 1000
    two.session.mostNanosecondsBehind = 0
    mine.name = "later"
    try one.save()
    two.processPendingChanges()
    #expect(seen.name == "later")
    two.session.mostNanosecondsBehind = .max / 2
    mine.name = "latest"
    try one.save()
    two.processPendingChanges()
    #expect(seen.name == "later")
    two.rollback()
    #expect(seen.name == "latest")
    one.close()
    two.close()
  }
}

extension Array {
  fileprivate func randomOne(_ random: inout SplitMix64) -> Element? { isEmpty ? nil : self[random.below(count)] }
}
