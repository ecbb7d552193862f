package import RoostKV
package import RoostPages

/// The actions of a test on one store from begin to end: options, and actions in order.
package struct Scenario: Sendable {
  package enum Action: Sendable {
    case write([Change], RoostKV.Durability, abandons: Bool)
    case checkpoint
    /// Closes the store and opens it again.
    case reopen
    /// Holds a reader of the present commit.
    case hold
    /// Compares the oldest held reader with its copy, and releases it.
    case release
    /// One step of compaction, of about this many pages.
    case compact(Int)
    /// Backs up the present commit beside the store, over an earlier copy.
    case backup
    /// Closes the store, salvages it over an earlier copy, and opens it again.
    case salvage
    /// Reads it through an opening for reading only, while it is open or closed.
    case readOnly(closes: Bool)
  }

  package var options = StoreOptions()
  package var actions: [Action] = []

  package init() {}

  /// The size of the random scenarios of a test.
  package struct Shape: Sendable {
    package var actions = 30
    package var changes = 12
    package var keys = 60
    package var trees = 3
    /// One value in this many is larger than a page.
    package var largeOneIn = 25
    /// One scenario in this many has a value of a megabyte.
    package var namedOneIn = 8

    package init() {}
  }

  /// Options with which little work has large effects: deep trees, many log segments, frequent
  /// checkpoints.
  package static func options(_ generator: inout SplitMix64) -> StoreOptions {
    var options = StoreOptions()
    options.checkpointing = generator.chance(1, in: 4) ? .manual : .inline
    options.fanoutLimit = generator.pick([3, 4, 6, 12, Int.max])
    options.segmentBytes = generator.pick([4096, 4096, 8192, 16384])
    options.logBytes = generator.pick([8192, 20000, 60000])
    options.draftBytes = generator.pick([8, 16, 40, 400]) * 4096
    options.cacheBytes = generator.pick([64, 64, 1000]) * 4096
    let source = Source(generator.split())
    options.random = { source.next() }
    options.say = { _ in }
    return options
  }

  package static func random(_ seed: UInt64, _ shape: Shape = Shape()) -> Scenario {
    var generator = SplitMix64(seed: seed &* 0x9E37_79B9 &+ 17)
    var scenario = Scenario()
    scenario.options = options(&generator)
    var namedLeft = generator.chance(1, in: shape.namedOneIn) ? 1 + generator.below(2) : 0
    var held = 0
    for _ in 0..<shape.actions {
      switch generator.below(24) {
      case 0: scenario.actions.append(.checkpoint)
      case 1: scenario.actions.append(.reopen)
      case 2 where held < 3:
        held += 1
        scenario.actions.append(.hold)
      case 3 where held > 0:
        held -= 1
        scenario.actions.append(.release)
      case 4: scenario.actions.append(.compact(generator.pick([3, 20, 1000])))
      case 5: scenario.actions.append(generator.chance(1, in: 3) ? .salvage : .backup)
      case 6: scenario.actions.append(.readOnly(closes: generator.chance(1, in: 3)))
      default:
        let count = 1 + generator.below(shape.changes)
        let changes = (0..<count).map { _ in Change.random(&generator, shape, namedLeft: &namedLeft, depth: 0) }
        scenario.actions.append(
          .write(
            changes, generator.chance(2, in: 3) ? .full : .relaxed, abandons: generator.chance(1, in: 12)))
      }
    }
    return scenario
  }

  /// A store whose last close moves pages: those at its end are used, and many before them are
  /// free.
  package static func holed(_ seed: UInt64) -> Scenario {
    var generator = SplitMix64(seed: seed &* 0x9E37_79B9 &+ 23)
    var scenario = Scenario()
    scenario.options = options(&generator)
    let gone = Change.Place(isTable: true, number: 0)
    let kept = Change.Place(isTable: generator.chance(1, in: 2), number: 1)
    func puts(_ place: Change.Place, _ count: Int, length: Int) -> [Change] {
      (0..<count).map { .put(place, key: $0, Change.Value(length: length, seed: generator.next())) }
    }
    let large = Change.put(kept, key: 7, Change.Value(length: 30_000, seed: generator.next(), repeats: true))
    scenario.actions = [
      .write(puts(gone, 500, length: 700), .full, abandons: false), .checkpoint,
      .write(puts(kept, 90, length: 200) + [large], .full, abandons: false), .checkpoint,
      .write([.drop(gone)], .full, abandons: false), .reopen,
    ]
    return scenario
  }

  /// Random numbers for a store's salts, the same in each run.
  private final class Source: @unchecked Sendable {
    // Unchecked because a store calls it under its own locks, one thread at a time.
    private var generator: SplitMix64
    init(_ generator: SplitMix64) { self.generator = generator }
    func next() -> UInt64 { max(generator.next(), 1) }
  }
}

extension Change {
  static func random(
    _ generator: inout SplitMix64, _ shape: Scenario.Shape, namedLeft: inout Int, depth: Int
  ) -> Change {
    let place = Place(isTable: generator.chance(2, in: 5), number: generator.below(shape.trees))
    let key = generator.below(shape.keys)
    switch generator.below(40) {
    case 0..<21:
      return .put(place, key: key, .random(&generator, shape, namedLeft: &namedLeft))
    case 21..<24: return .look(place, key: key)
    case 24..<32: return .remove(place, key: key)
    case 32, 33:
      return .removeRange(place, low: key, high: generator.chance(1, in: 6) ? nil : generator.below(shape.keys))
    case 34:
      if generator.chance(1, in: 2) { return .make(place) }
      let keys = key..<key + 1 + generator.below(min(shape.keys, 300))
      let built = Change.build(place, keys, seed: generator.next(), fails: generator.chance(1, in: 6))
      // Most trees are not empty, and then a build is refused.
      let changes = generator.chance(1, in: 6) ? [built] : [.drop(place), built]
      return .savepoint(changes, fails: generator.chance(1, in: 4))
    case 35: return generator.chance(1, in: 2) ? .drop(place) : .remove(place, key: key)
    case 36: return .rename(place, generator.below(shape.trees))
    default:
      if depth >= 2 { return .remove(place, key: key) }
      let count = 1 + generator.below(min(shape.changes, 12))
      let fails = generator.chance(1, in: 2)
      return .savepoint(
        (0..<count).map { _ in .random(&generator, shape, namedLeft: &namedLeft, depth: depth + 1) }, fails: fails)
    }
  }
}

extension Change.Value {
  static func random(
    _ generator: inout SplitMix64, _ shape: Scenario.Shape, namedLeft: inout Int
  ) -> Change.Value {
    let seed = generator.next()
    if namedLeft > 0, generator.chance(1, in: 30) {
      namedLeft -= 1
      let repeats = generator.chance(5, in: 6)
      return Change.Value(length: (1 << 20) + generator.below(repeats ? 200_000 : 4000), seed: seed, repeats: repeats)
    }
    if generator.chance(1, in: shape.largeOneIn) {
      return Change.Value(length: 900 + generator.below(14_000), seed: seed, repeats: generator.chance(2, in: 3))
    }
    return Change.Value(length: generator.pick([0, 3, 20, 60, 200, 700]), seed: seed)
  }
}
