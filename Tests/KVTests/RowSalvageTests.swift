import RoostFile
import RoostKV
import RoostPages
import RoostRecords
import RoostTestSupport
import RoostTrees
import Testing

/// Saving damaged stores of rows, whose log has newer commits than their file.
@Suite struct RowSalvageTests {
  /// A store that stopped with commits that are only in its log, and its expected content.
  private struct Stopped {
    var image: SimulatedFileSystem
    var past: RowPast
    var isFull: Bool
    var state: RowState { past.models[past.begun].state }
    /// Commits after the last checkpoint.
    var commits: Int
  }

  private func stopped(_ seed: UInt64, checkpoints: Bool = true, rounds: Int = 5) throws -> Stopped {
    var scenario = RowScenario(seed, actions: 0)
    scenario.options.checkpointing = .manual
    scenario.options.fanoutLimit = 8
    scenario.options.logBytes = 64 << 20
    scenario.namedOneIn = 4
    let play = RowPlay(scenario)
    play.run()
    var commits = 1
    if checkpoints {
      for round in 0..<6 { play.run(.write(seed: seed &* 100 &+ UInt64(round), changes: 30, .full, abandons: false)) }
      play.run(.reopen)
      commits = 0
    }
    let before = play.past.begun
    for round in 0..<rounds {
      play.run(.write(seed: seed &* 100 &+ 50 &+ UInt64(round), changes: 9, .full, abandons: false))
    }
    commits += play.past.begun - before
    try #require(play.failures == [])
    let stopped = Stopped(
      image: play.fileSystem.crashImage(.all), past: play.past, isFull: play.model.isFull, commits: commits)
    play.abandon()
    return stopped
  }

  private struct Saved {
    var salvage: Salvage
    var state: RowState
    var commit: UInt64
    var chronicle: Int
    var findings: [String]
  }

  private func salvage(_ image: SimulatedFileSystem) throws -> Saved {
    let found = try KeyValueStore.salvage(
      from: RowPlay.path, to: RowDamage.copy, options: StoreOptions(), fileSystem: image,
      content: RowSalvage(clock: { 1_800_000_000_000 }))
    let store = try RecordStore(RowDamage.copy, fileSystem: image)
    defer { try? store.close() }
    let findings = try store.verify().findings.map(\.description)
    return try store.read { reader in
      Saved(
        salvage: found, state: try RowState(reader), commit: reader.commit,
        chronicle: try RowChronicle.digest(reader), findings: findings)
    }
  }

  /// Before the fix, salvage dropped every commit that was only in the log, although nothing was
  /// wrong with them.
  @Test(arguments: [true, false], 1...12) func `the copy has commits that are only in the log`(
    checkpoints: Bool, seed: UInt64
  ) throws {
    let stopped = try stopped(seed, checkpoints: checkpoints)
    let saved = try salvage(stopped.image)
    #expect(saved.salvage.isComplete, "\(saved.salvage.losses)")
    #expect(saved.salvage.records == stopped.commits)
    #expect(saved.state.difference(from: stopped.state) == nil, "seed \(seed)")
    #expect(saved.findings == [])
    #expect(saved.commit == UInt64(stopped.past.begun))
    #expect(saved.chronicle == stopped.past.chronicles[stopped.past.begun], "seed \(seed)")
  }

  /// A crash in the first checkpoint leaves one torn superblock, and everything in the log.
  @Test(arguments: 1...4) func `a torn superblock loses nothing of the log`(seed: UInt64) throws {
    let stopped = try stopped(seed, checkpoints: false)
    let bytes = try #require(stopped.image.contents(of: RowPlay.path))
    func sequence(_ slot: Int) -> UInt64 {
      (0..<8).reversed().reduce(0) { $0 << 8 | UInt64(bytes[slot * Page.size + 32 + $1]) }
    }
    let older: UInt32 = sequence(0) < sequence(1) ? 0 : 1
    let saved = try salvage(spoiled(stopped, PageID(older), zeros: false))
    #expect(saved.salvage.losses.map(\.page) == [UInt64(older)], "\(saved.salvage.losses)")
    #expect(saved.state.difference(from: stopped.state) == nil && saved.findings == [], "seed \(seed)")
    #expect(saved.commit == UInt64(stopped.past.begun))
  }

  private func spoiled(_ stopped: Stopped, _ page: PageID, zeros: Bool) throws -> SimulatedFileSystem {
    let image = stopped.image.crashImage(.all)
    var bytes = try #require(image.contents(of: RowPlay.path))
    for place in try RowDamage.withCopies([page], stopped.image) {
      let start = Int(place.place) * Page.size
      if zeros {
        bytes.replaceSubrange(start..<start + Page.size, with: [UInt8](repeating: 0, count: Page.size))
      } else {
        bytes[start + 40] ^= 3
      }
    }
    try #require(image.overwrite(RowPlay.path, with: bytes))
    return image
  }

  @Test(arguments: 1...6) func `a damaged index loses nothing`(seed: UInt64) throws {
    let stopped = try stopped(seed)
    var count = 0
    for (page, name, _) in try RowDamage.pages(stopped.image) where name.hasPrefix("i") && page.place % 3 == 0 {
      let saved = try salvage(spoiled(stopped, page, zeros: true))
      #expect(saved.salvage.isComplete, "\(saved.salvage.losses)")
      #expect(saved.state.difference(from: stopped.state) == nil, "seed \(seed), \(page), \(name)")
      #expect(saved.findings == [])
      count += 1
    }
    #expect(count > 0)
  }

  @Test(arguments: 1...8) func `everything outside the damaged page is in the copy, and the copy is consistent`(
    seed: UInt64
  ) throws {
    let stopped = try stopped(seed)
    var generator = SplitMix64(seed: seed)
    let all = try RowDamage.pages(stopped.image).filter {
      $0.name != "catalog" && $0.name != "meta" && !$0.name.hasPrefix("i") && !$0.name.hasPrefix("t")
    }
    try #require(all.count > 10)
    for _ in 0..<12 {
      let (page, name, level) = generator.pick(all)
      let isZeros = generator.chance(2, in: 3)
      let place = "seed \(seed), \(page) of \(name), level \(level), \(isZeros ? "zeros" : "a bit")"
      let saved = try salvage(spoiled(stopped, page, zeros: isZeros))
      #expect(!saved.salvage.isComplete, "\(place)")
      #expect(saved.findings == [], "\(place)")
      #expect(saved.commit >= UInt64(stopped.past.begun), "\(place)")
      if isZeros { #expect(complaint(saved, stopped, name) == nil, "\(place)") }
    }
  }

  /// Several pages at once, also those that contain the places of everything.
  @Test(arguments: 1...8) func `after any damage, the saved store can be opened and is consistent`(
    seed: UInt64
  ) throws {
    let stopped = try stopped(seed, rounds: 3)
    var generator = SplitMix64(seed: seed &+ 1000)
    let all = try RowDamage.pages(stopped.image)
    var understood = 0
    for round in 0..<12 {
      var image = stopped.image
      var places: [String] = []
      for _ in 0..<(1 + generator.below(6)) {
        let (page, name, level) = generator.pick(all)
        places.append("\(page) of \(name), level \(level)")
        // A catalog with a wrong byte may have any content.
        let isNamed = name == "meta" || name == "catalog"
        image = try spoiled(
          Stopped(image: image, past: stopped.past, isFull: false, commits: 0), page,
          zeros: isNamed || generator.chance(1, in: 2))
      }
      if generator.chance(1, in: 6) {
        for slot in 0..<2 {
          image = try spoiled(
            Stopped(image: image, past: stopped.past, isFull: false, commits: 0), PageID(UInt32(slot)), zeros: false)
        }
        places.append("both superblocks")
      }
      let rows = RowSalvage(clock: { 1_800_000_000_000 })
      let found = try KeyValueStore.salvage(
        from: RowPlay.path, to: RowDamage.copy, options: StoreOptions(), fileSystem: image, content: rows)
      #expect(!found.isComplete || places.allSatisfy { $0.contains(" of i") || $0.contains(" of t") })
      // Without a catalog there are only trees.
      if rows.entities.isEmpty { continue }
      let store = try RecordStore(RowDamage.copy, fileSystem: image)
      let findings = try store.verify().findings.map(\.description).filter { !$0.contains("belongs to nothing") }
      try store.close()
      #expect(findings == [], "seed \(seed), round \(round), \(places)")
      understood += 1
    }
    #expect(understood > 2)
  }

  /// Missing or wrong data in the copy that cannot have been on the page.
  private func complaint(_ saved: Saved, _ stopped: Stopped, _ damaged: String) -> String? {
    let entities = ["Owner": "r1", "Item": "r2"]
    var gone: [String: Set<UInt64>] = [:]
    for (entity, wanted) in stopped.state.tables {
      let found = saved.state.tables[entity] ?? [:]
      if let id = found.keys.first(where: { wanted[$0] == nil }) { return "row \(id) of \(entity) is there" }
      gone[entity] = Set(wanted.keys.filter { found[$0] == nil })
      for id in gone[entity] ?? [] where damaged != entities[entity] || !isTold(id, saved.salvage, entity) {
        return "row \(id) of \(entity) is missing"
      }
    }
    for (entity, wanted) in stopped.state.tables {
      for (id, right) in wanted {
        guard let own = saved.state.tables[entity]?[id] else { continue }
        for (field, value) in right where own[field] != value {
          if case .reference(let target) = value, own[field] == .null {
            let other = field == "next" ? "Item" : "Owner"
            if gone[other]?.contains(target.number) == true { continue }
          }
          // Large values may have been there.
          if damaged.hasPrefix("v"), own[field] == .string("") || own[field] == .null || own[field] == .array([]) {
            continue
          }
          return "\(field) of row \(id) of \(entity) is \(own[field] ?? .null) where \(value) is right"
        }
      }
    }
    // Existing members are in both lists. Only their order may differ, if it was on the page.
    for (name, lists) in stopped.state.lists where !damaged.hasPrefix("l") {
      for (id, wanted) in lists {
        let found = saved.state.lists[name]?[id] ?? []
        let left = wanted.filter { member in !gone.values.contains { $0.contains(member) } }
        let there = found.filter { member in !gone.values.contains { $0.contains(member) } }
        if !gone.values.contains(where: { $0.contains(id) }), Set(left) != Set(there) {
          return "\(name) of row \(id) is \(found) where \(wanted) was"
        }
      }
    }
    return nil
  }

  private func isTold(_ id: UInt64, _ salvage: Salvage, _ entity: String) -> Bool {
    let key = (0..<8).map { UInt8(truncatingIfNeeded: id >> (56 - 8 * $0)) }
    return salvage.losses.contains { loss in
      guard loss.tree == "the rows of \(entity)", let low = loss.low else { return false }
      return !key.lexicographicallyPrecedes(low) && loss.high.map { key.lexicographicallyPrecedes($0) } ?? true
    }
  }

  @Test func `an open store is refused, and no file is made`() throws {
    var scenario = RowScenario(3, actions: 4)
    scenario.options.checkpointing = .manual
    let play = RowPlay(scenario)
    play.run()
    do {
      _ = try KeyValueStore.salvage(
        from: RowPlay.path, to: RowDamage.copy, options: StoreOptions(), fileSystem: play.fileSystem,
        content: RowSalvage())
      Issue.record("a store that is open was saved")
    } catch { #expect(error.code == .locked) }
    #expect(try !play.fileSystem.exists(RowDamage.copy))
    play.close()
    _ = try KeyValueStore.salvage(
      from: RowPlay.path, to: RowDamage.copy, options: StoreOptions(), fileSystem: play.fileSystem,
      content: RowSalvage())
    #expect(play.failures == [])
  }
}
