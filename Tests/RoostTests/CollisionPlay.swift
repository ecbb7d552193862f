import SwiftData
import Testing

/// Saves of two contexts that insert many wares at once, compared with plain rows that get the same
/// changes ware by ware.
///
/// New wares have codes of stored wares, of each other, and of wares that the same save changes,
/// renames or deletes. They reference groups (a list), labels (lists on both sides) and seals
/// (one-to-one). Each save has a random policy, and the other context may commit before it.
///
/// In a save each seal is referenced once. `TakenPartnerTests` tests several wares for one seal.
struct CollisionPlay {
  private struct Row: Equatable {
    var title: String?
    var count = 0
    var version = 0
    var group: String?
    var seal: Int?
    var labels: Set<String> = []
  }

  private enum Policy: CaseIterable {
    case upsert, keepExisting, mergeNonNil, `throw`, newest, fields, resolve
  }

  /// The visible models of a context.
  private struct View {
    var wares: [String: Ware] = [:]
    var groups: [String: WareGroup] = [:]
    var labels: [String: WareLabel] = [:]
    var seals: [Int: Seal] = [:]

    init(_ context: ModelContext) throws {
      for one in try context.fetch(FetchDescriptor<Ware>()) { wares[one.code] = one }
      for one in try context.fetch(FetchDescriptor<WareGroup>()) { groups[one.name] = one }
      for one in try context.fetch(FetchDescriptor<WareLabel>()) { labels[one.text] = one }
      for one in try context.fetch(FetchDescriptor<Seal>()) { seals[one.number] = one }
    }
  }

  private struct Refused: Error {}

  private var random: Random
  private let seed: UInt64
  private let container: ModelContainer
  private let users: [ModelContext]
  private var stored: [String: Row] = [:]
  private var names: [String: PersistentIdentifier] = [:]
  /// The names after the current save, if it succeeds.
  private var nextNames: [String: PersistentIdentifier] = [:]
  private var fresh = 0
  private var text = ""
  private(set) var isOver = false
  /// Counts of what happened.
  private(set) var counts: [String: Int] = [:]

  private static let groups = ["red", "green", "blue"]
  private static let labels = ["w", "x", "y", "z"]
  private static let sealCount = 12
  /// Seals that the current save gives to stored wares.
  private var given: Set<Int> = []

  init(_ seed: UInt64) throws {
    random = Random(seed: seed &* 104_729)
    self.seed = seed
    container = try Stock.container()
    users = [ModelContext(container), ModelContext(container)]
    let context = ModelContext(container)
    for name in Self.groups { context.insert(WareGroup(name)) }
    for text in Self.labels { context.insert(WareLabel(text)) }
    for number in 0..<Self.sealCount { context.insert(Seal(number)) }
    try context.save()
  }

  // MARK: One save

  mutating func step() throws {
    let context = users[random.next(2)]
    let view = try View(context)
    var next = stored
    var touched: Set<String> = []
    var freed: [String] = []
    nextNames = names
    given = []
    for _ in 0..<random.next(5) { change(view, context, &next, &touched, &freed) }
    let new = makeNew(freed)
    var wares: [Ware] = []
    for one in new { wares.append(insert(one, view, context)) }
    let policy = Policy.allCases[random.next(Policy.allCases.count)]
    try Self.choose(policy, context)
    if random.next(3) == 0 {
      // Half of these saves find the other commit themselves.
      context.automaticallyMergesChanges = random.next(2) == 0
      try commitElsewhere(context, touched, &next)
    }
    counts["saves", default: 0] += 1
    text = "seed \(seed), save \(counts["saves"] ?? 0), \(policy)"
    do {
      let merges = try put(new, policy, &next)
      #expect(throws: Never.self, "\(text)") { try context.save() }
      #expect(context.lastSave.mergeCount == merges, "\(text)")
      counts["merges", default: 0] += merges
      (stored, names) = (next, nextNames)
    } catch is Refused {
      counts["refusals", default: 0] += 1
      let error = #expect(throws: RoostError.self, "\(text)") { try context.save() }
      #expect(error?.code == .notUnique, "\(text)")
      context.rollback()
    }
    context.automaticallyMergesChanges = true
    try compare(ModelContext(container))
    for user in users { try compare(user) }
    // Fetches return the models that the program holds, so these show the changes too.
    withExtendedLifetime((view, wares)) {}
  }

  /// Changes a stored ware that this save has not changed yet.
  private mutating func change(
    _ view: View, _ context: ModelContext, _ next: inout [String: Row], _ touched: inout Set<String>,
    _ freed: inout [String]
  ) {
    let codes = stored.keys.filter { !touched.contains($0) }.sorted()
    guard !codes.isEmpty else { return }
    let code = codes[random.next(codes.count)]
    guard let ware = view.wares[code] else { return }
    touched.insert(code)
    switch random.next(8) {
    case 0:
      fresh += 1
      ware.code = "r\(fresh)"
      next[ware.code] = next.removeValue(forKey: code)
      nextNames[ware.code] = nextNames.removeValue(forKey: code)
      touched.insert(ware.code)
      freed.append(code)
    case 1:
      context.delete(ware)
      next[code] = nil
      nextNames[code] = nil
      freed.append(code)
    case 2:
      let name = Self.groups[random.next(3)]
      ware.group = view.groups[name]
      next[code]?.group = name
    case 3: give(nil, to: ware, code, &next)
    case 4:
      let seal = Seal(newSeal())
      give(seal, to: ware, code, &next)
    case 5:
      let number = random.next(Self.sealCount)
      if given.insert(number).inserted { give(view.seals[number], to: ware, code, &next) }
    case 6:
      let label = Self.labels[random.next(4)]
      // From either side.
      if random.next(2) == 0 {
        ware.labels.removeAll { $0.text == label }
      } else {
        view.labels[label]?.wares.removeAll { $0 === ware }
      }
      next[code]?.labels.remove(label)
    default:
      ware.count += 100
      next[code]?.count += 100
      let label = Self.labels[random.next(4)]
      if next[code]?.labels.contains(label) == false, let label = view.labels[label] { ware.labels.append(label) }
      next[code]?.labels.insert(label)
    }
  }

  private mutating func newSeal() -> Int {
    fresh += 1
    return 100 + fresh
  }

  private mutating func give(_ seal: Seal?, to ware: Ware, _ code: String, _ next: inout [String: Row]) {
    if let seal {
      for (other, had) in next where had.seal == seal.number { next[other]?.seal = nil }
    }
    if let seal, random.next(2) == 0 { seal.ware = ware } else { ware.seal = seal }
    next[code]?.seal = seal?.number
  }

  private mutating func makeNew(_ freed: [String]) -> [(code: String, row: Row)] {
    var all: [(code: String, row: Row)] = []
    for _ in 0...random.next(random.next(4) == 0 ? 60 : 8) {
      var code = "c\(random.next(40))"
      if !freed.isEmpty, random.next(4) == 0 { code = freed[random.next(freed.count)] }
      if let last = all.last, random.next(6) == 0 { code = last.code }
      var row = Row(count: random.next(50), version: random.next(6))
      if random.next(2) == 0 { row.title = "t\(random.next(9))" }
      if random.next(2) == 0 { row.group = Self.groups[random.next(3)] }
      for label in Self.labels where random.next(6) == 0 { row.labels.insert(label) }
      all.append((code, row))
    }
    var seals = (0..<Self.sealCount).filter { !given.contains($0) }
    for at in all.indices where !seals.isEmpty && random.next(3) == 0 {
      all[at].row.seal = seals.remove(at: random.next(seals.count))
    }
    return all
  }

  private mutating func insert(_ one: (code: String, row: Row), _ view: View, _ context: ModelContext) -> Ware {
    let ware = Ware(one.code, title: one.row.title, count: one.row.count, version: one.row.version)
    let isFirst = random.next(2) == 0
    if isFirst { context.insert(ware) }
    if let name = one.row.group, let group = view.groups[name] {
      // From either side.
      if isFirst, random.next(3) == 0 { group.wares.append(ware) } else { ware.group = group }
    }
    if !one.row.labels.isEmpty { ware.labels = one.row.labels.sorted().compactMap { view.labels[$0] } }
    if let number = one.row.seal {
      let seal = view.seals[number]
      if isFirst, random.next(2) == 0 { seal?.ware = ware } else { ware.seal = seal }
    }
    if !isFirst { context.insert(ware) }
    return ware
  }

  /// Lets the other context insert wares, which the save does not know.
  private mutating func commitElsewhere(
    _ context: ModelContext, _ touched: Set<String>, _ next: inout [String: Row]
  ) throws {
    let other = context === users[0] ? users[1] : users[0]
    try Self.choose(.upsert, other)
    var new: [(code: String, row: Row)] = []
    for _ in 0...random.next(6) {
      let code = "c\(random.next(40))"
      if touched.contains(code) { continue }
      let row = Row(title: "other", count: 1000 + random.next(50), version: random.next(6))
      other.insert(Ware(code, title: row.title, count: row.count, version: row.version))
      new.append((code, row))
    }
    try other.save()
    _ = try put(new, .upsert, &stored)
    _ = try put(new, .upsert, &next)
    counts["others", default: 0] += 1
  }

  // MARK: The rules

  private static func choose(_ policy: Policy, _ context: ModelContext) throws {
    try context.setUniquePolicy(nil, for: Ware.self)
    switch policy {
    case .upsert: context.uniquePolicy = .upsert
    case .keepExisting: context.uniquePolicy = .keepExisting
    case .mergeNonNil: context.uniquePolicy = .mergeNonNil
    case .throw: context.uniquePolicy = .throw
    case .newest: try context.setUniquePolicy(.newest(by: \.version), for: Ware.self)
    case .fields: try context.setUniquePolicy(.fields(\.title, \.count), for: Ware.self)
    case .resolve:
      try context.setUniquePolicy(
        .resolve { inserted, existing in
          inserted.count += existing.count
          return [.upsert, .keepExisting, .mergeNonNil][inserted.version % 3]
        }, for: Ware.self)
    }
  }

  /// Applies to new wares, one after the other, what a save does. Returns how many were merged.
  private func put(
    _ new: [(code: String, row: Row)], _ policy: Policy, _ next: inout [String: Row]
  ) throws -> Int {
    var merges = 0
    for (code, row) in new {
      var row = row
      if let old = next[code] {
        merges += 1
        row = try merged(row, old, policy)
      }
      if let seal = row.seal {
        for (other, had) in next where other != code && had.seal == seal { next[other]?.seal = nil }
      }
      next[code] = row
    }
    return merges
  }

  /// The merged row.
  private func merged(_ new: Row, _ old: Row, _ policy: Policy) throws -> Row {
    var (kept, upserted) = (old, new)
    // The new ware's lists are added in any case, and a nil reference changes nothing.
    kept.labels.formUnion(new.labels)
    upserted.labels = kept.labels
    upserted.group = new.group ?? old.group
    upserted.seal = new.seal ?? old.seal
    var filled = upserted
    filled.title = new.title ?? old.title
    switch policy {
    case .upsert: return upserted
    case .keepExisting: return kept
    case .mergeNonNil: return filled
    case .throw: throw Refused()
    case .newest: return new.version < old.version ? kept : upserted
    case .fields:
      kept.title = new.title
      kept.count = new.count
      return kept
    case .resolve:
      upserted.count += old.count
      filled.count += old.count
      return [upserted, kept, filled][new.version % 3]
    }
  }

  private mutating func compare(_ context: ModelContext) throws {
    let view = try View(context)
    var found: [String: Row] = [:]
    for (code, ware) in view.wares {
      found[code] = Row(
        title: ware.title, count: ware.count, version: ware.version, group: ware.group?.name, seal: ware.seal?.number,
        labels: Set(ware.labels.map(\.text)))
      #expect(ware.labels.count == found[code]?.labels.count, "\(text), \(code)")
      // A stored ware keeps its identifier.
      #expect(names[code] ?? ware.persistentModelID == ware.persistentModelID, "\(text), \(code)")
      names[code] = ware.persistentModelID
    }
    names = names.filter { found[$0.key] != nil }
    for code in Set(found.keys).union(stored.keys).sorted() where found[code] != stored[code] {
      isOver = true
      Issue.record("\(text), \(code): \(String(describing: found[code])), not \(String(describing: stored[code]))")
    }
    // The other sides.
    for (name, group) in view.groups {
      let members = group.wares.map(\.code).sorted()
      #expect(members == stored.filter { $0.value.group == name }.keys.sorted(), "\(text), \(name)")
    }
    for (name, label) in view.labels {
      let members = label.wares.map(\.code).sorted()
      #expect(members == stored.filter { $0.value.labels.contains(name) }.keys.sorted(), "\(text), \(name)")
    }
    for (number, seal) in view.seals {
      #expect(seal.ware?.code == stored.first { $0.value.seal == number }?.key, "\(text), seal \(number)")
    }
  }
}

@Suite struct CollisionPlayTests {
  @Test(arguments: 1...40) func `many new models with the unique values of others agree with rows`(seed: UInt64) throws
  {
    var play = try CollisionPlay(seed)
    for _ in 0..<40 where !play.isOver { try play.step() }
    #expect(play.isOver || play.counts["merges", default: 0] > 50)
  }

  @Test func `the play has many merges and refusals`() throws {
    var counts: [String: Int] = [:]
    for seed in UInt64(41)...44 {
      var play = try CollisionPlay(seed)
      for _ in 0..<40 where !play.isOver { try play.step() }
      counts.merge(play.counts, uniquingKeysWith: +)
    }
    #expect(counts["merges", default: 0] > 400 && counts["refusals", default: 0] > 4, "\(counts)")
  }
}
