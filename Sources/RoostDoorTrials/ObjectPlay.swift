internal import Foundation
internal import Roost
internal import RoostTestSupport

/// One random play: contexts of one store that are changed in every way, beside an ``ObjectWorld`` that says what must be.
///
/// One context works at a time, and hands the store on with a save. Models read and change things in their `deinit` meanwhile.
final class ObjectPlay {
  var random: SplitMix64
  let container: ModelContainer
  var context: ModelContext
  var world = ObjectWorld()
  /// As it is stored.
  var saved = ObjectWorld()
  /// The models of the context at work, by number.
  var models: [Int: any PersistentModel] = [:]
  var next = 1
  /// What went wrong first.
  var complaint: String?
  private(set) var counts: [String: Int] = [:]
  /// What a `deinit` may still do before the next step: what it loads ends too, and loads more.
  private var budget = 0
  private let isSelfish: Bool

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed &* 2_654_435_761)
    container = try ModelContainer(
      for: Farm.self, Ranch.self, Beast.self, Barn.self, Hand.self, Tally.self, Coop.self, Hen.self, Broad.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    context.autosaveEnabled = false
    isSelfish = random.chance(1, in: 5)
    for _ in 0..<3 { context.insert(Tally()) }
    for kind in [ObjectWorld.Kind.farm, .ranch, .ranch, .beast, .beast, .beast, .barn, .hand] { make(kind) }
    DeinitHook.body = { [weak self] in self?.end($0) }
  }

  func run(steps: Int, _ place: (Int) -> Void) throws -> String? {
    defer { DeinitHook.body = nil }
    for step in 1...steps {
      place(step)
      budget = 12
      for _ in 0...random.below(4) { try change() }
      switch random.below(10) {
      case 0, 1: try save()
      case 2: rollback()
      case 3: try handOver()
      case 4:
        context.processPendingChanges()
        _ = try context.fetch(FetchDescriptor<Beast>())
      default: break
      }
      if random.chance(1, in: 2) { check("step \(step)") }
      if complaint != nil { return complaint }
    }
    try save()
    try handOver()
    check("the end")
    return complaint
  }

  func count(_ name: String) { counts[name, default: 0] += 1 }

  func pick(_ numbers: [Int]) -> Int? { numbers.isEmpty ? nil : numbers[random.below(numbers.count)] }

  func model<Model: PersistentModel>(_ number: Int, _ type: Model.Type = Model.self) -> Model {
    guard let model = models[number] as? Model else { preconditionFailure("object \(number) is no \(type)") }
    return model
  }

  // MARK: Ends

  /// What a model does when it ends. It may be in no context, deleted, or the context may be in the middle of a call.
  private func end(_ model: any PersistentModel) {
    count("deinits")
    budget -= 1
    if budget < 0 { return }
    switch model {
    case let ranch as Ranch: _ = (ranch.barns.count, ranch.hands.count, ranch.guests.count, ranch.beasts.count)
    case let farm as Farm: _ = (farm.size, farm.beasts.count)
    case let beast as Beast: _ = (beast.farm?.number, beast.mate?.weight, beast.rival?.farm?.size)
    case let barn as Barn: _ = barn.ranch?.hands.count
    case let hand as Hand: _ = hand.ranches.map(\.number)
    default: break
    }
    if isSelfish, model.modelContext != nil, let beast = model as? Beast, !beast.hasChanges { beast.weight += 1 }
    guard let tallies = try? context.fetch(FetchDescriptor<Tally>()), let tally = tallies.first else { return }
    tally.count += 1
    tally.last = tallies.last
    if tally.scraps.count > 3 {
      tally.scraps.removeAll()
    } else if let last = tallies.last, !tally.scraps.contains(where: { $0 === last }) {
      tally.scraps.append(last)
    }
    if tallies.count < 6 { context.insert(Tally()) }
  }

  // MARK: Saves

  func save() throws {
    var turns = 0
    while true {
      do {
        try context.save()
        break
      } catch {
        // What a deinit did with its own model is told once, and has no effect.
        turns += 1
        if !isSelfish || turns > 4 { throw error }
      }
    }
    for number in world.objects.keys where !world.isAlive(number) { models[number] = nil }
    world.settle()
    saved = world
    count("saves")
  }

  private func rollback() {
    if random.chance(1, in: 3) { context.reset() } else { context.rollback() }
    world = saved
    models = models.filter { world.objects[$0.key] != nil }
    count("rollbacks")
  }

  /// Another context goes on: everything is saved and found again.
  private func handOver() throws {
    try save()
    models = [:]
    if random.chance(1, in: 2) {
      // The former one ends after the access: deinits ask for the context at work.
      let former = context
      context = ModelContext(container)
      withExtendedLifetime(former) {}
    }
    context.autosaveEnabled = false
    for one in try context.fetch(FetchDescriptor<Farm>()) { models[one.number] = one }
    for one in try context.fetch(FetchDescriptor<Beast>()) { models[one.number] = one }
    for one in try context.fetch(FetchDescriptor<Barn>()) { models[one.number] = one }
    for one in try context.fetch(FetchDescriptor<Hand>()) { models[one.number] = one }
    if Set(models.keys) != Set(world.objects.keys) {
      complaint = complaint ?? "there are \(models.keys.sorted()), and must be \(world.objects.keys.sorted())"
    }
    count("contexts")
  }
}
