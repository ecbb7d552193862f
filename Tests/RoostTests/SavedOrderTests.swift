import Foundation
import RoostTestSupport
import SwiftData
import Testing

/// Lists of links keep the order in which a program set them, however many owners share the
/// members.
@Suite struct SavedOrderTests {
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(for: Hand.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func skills(_ context: ModelContext) throws -> [Skill] {
    try context.fetch(FetchDescriptor<Skill>(sortBy: [SortDescriptor(\.name)]))
  }

  private func stored() throws -> [String: [String]] {
    let context = ModelContext(container)
    let hands = try context.fetch(FetchDescriptor<Hand>())
    return Dictionary(uniqueKeysWithValues: hands.map { ($0.first, $0.skills.map(\.name)) })
  }

  /// New owners, stored owners with another list, and new owners that are merged into stored ones,
  /// in one save.
  @Test(arguments: 0..<200) func `a save keeps the order of lists that share members`(_ seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let first = ModelContext(container)
    let names = ["a", "b", "c", "d"]
    for name in names { first.insert(Skill(name)) }
    try first.save()
    var wanted: [String: [String]] = [:]
    var others = Dictionary(uniqueKeysWithValues: names.map { ($0, [String]()) })
    func set(_ code: String, _ list: [String]) {
      let old = wanted[code] ?? []
      for name in old where !list.contains(name) { others[name]?.removeAll { $0 == code } }
      for name in list where !old.contains(name) { others[name]?.append(code) }
      wanted[code] = list
    }
    let mayMerge = random.chance(1, in: 2)
    var story: [String] = []
    for turn in 0..<3 {
      let context = ModelContext(container)
      let skills = try skills(context)
      if random.chance(1, in: 2) { for skill in skills { _ = skill.hands.count } }
      let hands = try context.fetch(FetchDescriptor<Hand>(sortBy: [SortDescriptor(\.first)]))
      var changed: Set<String> = []
      for number in 0..<(2 + random.below(3)) {
        let list = Array(names.shuffled(using: &random).prefix(1 + random.below(4)))
        let members = list.compactMap { name in skills.first { $0.name == name } }
        if !hands.isEmpty, random.chance(1, in: 3) {
          let hand = random.pick(hands)
          hand.skills = members
          changed.insert(hand.first)
          set(hand.first, list)
          story.append("\(turn): \(hand.first) changed to \(list)")
          continue
        }
        var code = "\(turn)\(number)"
        let known = wanted.keys.sorted().filter { !changed.contains($0) }
        let isStored = Set(hands.map(\.first))
        if mayMerge, !known.isEmpty, random.chance(1, in: 2) { code = random.pick(known) }
        let hand = Hand(WriterPlay.Record(code: code, first: code))
        // Two new models of one save that are merged into one row differ only in their own lists.
        let fromSkills = (wanted[code] == nil || isStored.contains(code)) && random.chance(1, in: 4)
        if fromSkills { changed.insert(code) }
        context.insert(hand)
        if fromSkills { for skill in members { skill.hands.append(hand) } } else { hand.skills = members }
        story.append("\(turn): \(code) inserted with \(list)\(fromSkills ? " by the skills" : "")")
        // The list of a new model extends that of the stored one.
        let old = wanted[code] ?? []
        set(code, old + list.filter { !old.contains($0) })
        // A second change of the list would replace the members that the new model adds.
        if hands.contains(where: { $0.first == code }) { break }
      }
      try context.save()
      let found = try stored()
      #expect(found == wanted, "seed \(seed), \(story)")
      let now = ModelContext(container)
      for skill in try self.skills(now) {
        let (owners, should) = (skill.hands.map(\.first), others[skill.name] ?? [])
        if mayMerge {
          #expect(owners.sorted() == should.sorted(), "seed \(seed), \(skill.name), \(story)")
        } else {
          #expect(owners == should, "seed \(seed), \(skill.name), \(story)")
        }
      }
      if found != wanted { return }
    }
    #expect(try container.verify().isSound)
  }

  @Test(arguments: [false, true]) func `new models that are merged into stored ones add in their order`(
    _ isLoaded: Bool
  ) throws {
    let first = ModelContext(container)
    for name in ["cook", "sail"] { first.insert(Skill(name)) }
    for code in ["1", "2", "3"] { first.insert(Hand(WriterPlay.Record(code: code, first: code))) }
    try first.save()
    let context = ModelContext(container)
    let all = try skills(context)
    if isLoaded { for skill in all { #expect(skill.hands.isEmpty) } }
    let lists = ["1": [all[1], all[0]], "2": [all[0]], "3": [all[1], all[0]]]
    for (code, list) in lists.sorted(by: { $0.key < $1.key }) {
      let hand = Hand(WriterPlay.Record(code: code, first: code))
      context.insert(hand)
      hand.skills = list
    }
    try context.save()
    #expect(try stored() == ["1": ["sail", "cook"], "2": ["cook"], "3": ["sail", "cook"]])
  }
}
