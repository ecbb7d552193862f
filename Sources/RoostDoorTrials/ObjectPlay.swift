internal import Foundation
internal import Roost
internal import RoostTestSupport

/// One random play: contexts of one store are changed in every way, and an ``ObjectWorld`` has the
/// expected result.
///
/// One context works at a time, and passes the store on with a save. Meanwhile models read and
/// change things in their `deinit`.
final class ObjectPlay {
  var random: SplitMix64
  let container: ModelContainer
  var context: ModelContext
  var world = ObjectWorld()
  /// The world as it is stored.
  var saved = ObjectWorld()
  /// The models of the working context, by number.
  var models: [Int: any PersistentModel] = [:]
  var next = 1
  /// The first fault.
  var complaint: String?
  private(set) var counts: [String: Int] = [:]
  /// How much a `deinit` may do before the next step: the objects that it loads end too, and load
  /// more.
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

  // MARK: Deinitializers

  /// Runs in the `deinit` of a model. The model may be in no context or deleted, or the context may
  /// be in the middle of a call.
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
        // The work of a deinit on its own model is reported once, and has no effect.
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

  /// Another context continues: everything is saved and fetched again.
  private func handOver() throws {
    try save()
    models = [:]
    if random.chance(1, in: 2) {
      // The former context ends after the access, because deinits use the working context.
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
