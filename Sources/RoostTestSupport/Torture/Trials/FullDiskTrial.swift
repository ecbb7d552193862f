package import RoostFile
internal import RoostKV
internal import RoostPages

extension Trial {
  /// Trial 13: the disk becomes full at each point in turn; then there is room again, and the same
  /// handle continues.
  package static let fullDisk = Trial(13, "disk full", unit: "fill points", cases: 220) { index, seed, record in
    record.place(seed, 0, image: "simulated")
    record.count += 1
    let simulated = SimulatedFileSystem()
    simulated.recordsSteps = false
    let bound = 33_917 + UInt64(index) * 3_917
    simulated.capacity = bound
    let complaint = FullDisk(seed).run("/a.roost", simulated) { simulated.capacity = bound + $0 }
    if let complaint { record.fail(seed: seed, complaint) }
  }
}

/// Fills the disk, and continues after that.
package struct FullDisk {
  private let seed: UInt64
  private var options = StoreOptions()

  package init(_ seed: UInt64) {
    self.seed = seed
    options.checkpointing = .inline
    options.segmentBytes = 8192
    options.logBytes = 30_000
    options.draftBytes = 64 * 4096
    options.fanoutLimit = 12
  }

  /// The error; nil if there is none. `more` gives the disk this many bytes beyond its first size.
  package func run(_ path: String, _ fileSystem: any FileSystem, more: (UInt64) -> Void) -> String? {
    var generator = SplitMix64(seed: seed)
    var model = Model()
    var refusals = 0
    do {
      var store: KeyValueStore?
      while store == nil {
        do { store = try KeyValueStore(path, options: options, fileSystem: fileSystem) } catch {
          if error.code != .diskFull { throw error }
          refusals += 1
          if refusals > 4 { return "no room to make a store" }
          more(100_000)
        }
      }
      guard let store else { return "no store" }
      // Fill.
      var number = 0
      while refusals == 0 && number < 4000 {
        number += 1
        let changes = (0..<10).map { _ in Self.put(&generator, keys: 100_000) }
        if let complaint = try attempt(store, changes, model: &model, refusals: &refusals) { return complaint }
      }
      if refusals == 0 { return "the disk was never full" }
      if let complaint = try compare(store, model) { return "when the disk was full: " + complaint }
      // Frees some space, as far as possible, and then adds more.
      let place = Change.Place(isTable: false, number: 0)
      for round in 0..<3 {
        let low = generator.below(60_000)
        _ = try attempt(store, [.removeRange(place, low: low, high: nil)], model: &model, refusals: &refusals)
        do { try store.checkpoint() } catch {
          if error.code != .diskFull { throw error }
          refusals += 1
        }
        if round == 1 { more(4_000_000) }
      }
      let before = refusals
      for _ in 0..<10 {
        let changes = (0..<10).map { _ in Self.put(&generator, keys: 1000) }
        if let complaint = try attempt(store, changes, model: &model, refusals: &refusals) { return complaint }
      }
      if refusals > before { return "the disk is still full with 4,000,000 bytes more" }
      if let complaint = try compare(store, model) { return "afterwards: " + complaint }
      let findings = try Audit.findings(store)
      if !findings.isEmpty { return findings.prefix(4).joined(separator: "; ") }
      try store.close()
      let again = try KeyValueStore(path, options: options, fileSystem: fileSystem)
      if let complaint = try compare(again, model) { return "after reopening: " + complaint }
      try again.close()
      return nil
    } catch { return "\(error)" }
  }

  private static func put(_ generator: inout SplitMix64, keys: Int) -> Change {
    .put(
      Change.Place(isTable: false, number: 0), key: generator.below(keys),
      Change.Value(length: generator.pick([20, 300, 900, 6000]), seed: generator.next()))
  }

  /// Runs one transaction. A full disk is counted and must have changed nothing.
  private func attempt(
    _ store: KeyValueStore, _ changes: [Change], model: inout Model, refusals: inout Int
  ) throws -> String? {
    var working = model
    do {
      try store.write { writer in for change in changes { try change.carryOut(writer, &working) } }
      model = working
      return nil
    } catch let error as StoreError {
      if error.code != .diskFull { return "\(error)" }
      refusals += 1
      return nil
    }
  }

  private func compare(_ store: KeyValueStore, _ model: Model) throws -> String? {
    let seen = try store.model()
    // A tree that a failed transaction made does not exist.
    return seen == model ? nil : seen.difference(from: model)
  }
}
