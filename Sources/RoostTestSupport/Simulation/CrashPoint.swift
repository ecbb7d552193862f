internal import RoostFile

/// A moment at which the machine may stop, as a value: the durable state, and the unsynced changes.
///
/// Making one copies no bytes. It does not change while the file system is used further, and any
/// thread may use it.
package struct CrashPoint: Sendable {
  /// The number of the last mutating call before it.
  package let step: Int
  /// The unsynced changes, in the order of the calls.
  package let units: [PendingUnit]
  private let files: [UInt64: Content]
  private let names: [String: UInt64]
  private let bound: UInt64?

  /// The caller holds the lock of `fileSystem`.
  fileprivate init(_ fileSystem: SimulatedFileSystem) {
    step = fileSystem.stepNumber
    files = fileSystem.inodes.mapValues(\.durable)
    names = fileSystem.durableNames
    bound = fileSystem.bound
    // Each list is already sorted. Usually there is one, which is then shared instead of copied.
    let lists = (fileSystem.inodes.values.map(\.pending) + [fileSystem.pendingNames]).filter { !$0.isEmpty }
    units = lists.count == 1 ? lists[0] : lists.joined().sorted { $0.sequence < $1.sequence }
  }

  package func choices(_ policy: CrashPolicy) -> [CrashChoice] {
    policy.choices(count: units.count, sectors: units.count(where: \.isBytes))
  }

  /// The disk after the crash: a new file system with nothing open, locked or pending, and without
  /// faults.
  package func image(_ choice: CrashChoice) -> SimulatedFileSystem {
    let (units, kept) = outcome(choice)
    var names = names
    for (index, unit) in units.enumerated() where kept[index] {
      if case .names(_, let changes) = unit.change { for change in changes { names[change.path] = change.file } }
    }
    var survivors: [UInt64: Content] = [:]
    for number in Set(names.values) {
      var content = files[number] ?? Content()
      content.apply(units, file: number) { kept[$0] }
      survivors[number] = content
    }
    return SimulatedFileSystem(survivors, names: names, bound: bound, choice: choice)
  }

  /// The images of a policy, each made on demand.
  package func images(_ policy: CrashPolicy) -> some Sequence<SimulatedFileSystem> {
    choices(policy).lazy.map { image($0) }
  }

  /// The changes, some replaced by garbage, and which of them are kept.
  private func outcome(_ choice: CrashChoice) -> (units: [PendingUnit], kept: [Bool]) {
    var kept = [Bool](repeating: false, count: units.count)
    switch choice {
    case .none: break
    case .all: kept = kept.map { _ in true }
    case .prefix(let count): for index in kept.indices.prefix(count) { kept[index] = true }
    case .drop(let index): for other in kept.indices where other != index { kept[other] = true }
    case .keep(let index): if kept.indices.contains(index) { kept[index] = true }
    case .mask(let bits): for index in kept.indices.prefix(64) { kept[index] = bits >> UInt64(index) & 1 == 1 }
    case .random(let seed):
      var generator = SplitMix64(seed: seed)
      draw(&kept, &generator)
    case .garbage(let seed):
      var generator = SplitMix64(seed: seed)
      draw(&kept, &generator)
      return (spoiled(&kept, &generator), kept)
    }
    return (units, kept)
  }

  /// Keeps few, half or most of the changes. Always half would tear every page.
  private func draw(_ kept: inout [Bool], _ generator: inout SplitMix64) {
    let part = generator.pick([1, 4, 7])
    for index in kept.indices { kept[index] = generator.chance(part, in: 8) }
  }

  /// Random bytes instead of one to three changes of bytes, but in no other byte: a device may fail
  /// to write its data, but does not change other data.
  private func spoiled(_ kept: inout [Bool], _ generator: inout SplitMix64) -> [PendingUnit] {
    var units = units
    let sectors = units.indices.filter { units[$0].isBytes }
    if sectors.isEmpty { return units }
    for _ in 0...generator.below(3) {
      let index = generator.pick(sectors)
      guard case .bytes(let file, let offset, _, _, let count) = units[index].change else { continue }
      let garbage = generator.bytes(count).withUnsafeBytes { Block(copying: $0) }
      units[index].change = .bytes(file: file, offset: offset, source: garbage, start: 0, count: count)
      kept[index] = true
    }
    return units
  }
}

extension SimulatedFileSystem {
  /// The crash point of this moment.
  package func crashPoint() -> CrashPoint { lock.withLock { CrashPoint(self) } }

  package func crashImage(_ choice: CrashChoice) -> SimulatedFileSystem { crashPoint().image(choice) }

  package func crashImages(_ policy: CrashPolicy = CrashPolicy()) -> some Sequence<SimulatedFileSystem> {
    crashPoint().images(policy)
  }
}
