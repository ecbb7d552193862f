/// The engines alone: keys, values, transactions and snapshots, without rows or objects.
final class EngineSuite: Suite {
  let name = "engine"
  let operations = EngineOperation.allCases.map(\.operation)

  private let participants: [any Engine]
  private let scratch: Scratch
  private let shelf: Shelf
  private let keeps: Set<KeyKind>
  private var workload = EngineWorkload(size: 0)

  init(_ participants: [any Engine], plan: Plan, scratch: Scratch) {
    self.participants = participants
    self.scratch = scratch
    shelf = Shelf()
    keeps = Set(EngineOperation.allCases.filter { plan.wantsOperation($0.rawValue) }.compactMap(\.reads))
  }

  var engines: [(name: String, note: String)] {
    participants.map { ($0.name, $0.note) }
  }

  func measure(_ trial: Trial) throws -> Sample {
    guard let operation = EngineOperation(rawValue: trial.operation),
      let engine = participants.first(where: { $0.name == trial.engine })
    else {
      preconditionFailure("\(trial.engine) \(trial.operation) is not of this suite")
    }
    if workload.size != trial.size { workload = EngineWorkload(size: trial.size) }

    switch operation {
    case .ascending: return try load(engine, .integers, .synced, trial)
    case .ascendingRelaxed: return try load(engine, .integers, .relaxed, trial)
    case .random: return try load(engine, .strings, .synced, trial)
    case .randomRelaxed: return try load(engine, .strings, .relaxed, trial)
    case .build: return try build(engine)
    case .single: return try single(engine)
    case .single8: return try commitTogether(engine)
    case .readers1: return try readTogether(engine, threads: 1)
    case .readers2: return try readTogether(engine, threads: 2)

    case .getInt:
      let probes = workload.integerProbes[0]
      return try check(probes.expected, try filled(engine, .integers).session.sum(probes))
    case .getString:
      let probes = workload.stringProbes
      return try check(probes.expected, try filled(engine, .strings).session.sum(probes))
    case .scan:
      return try check(workload.integerDigest, try filled(engine, .integers).session.scan())
    }
  }

  func finishSize() throws {
    try shelf.clear()
    workload = EngineWorkload(size: 0)
  }

  // MARK: Filling

  /// Fills a store; the last one of its kind is kept for the operations that read.
  private func load(_ engine: any Engine, _ keys: KeyKind, _ durability: Durability, _ trial: Trial) throws -> Sample {
    let keep = trial.isLastRun && keeps.contains(keys) && shelf.volume(engine.name, keys) == nil
    return try withFreshStore(engine, keys, durability, keep: keep) { volume in
      let milliseconds = try Stopwatch.time { try insert(keys, into: volume.session) }
      return Sample(milliseconds: milliseconds, isRight: try volume.session.scan() == digest(keys))
    }
  }

  private func build(_ engine: any Engine) throws -> Sample {
    try withFreshStore(engine, .integers, .synced, keep: false) { volume in
      let milliseconds = try Stopwatch.time { try volume.session.build(workload.integers) }
      return Sample(milliseconds: milliseconds, isRight: try volume.session.scan() == workload.integerDigest)
    }
  }

  private func single(_ engine: any Engine) throws -> Sample {
    try withFreshStore(engine, .integers, .synced, keep: false) { volume in
      let milliseconds = try Stopwatch.time { try volume.session.commitEach(workload.integers) }
      return Sample(milliseconds: milliseconds, isRight: try volume.session.scan() == workload.integerDigest)
    }
  }

  private func commitTogether(_ engine: any Engine) throws -> Sample {
    try withFreshStore(engine, .integers, .synced, keep: false) { volume in
      let store = volume.store
      let (milliseconds, _) = try Crew.time(EngineOperation.singleThreads) { _ in
        try store.session()
      } work: { member, session in
        let first = UInt64(member * EngineOperation.commitsPerThread)
        try session.commitEach(IntegerRows(first..<first + UInt64(EngineOperation.commitsPerThread)))
      } tidy: { session in
        session.close()
      }
      return Sample(milliseconds: milliseconds, isRight: try volume.session.scan() == workload.integerDigest)
    }
  }

  // MARK: Reading

  /// Every thread walks the store once before the start, so that no time includes filling caches.
  private func readTogether(_ engine: any Engine, threads: Int) throws -> Sample {
    let store = try filled(engine, .integers).store
    let probes = workload.integerProbes
    let (milliseconds, sums) = try Crew.time(threads) { _ in
      let session = try store.session()
      _ = try session.scan()
      return session
    } work: { member, session in
      try session.sum(probes[member])
    } tidy: { session in
      session.close()
    }
    return Sample(milliseconds: milliseconds, isRight: sums == probes.prefix(threads).map(\.expected))
  }

  /// The store to read: the one that an earlier operation left, else a newly filled one.
  private func filled(_ engine: any Engine, _ keys: KeyKind) throws -> Volume {
    if let volume = shelf.volume(engine.name, keys) { return volume }
    try withFreshStore(engine, keys, .relaxed, keep: true) { try insert(keys, into: $0.session) }
    return shelf.volume(engine.name, keys)!
  }

  // MARK: Parts

  private func insert(_ keys: KeyKind, into session: any Session) throws {
    switch keys {
    case .integers:
      try session.insert(workload.integers, perTransaction: EngineOperation.rowsPerTransaction)
    case .strings:
      try session.insert(workload.strings, perTransaction: EngineOperation.rowsPerTransaction)
    }
  }

  private func digest(_ keys: KeyKind) -> Digest {
    switch keys {
    case .integers: workload.integerDigest
    case .strings: workload.stringDigest
    }
  }

  private func withFreshStore<Result>(
    _ engine: any Engine, _ keys: KeyKind, _ durability: Durability, keep: Bool, _ body: (Volume) throws -> Result
  ) throws -> Result {
    prepareInputs(keys)
    let volume = try Volume(engine, keys, durability, in: scratch)
    do {
      let result = try body(volume)
      if keep {
        try volume.settle(expecting: digest(keys))
        shelf.put(volume, engine.name, keys)
      } else {
        try volume.discard()
      }
      return result
    } catch {
      try? volume.discard()
      throw error
    }
  }

  /// Makes the lazy workload before the clock runs.
  private func prepareInputs(_ keys: KeyKind) {
    switch keys {
    case .integers: _ = workload.integers
    case .strings: _ = workload.strings
    }
  }

  private func check<Value: Equatable>(_ expected: Value, _ body: @autoclosure () throws -> Value) throws -> Sample {
    var value: Value?
    let milliseconds = try Stopwatch.time { value = try body() }
    return Sample(milliseconds: milliseconds, isRight: value == expected)
  }
}
