import Foundation
import SwiftData
import Testing

@Model final class Hamper {
  var number: Int
  @Relationship(deleteRule: .cascade, inverse: \Conserve.hamper) var conserves: [Conserve] = []
  init(_ number: Int) { self.number = number }
}

@Model final class Conserve {
  var number: Int
  var hamper: Hamper?
  init(_ number: Int) { self.number = number }
}

/// A relationship between an owner and a member, and functions that read and change it.
private struct Pair: Sendable, CustomTestStringConvertible {
  let name: String
  let make: @Sendable () -> (any PersistentModel, any PersistentModel)
  let ownerShows: @Sendable (_ owner: any PersistentModel) -> Bool
  /// `nil` if the member does not know its owners.
  let memberShows: (@Sendable (_ member: any PersistentModel) -> Bool)?
  let linkByOwner: @Sendable (_ owner: any PersistentModel, _ member: any PersistentModel, _ links: Bool) -> Void
  let linkByMember: (@Sendable (_ owner: any PersistentModel, _ member: any PersistentModel, _ links: Bool) -> Void)?
  let cascades: Bool
  /// Whether its histories have five steps, while those of other pairs have four.
  let isLong: Bool

  var testDescription: String { name }

  init<Owner: PersistentModel, Member: PersistentModel>(
    _ name: String, cascades: Bool = false, isLong: Bool = false, make: @escaping @Sendable () -> (Owner, Member),
    ownerShows: @escaping @Sendable (Owner) -> Bool,
    linkByOwner: @escaping @Sendable (Owner, Member, Bool) -> Void,
    memberShows: (@Sendable (Member) -> Bool)? = nil,
    linkByMember: (@Sendable (Owner, Member, Bool) -> Void)? = nil
  ) {
    self.name = name
    (self.cascades, self.isLong) = (cascades, isLong)
    self.make = { make() }
    self.ownerShows = { ownerShows($0 as! Owner) }
    self.linkByOwner = { linkByOwner($0 as! Owner, $1 as! Member, $2) }
    if let memberShows { self.memberShows = { memberShows($0 as! Member) } } else { self.memberShows = nil }
    if let linkByMember {
      self.linkByMember = { linkByMember($0 as! Owner, $1 as! Member, $2) }
    } else {
      self.linkByMember = nil
    }
  }

  static let all = [
    Pair("many to many", isLong: true) {
      (Sash(1), Wear(1))
    } ownerShows: {
      !$0.wears.isEmpty
    } linkByOwner: { owner, member, links in
      if links { owner.wears.append(member) } else { owner.wears.removeAll { $0 === member } }
    } memberShows: {
      !$0.badges.isEmpty
    } linkByMember: { owner, member, links in
      if links { member.badges.append(owner) } else { member.badges.removeAll { $0 === owner } }
    },
    Pair("one to many", isLong: true) {
      (Chest(1), Ring(1))
    } ownerShows: {
      !$0.rings.isEmpty
    } linkByOwner: { owner, member, links in
      if links { owner.rings.append(member) } else { owner.rings.removeAll { $0 === member } }
    } memberShows: {
      $0.chest != nil
    } linkByMember: {
      $1.chest = $2 ? $0 : nil
    },
    Pair("one to many, with a cascade", cascades: true) {
      (Hamper(1), Conserve(1))
    } ownerShows: {
      !$0.conserves.isEmpty
    } linkByOwner: { owner, member, links in
      if links { owner.conserves.append(member) } else { owner.conserves.removeAll { $0 === member } }
    } memberShows: {
      $0.hamper != nil
    } linkByMember: {
      $1.hamper = $2 ? $0 : nil
    },
    Pair("one way") {
      (Inn(1), Lodger(1))
    } ownerShows: {
      !$0.lodgers.isEmpty
    } linkByOwner: { owner, member, links in
      if links { owner.lodgers.append(member) } else { owner.lodgers.removeAll { $0 === member } }
    },
  ]
}

/// The expected state: a link is shown while neither end is marked for deletion, and a save deletes
/// only the marked models.
private struct Truth {
  enum Step: CaseIterable {
    case deleteOwner, deleteMember, insertOwner, insertMember, readOwner, readMember, linkByOwner, linkByMember
    var isReading: Bool { self == .readOwner || self == .readMember }
  }

  let pair: Pair
  var isLinked: Bool
  var ownerIsDeleted = false
  /// Whether the program deleted it, or its owner's delete rule did.
  var memberIsDeleted = false
  var memberIsTaken = false

  var ownerLives: Bool { !ownerIsDeleted }
  var memberLives: Bool { !memberIsDeleted && !memberIsTaken }

  func allows(_ step: Step) -> Bool {
    switch step {
    case .deleteOwner: ownerLives
    case .deleteMember: memberLives
    case .insertOwner: !ownerLives
    case .insertMember: !memberLives
    case .readOwner: true
    case .readMember: pair.memberShows != nil
    case .linkByOwner: ownerLives && memberLives
    case .linkByMember: ownerLives && memberLives && pair.linkByMember != nil
    }
  }

  mutating func take(_ step: Step) {
    switch step {
    case .deleteOwner:
      ownerIsDeleted = true
      if pair.cascades, isLinked { memberIsTaken = true }
    case .deleteMember: memberIsDeleted = true
    case .insertOwner: (ownerIsDeleted, memberIsTaken) = (false, false)
    case .insertMember: (memberIsDeleted, memberIsTaken) = (false, false)
    case .readOwner, .readMember: return
    case .linkByOwner, .linkByMember: isLinked.toggle()
    }
  }

  /// All histories of a number of steps, except those that end with a read.
  static func histories(_ start: Truth, steps: Int) -> [[Step]] {
    var all: [[Step]] = []
    func go(_ truth: Truth, _ history: [Step]) {
      if let last = history.last, !last.isReading { all.append(history) }
      if history.count == steps { return }
      for step in Step.allCases where truth.allows(step) && !(step.isReading && history.last == step) {
        var next = truth
        next.take(step)
        go(next, history + [step])
      }
    }
    go(start, [])
    return all
  }
}

/// Regression: an undone deletion must neither forget nor invent a link. It did both for
/// many-to-many links: each side had forgotten the link when the other side was loaded between the
/// deletions, and a list still showed a model that was deleted after its partner.
@Suite struct UndeleteHistoryTests {
  private enum Start: CaseIterable { case storedLinked, storedApart, new }

  @Test(arguments: Pair.all, Start.allCases)
  private func `every history of deletions, insertions, reads and edits shows the existing links`(
    pair: Pair, start: Start
  ) throws {
    let container = try ModelContainer(
      for: Inn.self, Sash.self, Chest.self, Hamper.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let isLinked = start != .storedApart
    let truth = Truth(pair: pair, isLinked: isLinked)
    let histories = Truth.histories(truth, steps: start == .storedLinked && pair.isLong ? 5 : 4)
    #expect(histories.count > 100)
    let writer = ModelContext(container)
    let stored = histories.map { _ in
      let (owner, member) = pair.make()
      if start == .new { return (owner, member) }
      writer.insert(owner)
      writer.insert(member)
      if isLinked { pair.linkByOwner(owner, member, true) }
      return (owner, member)
    }
    try writer.save()
    for (history, (owner, member)) in zip(histories, stored) {
      let context = ModelContext(container)
      context.autosaveEnabled = false
      var models = (owner, member)
      if start == .new {
        context.insert(owner)
        context.insert(member)
        pair.linkByOwner(owner, member, true)
      } else {
        models = (context.model(for: owner.persistentModelID), context.model(for: member.persistentModelID))
      }
      guard try play(history, truth, models, context) else { return }
    }
  }

  /// Returns false if something wrong is shown.
  private func play(
    _ history: [Truth.Step], _ start: Truth, _ models: (any PersistentModel, any PersistentModel),
    _ context: ModelContext
  ) throws -> Bool {
    let (owner, member) = models
    let pair = start.pair
    var truth = start
    func isRight(_ owner: any PersistentModel, _ member: any PersistentModel, _ place: String) -> Bool {
      let wanted = truth.isLinked && truth.ownerLives && truth.memberLives
      let shown = truth.ownerLives ? pair.ownerShows(owner) : wanted
      let back = truth.memberLives ? pair.memberShows?(member) ?? wanted : wanted
      #expect(shown == wanted && back == wanted, "\(place), after \(history)")
      return shown == wanted && back == wanted
    }
    for step in history {
      truth.take(step)
      switch step {
      case .deleteOwner: context.delete(owner)
      case .deleteMember: context.delete(member)
      case .insertOwner: context.insert(owner)
      case .insertMember: context.insert(member)
      case .readOwner: _ = pair.ownerShows(owner)
      case .readMember: _ = pair.memberShows?(member)
      case .linkByOwner: pair.linkByOwner(owner, member, truth.isLinked)
      case .linkByMember: pair.linkByMember?(owner, member, truth.isLinked)
      }
    }
    guard isRight(owner, member, "before the save") else { return false }
    let identifiers = (owner.persistentModelID, member.persistentModelID)
    try context.save()
    let other = ModelContext(context.container)
    let (found, joined) = (other.model(for: identifiers.0), other.model(for: identifiers.1))
    #expect(found.isDeleted == truth.ownerIsDeleted && joined.isDeleted != truth.memberLives, "after \(history)")
    return isRight(found, joined, "after the save")
  }
}
