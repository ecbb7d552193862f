internal import Foundation
internal import Roost
internal import RoostTestSupport

/// Shorter plays, each about one subject and with stores of its own.
struct ObjectParts: Sendable {
  let run: @Sendable (_ seed: UInt64) throws -> String?

  static let all: [ObjectParts] = [.wide, .optionalLists, .counters]

  private static func makeContainer(_ models: any PersistentModel.Type...) throws -> ModelContainer {
    try ModelContainer(for: Schema(models), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  /// Two contexts change different properties of one object with more than 63 properties.
  static let wide = ObjectParts { seed in
    var random = SplitMix64(seed: seed)
    let container = try ObjectParts.makeContainer(Broad.self)
    let contexts = (0..<2).map { _ in ModelContext(container) }
    contexts[0].insert(Broad())
    try contexts[0].save()
    var wanted = [Int](repeating: 0, count: Broad.properties.count)
    for round in 1...6 {
      let objects = try contexts.map { try $0.fetch(FetchDescriptor<Broad>())[0] }
      var places = Array(wanted.indices).shuffled(using: &random).prefix(6)
      // The last properties share one bit.
      if random.chance(1, in: 2) { places = [61, 62, 63, 64, 68, 69].shuffled(using: &random)[...] }
      for (number, place) in places.enumerated() {
        wanted[place] = round * 100 + number
        objects[number % 2][keyPath: Broad.properties[place]] = wanted[place]
      }
      for context in contexts.shuffled(using: &random) { try context.save() }
      let found = try ModelContext(container).fetch(FetchDescriptor<Broad>())[0]
      let values = Broad.properties.map { found[keyPath: $0] }
      if values != wanted { return "wide, round \(round): \(values), and must be \(wanted)" }
    }
    return nil
  }

  /// An optional list is never nil in a context, and `nil` empties it.
  static let optionalLists = ObjectParts { seed in
    var random = SplitMix64(seed: seed)
    let container = try ObjectParts.makeContainer(Coop.self, Hen.self)
    var context = ModelContext(container)
    let coops = (0..<3).map { Coop($0) }
    for coop in coops { context.insert(coop) }
    var wanted: [[Int]] = [[], [], []]
    var loose = 0
    for number in 0..<12 {
      let at = random.below(3)
      let all = try context.fetch(FetchDescriptor<Coop>(sortBy: [SortDescriptor(\.number)]))
      switch random.below(5) {
      case 0:
        all[at].hens = nil
        loose += wanted[at].count
        wanted[at] = []
      case 1:
        let hen = Hen(number)
        context.insert(hen)
        hen.coop = all[at]
        wanted[at].append(number)
      case 2, 3:
        all[at].hens?.append(Hen(number))
        wanted[at].append(number)
      default:
        all[at].hens?.reverse()
        wanted[at].reverse()
      }
      if random.chance(1, in: 3) {
        try context.save()
        if random.chance(1, in: 2) { context = ModelContext(container) }
      }
      let shown = try context.fetch(FetchDescriptor<Coop>(sortBy: [SortDescriptor(\.number)])).map {
        $0.hens?.map(\.number)
      }
      if shown != wanted.map(Optional.some) { return "optional lists, step \(number): \(shown), and must be \(wanted)" }
    }
    let coop = try context.fetch(FetchDescriptor<Coop>(sortBy: [SortDescriptor(\.number)]))[0]
    context.delete(coop)
    try context.save()
    let left = try ModelContext(container).fetch(FetchDescriptor<Hen>()).filter { $0.coop == nil }.count
    return left == loose ? nil : "optional lists: a cascade left hens behind"
  }

  /// Under `.error` no increment is lost, whatever the order in which contexts save.
  static let counters = ObjectParts { seed in
    var random = SplitMix64(seed: seed)
    let container = try ObjectParts.makeContainer(Tally.self)
    let contexts = (0..<3).map { _ in ModelContext(container) }
    for context in contexts { context.mergePolicy = .error }
    contexts[0].insert(Tally())
    try contexts[0].save()
    var acknowledged = 0
    for _ in 0..<12 {
      for context in contexts where random.chance(2, in: 3) {
        try context.fetch(FetchDescriptor<Tally>())[0].count += 1
      }
      for context in contexts.shuffled(using: &random) where context.hasChanges {
        do {
          try context.save()
          acknowledged += 1
        } catch { context.rollback() }
      }
    }
    let stored = try ModelContext(container).fetch(FetchDescriptor<Tally>())[0].count
    return stored == acknowledged ? nil : "counters: \(acknowledged) were acknowledged, and \(stored) are stored"
  }
}
