import SwiftData
import Testing

/// Saves that change one-to-one relationships of stored models and merge new models into them,
/// compared with pairs of names that get the same changes one after the other.
///
/// The models are wearers and crests, or mates, whose relationship is its own inverse. A closure
/// chooses at random for each new model what the stored one takes over. The program may give a stored
/// model to several new ones, one after the other, and may merge a new one into it too.
struct PairPlay {
  private var random: Random
  private let isMutual: Bool
  private let container: ModelContainer
  private let context: ModelContext
  /// The partner by name, for both sides.
  private var partners: [String: String] = [:]
  private var names: Set<String> = []
  private var story: [String] = []
  private var fresh = 5
  private(set) var merges = 0
  private(set) var isOver = false

  init(_ seed: UInt64, isMutual: Bool) throws {
    random = Random(seed: seed)
    self.isMutual = isMutual
    container =
      try isMutual
      ? ImportMutualTests.container()
      : ModelContainer(for: Wearer.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    for number in 0..<5 {
      for name in ["w\(number)", "\(number)"] {
        names.insert(name)
        insert(make(name))
      }
    }
    try context.save()
  }

  /// The names that begin with w are those of wearers, the others those of crests.
  private func make(_ name: String) -> any PersistentModel {
    if isMutual { return Mate(name) }
    return name.hasPrefix("w") ? Wearer(name) : Crest(Int(name) ?? -1)
  }

  private func insert(_ model: any PersistentModel) { context.insert(model) }

  private func give(_ partner: (any PersistentModel)?, to model: any PersistentModel) {
    switch model {
    case let mate as Mate: mate.spouse = partner as? Mate
    case let wearer as Wearer: wearer.crest = partner as? Crest
    case let crest as Crest: crest.wearer = partner as? Wearer
    default: break
    }
  }

  private func view(_ context: ModelContext) throws -> [String: (model: any PersistentModel, partner: String?)] {
    var view: [String: (model: any PersistentModel, partner: String?)] = [:]
    if isMutual {
      for mate in try context.fetch(FetchDescriptor<Mate>()) { view[mate.name] = (mate, mate.spouse?.name) }
      return view
    }
    for one in try context.fetch(FetchDescriptor<Wearer>()) { view[one.name] = (one, one.crest.map { "\($0.number)" }) }
    for one in try context.fetch(FetchDescriptor<Crest>()) { view["\(one.number)"] = (one, one.wearer?.name) }
    return view
  }

  private mutating func part(_ name: String) {
    if let partner = partners.removeValue(forKey: name) { partners[partner] = nil }
  }

  private mutating func pair(_ name: String, _ partner: String?) {
    part(name)
    guard let partner else { return }
    part(partner)
    (partners[name], partners[partner]) = (partner, name)
  }

  private func mayPair(_ one: String, _ other: String) -> Bool {
    one != other && (isMutual || one.hasPrefix("w") != other.hasPrefix("w"))
  }

  private mutating func partner(of name: String) -> String? {
    let able = names.filter { mayPair(name, $0) }
    return able.isEmpty ? nil : able.sorted()[random.next(able.count)]
  }

  private struct New {
    let name: String
    let model: any PersistentModel
    /// Whether no model had the name.
    let isNew: Bool
    /// Whether the stored model takes over its partner.
    let isTaken: Bool
    var partner: String?
    /// The name of its partner, if that one was stored before.
    var stored: String?
    /// The place of its partner, if that one is new too.
    var other: Int?

    var counts: Bool { isNew || isTaken }
  }

  mutating func step() throws {
    let view = try view(context)
    story = []
    for _ in 0..<random.next(4) {
      let name = names.sorted()[random.next(names.count)]
      let partner = random.next(4) == 0 ? nil : partner(of: name)
      guard let model = view[name]?.model else { continue }
      story.append("\(name) gets \(partner ?? "nil")")
      give(partner.flatMap { view[$0]?.model }, to: model)
      pair(name, partner)
    }
    var choices: [ObjectIdentifier: ModelContext.UniqueChoice] = [:]
    var new: [New] = []
    var stored = names
    for _ in 0...random.next(4) {
      fresh += 1
      var name = names.sorted()[random.next(names.count)]
      if random.next(5) == 0 { name = random.next(2) == 0 ? "w\(fresh)" : "\(fresh)" }
      let choice = [ModelContext.UniqueChoice.upsert, .keepExisting, .mergeNonNil][random.next(3)]
      var one = New(
        name: name, model: make(name), isNew: stored.insert(name).inserted, isTaken: choice != .keepExisting)
      insert(one.model)
      choices[ObjectIdentifier(one.model)] = choice
      let able = new.indices.filter { new[$0].partner == nil && mayPair(new[$0].name, name) }
      if random.next(3) == 0, !able.isEmpty {
        let other = able[random.next(able.count)]
        if random.next(2) == 0 { give(new[other].model, to: one.model) } else { give(one.model, to: new[other].model) }
        (one.partner, new[other].partner) = (new[other].name, name)
        (one.other, new[other].other) = (other, new.count)
      } else if random.next(4) > 0, let partner = partner(of: name), let other = view[partner]?.model {
        for index in new.indices where new[index].stored == partner {
          (new[index].partner, new[index].stored) = (nil, nil)
        }
        (one.partner, one.stored) = (partner, partner)
        if random.next(2) == 0 { give(other, to: one.model) } else { give(one.model, to: other) }
      }
      story.append("new \(name) with \(one.partner ?? "nil"), \(choice)")
      new.append(one)
    }
    // The merges come last.
    var waiting: [New] = []
    for one in new.filter(\.isNew) + new.filter({ !$0.isNew }) where one.counts {
      guard let partner = one.partner else { continue }
      if let other = one.other, !new[other].counts { waiting.append(one) } else { pair(one.name, partner) }
    }
    // The partner of a dropped model gets the stored one, unless that has a partner.
    for one in waiting where partners[one.partner!] == nil { pair(one.name, one.partner) }
    let merged = new.count { !$0.isNew }
    names = stored
    try choose(choices)
    try context.save()
    #expect(context.lastSave.mergeCount == merged, "\(story)")
    merges += merged
    try compare(ModelContext(container))
    try compare(context)
    withExtendedLifetime((view, new)) {}
  }

  private func choose(_ choices: [ObjectIdentifier: ModelContext.UniqueChoice]) throws {
    func rule<Model>(_ model: Model.Type) -> ModelContext.UniqueRule<Model> {
      .resolve { inserted, _ in choices[ObjectIdentifier(inserted)] ?? .throw }
    }
    if isMutual { return try context.setUniquePolicy(rule(Mate.self), for: Mate.self) }
    try context.setUniquePolicy(rule(Wearer.self), for: Wearer.self)
    try context.setUniquePolicy(rule(Crest.self), for: Crest.self)
  }

  private mutating func compare(_ context: ModelContext) throws {
    let found = try view(context).mapValues(\.partner)
    #expect(Set(found.keys) == names)
    for name in names.sorted() where found[name] != .some(partners[name]) {
      isOver = true
      Issue.record("\(name) has \((found[name] ?? nil) ?? "nil"), not \(partners[name] ?? "nil"): \(story)")
    }
  }
}

@Suite struct PairPlayTests {
  @Test(arguments: 0..<60, [false, true]) func `merges of partners agree with pairs`(
    seed: UInt64, isMutual: Bool
  ) throws {
    var play = try PairPlay(seed, isMutual: isMutual)
    for _ in 0..<12 where !play.isOver { try play.step() }
    #expect(play.isOver || play.merges > 5)
  }
}
