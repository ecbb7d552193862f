import Foundation
import SwiftData
import Testing

/// Several contexts that insert wares with few codes and do bulk writes, at random and with random
/// policies, compared with a dictionary that follows the same rules.
struct StockPlay {
  private struct Row: Equatable {
    var title: String?
    var count = 0
    var version = 0
    var updatedAt: Date?
    var group: String?
  }

  private enum Policy: CaseIterable {
    case upsert, keepExisting, mergeNonNil, `throw`, newest, newestDate, fields, resolve
  }

  private final class User {
    let context: ModelContext
    var policy = Policy.upsert
    /// The unsaved wares, in the order of insertion.
    var waiting: [(code: String, row: Row)] = []

    init(_ container: ModelContainer) { context = ModelContext(container) }
  }

  private struct Refused: Error {}

  private var random: Random
  private let story: String
  private let container: ModelContainer
  private let users: [User]
  private var stored: [String: Row] = [:]
  private var names: [String: PersistentIdentifier] = [:]
  private(set) var isOver = false
  private(set) var merges = 0
  private(set) var refusals = 0

  init(_ seed: UInt64) throws {
    random = Random(seed: seed &* 7_919)
    story = "seed \(seed)"
    container = try Stock.container()
    users = (0..<3).map { [container] _ in User(container) }
    let context = ModelContext(container)
    for name in ["tools", "toys"] { context.insert(WareGroup(name)) }
    try context.save()
  }

  // MARK: Policies

  private mutating func choose(_ user: User) throws {
    user.policy = Policy.allCases[random.next(Policy.allCases.count)]
    let context = user.context
    // Policies of both kinds are set for the class or for the context at random.
    try context.setUniquePolicy(nil, for: Ware.self)
    let isForAll = random.next(2) == 0
    switch user.policy {
    case .upsert:
      if isForAll { context.uniquePolicy = .upsert } else { try context.setUniquePolicy(.upsert, for: Ware.self) }
    case .keepExisting:
      if isForAll {
        context.uniquePolicy = .keepExisting
      } else {
        try context.setUniquePolicy(.keepExisting, for: Ware.self)
      }
    case .mergeNonNil:
      if isForAll {
        context.uniquePolicy = .mergeNonNil
      } else {
        try context.setUniquePolicy(.mergeNonNil, for: Ware.self)
      }
    case .throw:
      if isForAll { context.uniquePolicy = .throw } else { try context.setUniquePolicy(.throw, for: Ware.self) }
    case .newest: try context.setUniquePolicy(.newest(by: \.version), for: Ware.self)
    case .newestDate: try context.setUniquePolicy(.newest(by: \.updatedAt), for: Ware.self)
    case .fields: try context.setUniquePolicy(.fields(\.title, \.count), for: Ware.self)
    case .resolve:
      try context.setUniquePolicy(
        .resolve { inserted, existing in
          inserted.count += existing.count
          switch inserted.version % 3 {
          case 0: return .upsert
          case 1: return .keepExisting
          default: return .mergeNonNil
          }
        }, for: Ware.self)
    }
  }

  /// The merged row.
  private func merged(_ new: Row, _ old: Row, _ policy: Policy) throws -> Row {
    var upserted = new
    upserted.group = new.group ?? old.group
    var filled = upserted
    filled.title = new.title ?? old.title
    filled.updatedAt = new.updatedAt ?? old.updatedAt
    switch policy {
    case .upsert: return upserted
    case .keepExisting: return old
    case .mergeNonNil: return filled
    case .throw: throw Refused()
    case .newest: return new.version < old.version ? old : upserted
    case .newestDate:
      guard let there = old.updatedAt else { return upserted }
      guard let here = new.updatedAt else { return old }
      return here < there ? old : upserted
    case .fields:
      var row = old
      row.title = new.title
      row.count = new.count
      return row
    case .resolve:
      upserted.count += old.count
      filled.count += old.count
      return [upserted, old, filled][new.version % 3]
    }
  }

  private mutating func put(_ all: [(code: String, row: Row)], _ policy: Policy, _ next: inout [String: Row]) throws {
    for (code, row) in all {
      guard let old = next[code] else {
        next[code] = row
        continue
      }
      merges += 1
      next[code] = try merged(row, old, policy)
    }
  }

  // MARK: Steps

  private mutating func makeRow() -> (code: String, row: Row) {
    var row = Row(count: random.next(50), version: random.next(6))
    if random.next(2) == 0 { row.title = "t\(random.next(9))" }
    if random.next(3) > 0 { row.updatedAt = Date(timeIntervalSince1970: Double(random.next(4))) }
    if random.next(3) == 0 { row.group = ["tools", "toys"][random.next(2)] }
    return ("c\(random.next(7))", row)
  }

  private static func make(_ one: (code: String, row: Row), _ groups: [WareGroup]) -> Ware {
    Ware(
      one.code, title: one.row.title, count: one.row.count, version: one.row.version, updatedAt: one.row.updatedAt,
      group: groups.first { $0.name == one.row.group })
  }

  mutating func step() throws {
    let user = users[random.next(users.count)]
    var next = stored
    let policy: Policy
    var writes: () throws -> Void = {}
    switch random.next(10) {
    case 0...2:
      for _ in 0...random.next(3) {
        let one = makeRow()
        user.context.insert(Self.make(one, try user.context.fetch(FetchDescriptor<WareGroup>())))
        user.waiting.append(one)
      }
      return
    case 3...5:
      try choose(user)
      policy = user.policy
      let context = user.context
      writes = { try context.save() }
      let all = user.waiting
      user.waiting = []
      try act(&next, writes, user) { play, next in try play.put(all, policy, &next) }
    case 6, 7:
      try choose(user)
      policy = user.policy
      let all = (0...random.next(5)).map { _ in makeRow() }
      let context = user.context
      let groups = try context.fetch(FetchDescriptor<WareGroup>())
      // Made within the batch: before it, the reference to a stored group would insert a ware.
      writes = { try context.insert(batch: all) { Self.make($0, groups) } }
      try act(&next, writes, user) { play, next in try play.put(all, policy, &next) }
    case 8:
      let least = random.next(30)
      let context = user.context
      // Unsaved changes of the same wares prevent the write.
      if user.waiting.contains(where: { $0.row.count >= least }) { return }
      writes = {
        try context.update(model: Ware.self, where: #Predicate { $0.count >= least }) {
          $0.count += 1
          if $0.version == 2 { $0.title = nil }
        }
      }
      try act(&next, writes, user) { _, next in
        for (code, row) in next where row.count >= least {
          next[code]?.count += 1
          if row.version == 2 { next[code]?.title = nil }
        }
      }
    default:
      let version = random.next(6)
      let context = user.context
      if user.waiting.contains(where: { $0.row.version == version }) { return }
      writes = { try context.deleteAll(model: Ware.self, where: #Predicate { $0.version == version }) }
      try act(&next, writes, user) { _, next in next = next.filter { $0.value.version != version } }
    }
  }

  private mutating func act(
    _ next: inout [String: Row], _ writes: () throws -> Void, _ user: User,
    _ rule: (inout StockPlay, inout [String: Row]) throws -> Void
  ) throws {
    do {
      try rule(&self, &next)
      #expect(throws: Never.self, "\(story), \(user.policy)") { try writes() }
      stored = next
    } catch is Refused {
      refusals += 1
      let error = #expect(throws: RoostError.self, "\(story)") { try writes() }
      #expect(error?.code == .notUnique, "\(story)")
      user.context.rollback()
      user.waiting = []
    }
    try compare(ModelContext(container), "\(story), \(user.policy)")
    // The other contexts show it too.
    try compare(users[0].context, "\(story), \(user.policy), context 0")
  }

  private mutating func compare(_ context: ModelContext, _ text: String) throws {
    var descriptor = FetchDescriptor<Ware>()
    descriptor.includePendingChanges = false
    var found: [String: Row] = [:]
    for ware in try context.fetch(descriptor) {
      #expect(found[ware.code] == nil, "\(text): two are \(ware.code)")
      found[ware.code] = Row(
        title: ware.title, count: ware.count, version: ware.version, updatedAt: ware.updatedAt, group: ware.group?.name)
      // The kept row's identifier stays as long as it exists.
      #expect(names[ware.code] ?? ware.persistentModelID == ware.persistentModelID, "\(text): \(ware.code)")
      names[ware.code] = ware.persistentModelID
    }
    names = names.filter { found[$0.key] != nil }
    #expect(found == stored, "\(text)")
    if found != stored { isOver = true }
  }
}

@Suite struct StockPlayTests {
  @Test(arguments: 1...60) func `unique values stay unique, and no value that a policy keeps is lost`(
    seed: UInt64
  ) throws {
    var play = try StockPlay(seed)
    for _ in 0..<120 where !play.isOver { try play.step() }
    #expect(play.isOver || play.merges > 20)
  }
}
