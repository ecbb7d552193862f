import Foundation
import SwiftData
import Testing

/// `validate` of models whose lists contain a new model that the save merges into a stored one: the
/// result of the save counts, where the two are one member.
@Suite struct MergedMemberRuleTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try Squad.container("a", "b")
    context = ModelContext(container)
  }

  private func squad(_ code: String) throws -> Squad {
    try #require(try context.fetch(FetchDescriptor<Squad>(predicate: #Predicate { $0.code == code })).first)
  }

  /// Saves under the rule that a squad has exactly three men.
  private func save() throws {
    let watch = SquadWatch(validate: { model, validation in
      guard let squad = model as? Squad, validation.change != .delete, squad.men.count != 3 else { return }
      validation.refuse("\(squad.code) has \(squad.men.count)", at: \Squad.men)
    })
    try SquadWatch.$current.withValue(watch) { try context.save() }
  }

  private func refusals() -> [String]? {
    #expect(throws: RoostError.self) { try save() }?.faults.map(\.detail).sorted()
  }

  private func stored() throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Squad>(sortBy: [SortDescriptor(\.code)])).map { squad in
      "\(squad.code): \(squad.men.map { "\($0.name) \($0.pay)" }.joined(separator: ", "))"
    }
  }

  private let before = ["a: a0 1, a1 1, a2 1", "b: b0 1, b1 1, b2 1"]

  @Test(arguments: [false, true]) func `a member that is merged counts once`(fromList: Bool) throws {
    let (new, owner) = (Soldier("a0"), try squad("a"))
    new.pay = 7
    context.insert(new)
    if fromList { owner.men.append(new) } else { new.squad = owner }
    try save()
    #expect(try stored() == ["a: a0 7, a1 1, a2 1", before[1]])
    #expect(owner.men.map(\.name) == ["a0", "a1", "a2"])
  }

  @Test(arguments: [false, true]) func `a member that the merge moves counts for its new owner`(fromList: Bool) throws {
    let (new, owner) = (Soldier("b0"), try squad("a"))
    context.insert(new)
    if fromList { owner.men.append(new) } else { new.squad = owner }
    #expect(refusals() == ["a has 4", "b has 2"])
    #expect(try stored() == before)
  }

  @Test(arguments: [false, true]) func `a member that is dropped counts for its old owner`(fromList: Bool) throws {
    context.uniquePolicy = .keepExisting
    let (new, owner) = (Soldier("b0"), try squad("a"))
    new.pay = 7
    context.insert(new)
    if fromList { owner.men.append(new) } else { new.squad = owner }
    try save()
    #expect(try stored() == before)
  }

  @Test func `two new members that are merged into one count once`() throws {
    let new = Squad("c")
    context.insert(new)
    new.men = ["c0", "c1", "c2", "c1"].map { Soldier($0) }
    try save()
    #expect(try stored() == before + ["c: c0 1, c1 1, c2 1"])
  }

  @Test func `a merged model is validated before the merge too`() throws {
    let new = Squad("a")
    context.insert(new)
    new.men = [Soldier("a0")]
    #expect(refusals() == ["a has 1"])
    #expect(try stored() == before)
  }

  @Test func `an owner that loses its member to a merge counts without it`() throws {
    let (owner, other, new) = (try squad("a"), try squad("b"), Soldier("b0"))
    #expect(other.men.count == 3)
    let fourth = Soldier("b3")
    other.men.append(fourth)
    owner.men.removeLast()
    context.insert(new)
    new.squad = owner
    try save()
    #expect(try stored() == ["a: a0 1, a1 1, b0 1", "b: b1 1, b2 1, b3 1"])
  }

  @Test func `a refused deletion stays refused if a merged model references the deleted one`() throws {
    let (owner, new) = (try squad("a"), Soldier("b0"))
    context.insert(new)
    new.squad = owner
    context.delete(owner)
    let watch = SquadWatch(validate: { model, validation in
      if validation.change == .delete, model is Squad { validation.refuse("it is needed") }
    })
    let error = #expect(throws: RoostError.self) { try SquadWatch.$current.withValue(watch) { try context.save() } }
    #expect(error?.faults.map(\.detail) == ["it is needed"])
    #expect(try stored() == before)
  }

  @Test func `many errors that a merge makes void hide no other`() throws {
    let (owner, new) = (try squad("a"), Soldier("a0"))
    context.insert(new)
    new.squad = owner
    let last = Squad("z")
    context.insert(last)
    let watch = SquadWatch(validate: { model, validation in
      guard let squad = model as? Squad else { return }
      if squad.men.count == 4 { for number in 0..<1500 { validation.refuse("void \(number)") } }
      if squad.code == "z" { validation.refuse("z is bad") }
    })
    let error = #expect(throws: RoostError.self) { try SquadWatch.$current.withValue(watch) { try context.save() } }
    #expect(error?.faults.map(\.detail) == ["z is bad"])
    #expect(error?.faultCount == 1)
  }

  @Test(arguments: [1, 7]) func `a model that references a merged one sees the stored one`(bad: Int) throws {
    context.uniquePolicy = .keepExisting
    let new = Soldier("a0")
    new.pay = 7
    context.insert(Sentry(new))
    let watch = SquadWatch(validate: { model, validation in
      if let sentry = model as? Sentry, sentry.soldier?.pay == bad { validation.refuse("bad pay") }
    })
    func save() throws { try SquadWatch.$current.withValue(watch) { try context.save() } }
    if bad == 7 { try save() } else { #expect(throws: RoostError.self) { try save() } }
    let sentries = try ModelContext(container).fetch(FetchDescriptor<Sentry>())
    #expect(sentries.map { $0.soldier?.pay } == (bad == 7 ? [1] : []))
  }

  @Test func `the policy that throws keeps the errors of validate`() throws {
    context.uniquePolicy = .throw
    let (owner, new) = (try squad("a"), Soldier("a0"))
    context.insert(new)
    new.squad = owner
    #expect(refusals() == ["a has 4"])
    #expect(try stored() == before)
  }

  @Test func `other errors of validate stay`() throws {
    context.insert(Squad("c"))
    let new = Soldier("a0")
    context.insert(new)
    new.squad = try squad("a")
    #expect(refusals() == ["c has 0"])
    #expect(try stored() == before)
  }

  @Test func `a closure that decides about the merge is not called before other errors`() throws {
    var calls = 0
    context.uniquePolicy = .choose { _, _ in
      calls += 1
      return .upsert
    }
    context.insert(Squad("c"))
    let new = Soldier("a0")
    context.insert(new)
    new.squad = try squad("a")
    #expect(refusals() == ["c has 0"])
    #expect(calls == 0)
    context.rollback()
    let again = Soldier("a0")
    context.insert(again)
    again.squad = try squad("a")
    try save()
    #expect(calls == 1)
    #expect(try stored() == before)
  }
}
