import SwiftData
import Testing

/// Saves that change one-to-one relationships of stored models and merge new models into them,
/// compared with pairs of names that get the same changes one after the other.
///
/// The models are wearers and crests, or mates, whose relationship is its own inverse. A closure
/// chooses at random for each new model what the stored one takes over. A save gives each model to one
/// new model, and not to others before. It gives no model away into which it merges another one: that
/// one's own relationship wins.
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

  private mutating func partner(of name: String, _ used: Set<String>) -> String? {
    let able = names.filter { other in
      other != name && !used.contains(other) && (isMutual || other.hasPrefix("w") != name.hasPrefix("w"))
    }
    return able.isEmpty ? nil : able.sorted()[random.next(able.count)]
  }

  mutating func step() throws {
    let view = try view(context)
    var given: Set<String> = []
    story = []
    for _ in 0..<random.next(4) {
      let name = names.sorted()[random.next(names.count)]
      let partner = random.next(4) == 0 ? nil : partner(of: name, given)
      guard let model = view[name]?.model, given.insert(name).inserted else { continue }
      if let partner { given.insert(partner) }
      story.append("\(name) gets \(partner ?? "nil")")
      give(partner.flatMap { view[$0]?.model }, to: model)
      pair(name, partner)
    }
    var choices: [ObjectIdentifier: ModelContext.UniqueChoice] = [:]
    var new: [any PersistentModel] = []
    var stored = names
    var merged = 0
    let newNames = (0...random.next(4)).map { _ in
      fresh += 1
      if random.next(5) == 0 { return random.next(2) == 0 ? "w\(fresh)" : "\(fresh)" }
      return names.sorted()[random.next(names.count)]
    }
    for name in newNames {
      let model = make(name)
      let partner = random.next(4) == 0 ? nil : partner(of: name, given.union(newNames))
      insert(model)
      new.append(model)
      let choice = [ModelContext.UniqueChoice.upsert, .keepExisting, .mergeNonNil][random.next(3)]
      choices[ObjectIdentifier(model)] = choice
      story.append("new \(name) with \(partner ?? "nil"), \(choice)")
      if let partner, let other = view[partner]?.model {
        given.insert(partner)
        if random.next(2) == 0 { give(other, to: model) } else { give(model, to: other) }
      }
      let isNew = stored.insert(name).inserted
      if !isNew { merged += 1 }
      if isNew || choice != .keepExisting, let partner { pair(name, partner) }
    }
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
  @Test(arguments: 0..<30, [false, true]) func `merges of partners agree with pairs`(
    seed: UInt64, isMutual: Bool
  ) throws {
    var play = try PairPlay(seed, isMutual: isMutual)
    for _ in 0..<12 where !play.isOver { try play.step() }
    #expect(play.isOver || play.merges > 5)
  }
}
