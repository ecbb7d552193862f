internal import RoostFile
internal import RoostGraph
internal import RoostPages
internal import RoostRecords
internal import RoostTestSupport

/// A random chain of versions over one store, in memory. Each opening is compared with a ``ChainWorld``.
///
/// 1. Each version opens the store of the version before it, and some power losses and errors come in between.
/// 2. The last version opens the stores of all earlier versions too, as a program does that skips releases.
/// 3. Rows are inserted and changed between openings.
struct ChainPlay {
  private let seed: UInt64
  private let record: TortureRecord
  private var random: SplitMix64
  private var maker: ChainMaker
  private let path = "/chain.roost"
  private var step = 0
  private let options: StoreOptions

  /// A closed store: its files, what it holds, and the version that it has.
  private struct State {
    var files: SimulatedFileSystem
    var world: ChainWorld
    var version: ChainVersion?

    /// The files again, for one more opening of them.
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
    self.options = options
  }

  mutating func run() throws {
    var state = State(files: SimulatedFileSystem(), world: ChainWorld(), version: nil)
    var states: [State] = []
    var version = maker.first()
    for _ in 0..<5 {
      let next = try open(state, version)
      // A refused version is not released: the next one follows the last that was.
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

  /// Opens a store with a version, and all that can come in between; nil if it was rightly refused.
  private mutating func open(_ state: State, _ version: ChainVersion) throws -> State? {
    step += 1
    record.place(seed, step, image: "version \(version.number)")
    record.trace?("step \(step): version \(state.version?.number ?? 0) → \(version.number): \(version.entities)")
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
      throw Complaint(description: isOpen ? "an opening that must be refused was not" : "an opening was refused")
    }
    try check(files, wanted ?? state.world, version: isOpen ? version : state.version)
    record.note(isOpen ? "openings" : "refusals")
    for point in points { try lose(point, state, plans: plans, version: version, wanted: wanted) }
    try fail(state, plans, version: version, wanted: wanted)
    return wanted.map { State(files: files, world: $0, version: version) }
  }

  /// Which calls of an opening are looked at.
  private final class Calls {
    private let (first, stride): (Int, Int)
    init(_ random: inout SplitMix64) { (first, stride) = (random.below(7), random.below(6) + 1) }
    func wants(_ call: Int) -> Bool { call >= first && (call - first) % stride == 0 }
  }

  private func attempt(_ files: SimulatedFileSystem, _ plans: [ModelPlan], version: ChainVersion) throws -> Bool {
    var opening = GraphStore.Opening()
    opening.version = version.opening
    do { try GraphStore.open(path, plans, opening: opening, settings: options, fileSystem: files).close() } catch let
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

  /// Throws unless a closed store holds a world, is sound, and has what a version asks for.
  private func check(_ files: SimulatedFileSystem, _ world: ChainWorld, version: ChainVersion?) throws {
    let store = try RecordStore(path, options: options, fileSystem: files)
    defer { try? store.close() }
    let (found, catalog) = try store.read { (try ChainWorld($0), $0.catalog) }
    if let difference = found.difference(from: world) { throw Complaint(description: difference) }
    if let finding = try RowAudit.findings(store).first { throw Complaint(description: "\(finding)") }
    guard let version else { return }
    for entity in version.entities {
      guard let stored = catalog.entity(entity.name) else { continue }
      for property in entity.properties {
        guard let field = stored.field(property.name) else { continue }
        let indexes = catalog.indexes(of: stored.id).filter { $0.parts.map(\.field) == [field.id] }
        if indexes.contains(where: \.isUnique) != property.isUnique {
          throw Complaint(
            description: "\(entity.name).\(property.name) is \(property.isUnique ? "not" : "still") unique")
        }
        if property.isIndexed, indexes.isEmpty {
          throw Complaint(description: "\(entity.name).\(property.name) has no index")
        }
        if field.isOptional != property.isOptional {
          throw Complaint(description: "\(entity.name).\(property.name) is \(field.isOptional ? "" : "not ")optional")
        }
      }
      let parked = Set(world.tables[entity.name]?.types.keys ?? [:].keys).subtracting(entity.properties.map(\.name))
      if Set(catalog.version?.part(entity.name)?.parked ?? []) != parked {
        throw Complaint(description: "\(entity.name) says that other properties are parked than \(parked.sorted())")
      }
    }
  }

  /// The power goes at a moment of an opening: the store holds what it held before, or all of the change.
  private func lose(
    _ point: CrashPoint, _ state: State, plans: [ModelPlan], version: ChainVersion, wanted: ChainWorld?
  ) throws {
    let policy = CrashPolicy(exhaustiveUpTo: 1, ofEach: 1, randoms: 1, garbage: 0, seed: seed &+ UInt64(point.step))
    for choice in point.choices(policy) {
      let image = point.image(choice)
      image.recordsSteps = false
      record.note("images")
      do {
        try settle(image, state, wanted: wanted)
        let isOpen = try attempt(image, plans, version: version)
        if isOpen != (wanted != nil) { throw Complaint(description: "the next opening goes otherwise") }
        try check(image, wanted ?? state.world, version: isOpen ? version : nil)
      } catch { throw Complaint(description: "after a crash at call \(point.step), \(choice): \(error)") }
    }
  }

  /// A call fails once, or the disk is full.
  private mutating func fail(
    _ state: State, _ plans: [ModelPlan], version: ChainVersion, wanted: ChainWorld?
  ) throws {
    for isFull in [false, true] {
      let files = state.copy
      if isFull {
        let size = files.paths.reduce(0) { $0 + UInt64(files.contents(of: $1)?.count ?? 0) }
        files.capacity = size + UInt64(random.below(12)) * 4096
      } else {
        let kinds: [CallKind] = [.write, .write, .sync, .allocate, .truncate, .create]
        files.inject(FaultRule(random.pick(kinds), nth: random.below(6) + 1, .error(ErrorNumber.noSpace)))
      }
      do {
        let isOpen = try attempt(files, plans, version: version)
        if isOpen != (wanted != nil) { throw Complaint(description: "the opening goes otherwise") }
      } catch is StoreError { record.note("errors") }
      files.clearFaults()
      files.capacity = nil
      do {
        try settle(files, state, wanted: wanted)
        let isOpen = try attempt(files, plans, version: version)
        if isOpen != (wanted != nil) { throw Complaint(description: "the next opening goes otherwise") }
        try check(files, wanted ?? state.world, version: isOpen ? version : nil)
      } catch { throw Complaint(description: "after \(isFull ? "a full disk" : "an error"): \(error)") }
    }
  }

  /// Throws unless a store that was interrupted holds the world before the opening, or the one after it.
  private func settle(_ files: SimulatedFileSystem, _ state: State, wanted: ChainWorld?) throws {
    let store = try RecordStore(path, options: options, fileSystem: files)
    defer { try? store.close() }
    let found = try store.read { try ChainWorld($0) }
    if found == wanted {
      record.note("interrupted after the commit")
    } else if let difference = found.difference(from: state.world) {
      throw Complaint(description: "neither the old store nor the new one: \(difference)")
    } else {
      record.note("interrupted before the commit")
    }
    if let finding = try RowAudit.findings(store).first { throw Complaint(description: "\(finding)") }
  }

  /// A program of an earlier version may open the store only if the models that both have mean the same.
  private func refuse(_ reached: State, by earlier: State) throws {
    guard let version = earlier.version, let newest = reached.version else { return }
    func meaning(_ entity: ChainVersion.Entity) -> [String] {
      entity.properties.map { "\($0.name) \($0.type) \($0.isOptional) \($0.isUnique)" }.sorted()
    }
    let differs = version.entities.contains { entity in
      newest.entities.contains { $0.name == entity.name && meaning($0) != meaning(entity) }
    }
    guard differs else { return }
    let files = reached.copy
    if try attempt(files, try version.plans([:]), version: version) {
      throw Complaint(description: "version \(version.number) opened the store of version \(newest.number)")
    }
    record.note("older programs refused")
    try check(files, reached.world, version: newest)
  }

  // MARK: Rows

  /// Inserts rows and changes some, as a program of the store's version does.
  private mutating func change(_ state: inout State) throws {
    guard let version = state.version else { return }
    let store = try RecordStore(path, options: options, fileSystem: state.files)
    var world = state.world
    try store.write { writer in
      for entity in version.entities {
        let table = try writer.table(entity.name)
        for _ in 0..<random.below(12) {
          let old = world.tables[entity.name]?.rows.keys.sorted() ?? []
          let row = old.isEmpty || random.chance(3, in: 4) ? nil : random.pick(old)
          guard let values = draw(entity, world, except: row) else { continue }
          if let row {
            try table.update(RowID(row)) { builder in
              for (name, value) in values { try builder.set(table.slot(name), value) }
            }
            for (name, value) in values { world.tables[entity.name]?.rows[row]?[name] = value }
          } else {
            var builder = table.makeBuilder()
            for (name, value) in values { try builder.set(table.slot(name), value) }
            let row = try table.insert(&builder)
            // Parked properties are nil in new rows.
            var all = world.tables[entity.name]?.types.mapValues { _ in Value.null } ?? [:]
            all.merge(values) { $1 }
            world.tables[entity.name]?.rows[row.number] = all
          }
        }
      }
    }
    try store.close()
    state.world = world
    try check(state.files, world, version: version)
  }

  /// Values for a row; nil if a unique property has them all.
  private mutating func draw(_ entity: ChainVersion.Entity, _ world: ChainWorld, except row: UInt64?) -> [String:
    Value]?
  {
    var values: [String: Value] = [:]
    for property in entity.properties {
      let isNil = property.isOptional && random.chance(1, in: 3)
      let value = isNil ? Value.null : maker.value(property.type)
      let others =
        world.tables[entity.name]?.rows.filter { $0.key != row }.values.compactMap { $0[property.name] } ?? []
      if property.isUnique, !value.isNull, others.contains(value) { return nil }
      values[property.name] = value
    }
    return values
  }
}
