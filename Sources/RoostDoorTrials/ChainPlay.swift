internal import RoostFile
internal import RoostGraph
internal import RoostPages
internal import RoostRecords
internal import RoostTestSupport

/// A random chain of versions over one store, in memory. Each opening is compared with a ``ChainWorld``.
///
/// 1. Each version opens the store of the previous version, with some power losses and errors in
///    between.
/// 2. The last version also opens the stores of all earlier versions, like a program that skips
///    releases.
/// 3. Rows are inserted and changed between openings.
struct ChainPlay {
  let seed: UInt64
  let record: TortureRecord
  var random: SplitMix64
  var maker: ChainMaker
  let path = "/chain.roost"
  private var step = 0
  let options: StoreOptions

  /// A closed store: its files, its content, and its version.
  struct State {
    var files: SimulatedFileSystem
    var world: ChainWorld
    var version: ChainVersion?

    /// A copy of the files, for another opening.
    var copy: SimulatedFileSystem {
      let copy = files.crashPoint().image(.all)
      copy.recordsSteps = false
      return copy
    }
  }

  struct Complaint: Error, CustomStringConvertible { var description: String }

  init(seed: UInt64, _ record: TortureRecord) {
    self.seed = seed
    self.record = record
    random = SplitMix64(seed: seed)
    maker = ChainMaker(seed: seed &* 31)
    var options = StoreOptions()
    (options.segmentBytes, options.logBytes) = (16_384, 100_000)
    // A power loss tears superblocks on purpose. Opening the file repairs them and prints that.
    options.say = { _ in }
    self.options = options
  }

  mutating func run() throws {
    var state = State(files: SimulatedFileSystem(), world: ChainWorld(), version: nil)
    var states: [State] = []
    var version = maker.first()
    for _ in 0..<5 {
      let next = try open(state, version)
      // A refused version is not released: the next one follows the last accepted one.
      if let next {
        state = next
        try change(&state)
        states.append(state)
      }
      var following = maker.next(state.version ?? version)
      following.number = version.number + 1
      version = following
    }
    guard let last = states.last?.version else { return }
    for earlier in states.dropLast() {
      record.note("versions skipped")
      if let reached = try open(earlier, last) { try refuse(reached, by: earlier) }
    }
  }

  // MARK: Openings

  /// Opens a store with a version, with all interruptions. Returns nil if it was rightly refused.
  private mutating func open(_ state: State, _ version: ChainVersion) throws -> State? {
    step += 1
    record.place(seed, step, image: "version \(version.number)")
    record.trace?(
      "step \(step): version \(state.version?.number ?? 0) → \(version.number) \(version.steps): \(version.entities)"
    )
    let names = version.formerNames(in: state.version)
    let plans = try version.plans(names)
    let wanted = state.world.opened(by: version, names)
    let (files, calls) = (state.copy, Calls(&random))
    // A hook sees each call that changes something, and keeps some moments.
    var (points, seen): ([CrashPoint], Int) = ([], 0)
    files.onStep = { [unowned files] call in
      guard call.kind.mutates else { return }
      seen += 1
      if calls.wants(seen), points.count < 5 { points.append(files.crashPoint()) }
    }
    let isOpen = try attempt(files, plans, version: version)
    files.onStep = nil
    record.count += 1
    if isOpen != (wanted != nil) {
      throw Complaint(
        description: isOpen ? "an opening that must be refused was not" : "an opening was refused")
    }
    try check(files, wanted ?? state.world, version: isOpen ? version : state.version)
    record.note(isOpen ? "openings" : "refusals")
    for step in version.steps where isOpen { record.note("opened after: \(step)") }
    for point in points { try lose(point, state, plans: plans, version: version, wanted: wanted) }
    try fail(state, plans, version: version, wanted: wanted)
    // If an order is not defined, the store has decided it.
    return try wanted.map { _ in State(files: files, world: try world(files), version: version) }
  }

  /// Chooses the calls of an opening that are tested.
  private final class Calls {
    private let (first, stride): (Int, Int)
    init(_ random: inout SplitMix64) { (first, stride) = (random.below(7), random.below(6) + 1) }
    func wants(_ call: Int) -> Bool { call >= first && (call - first) % stride == 0 }
  }

  func attempt(_ files: SimulatedFileSystem, _ plans: [ModelPlan], version: ChainVersion)
    throws -> Bool
  {
    var opening = GraphStore.Opening()
    opening.version = version.opening
    do {
      try GraphStore.open(path, plans, opening: opening, settings: options, fileSystem: files)
        .close()
    } catch let
      fault
      as MigrationFault
    {
      record.trace?("  refused: \(fault)")
      return false
    } catch let fault as RecordFault {
      record.trace?("  refused: \(fault)")
      return false
    }
    return true
  }
}
