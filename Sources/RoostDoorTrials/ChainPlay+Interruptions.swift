internal import RoostFile
internal import RoostGraph
internal import RoostPages
internal import RoostRecords
internal import RoostTestSupport

/// Openings that are interrupted.
extension ChainPlay {
  /// Loses power at a moment of an opening, and checks that the store has its former content or all
  /// of the change.
  func lose(
    _ point: CrashPoint, _ state: State, plans: [ModelPlan], version: ChainVersion,
    wanted: ChainWorld?
  ) throws {
    let policy = CrashPolicy(
      exhaustiveUpTo: 1, ofEach: 1, randoms: 1, garbage: 0, seed: seed &+ UInt64(point.step))
    for choice in point.choices(policy) {
      let image = point.image(choice)
      image.recordsSteps = false
      record.note("images")
      do {
        try settle(image, state, wanted: wanted)
        let isOpen = try attempt(image, plans, version: version)
        if isOpen != (wanted != nil) {
          throw Complaint(description: "the next opening goes otherwise")
        }
        try check(image, wanted ?? state.world, version: isOpen ? version : nil)
      } catch {
        throw Complaint(description: "after a crash at call \(point.step), \(choice): \(error)")
      }
    }
  }

  /// Makes a call fail once, or the disk full.
  mutating func fail(
    _ state: State, _ plans: [ModelPlan], version: ChainVersion, wanted: ChainWorld?
  ) throws {
    for isFull in [false, true] {
      let files = state.copy
      if isFull {
        let size = files.paths.reduce(0) { $0 + UInt64(files.contents(of: $1)?.count ?? 0) }
        files.capacity = size + UInt64(random.below(12)) * 4096
      } else {
        let kinds: [CallKind] = [.write, .write, .sync, .allocate, .truncate, .create]
        files.inject(
          FaultRule(random.pick(kinds), nth: random.below(6) + 1, .error(ErrorNumber.noSpace)))
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
        if isOpen != (wanted != nil) {
          throw Complaint(description: "the next opening goes otherwise")
        }
        try check(files, wanted ?? state.world, version: isOpen ? version : nil)
      } catch {
        throw Complaint(description: "after \(isFull ? "a full disk" : "an error"): \(error)")
      }
    }
  }

  /// Throws unless an interrupted store equals the world before the opening, or the world after it.
  private func settle(_ files: SimulatedFileSystem, _ state: State, wanted: ChainWorld?) throws {
    let store = try RecordStore(path, options: options, fileSystem: files)
    defer { try? store.close() }
    let found = try store.read { try ChainWorld($0) }
    if let wanted, found.difference(from: wanted) == nil {
      record.note("interrupted after the commit")
    } else if let difference = found.difference(from: state.world) {
      throw Complaint(description: "neither the old store nor the new one: \(difference)")
    } else {
      record.note("interrupted before the commit")
    }
    if let finding = try RowAudit.findings(store).first {
      throw Complaint(description: "\(finding)")
    }
  }
}
