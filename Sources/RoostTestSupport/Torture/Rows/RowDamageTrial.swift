internal import RoostFile
package import RoostPages
internal import RoostRecords
internal import RoostTrees

/// A healthy store of rows, closed or stopped, that tests damage.
struct HealthyRows: Sendable {
  var options: StoreOptions
  var crash: CrashPoint
  var file: [UInt8]
  /// The file some commits earlier.
  var older: [UInt8]
  var past: RowPast
  var isFull: Bool

  /// - Parameter breaking: changes the options of the store that writes the file.
  init?(
    _ seed: UInt64, isClosed: Bool, actions: Int = 8, changes: Int = 30,
    breaking: (inout StoreOptions) -> Void = { _ in }
  ) {
    var scenario = RowScenario(seed, actions: actions, changes: changes)
    scenario.options.fanoutLimit = seed % 2 == 0 ? 8 : 16
    options = scenario.options
    breaking(&scenario.options)
    let play = RowPlay(scenario)
    play.run()
    play.run(.reopen)
    let older = play.fileSystem.contents(of: RowPlay.path)
    for number in 0..<(isClosed ? 3 : 7) {
      play.run(.write(seed: seed &+ UInt64(number), changes: 9, .full, abandons: false))
    }
    if isClosed { play.close() }
    past = play.past
    isFull = play.model.isFull
    crash = play.fileSystem.crashPoint()
    guard play.failures.isEmpty, let older, let file = play.fileSystem.contents(of: RowPlay.path) else { return nil }
    (self.file, self.older) = (file, older)
    play.abandon()
  }

  /// Opens the store, reads everything and compares. A read that fails with a typed error is not a
  /// wrong answer.
  ///
  /// - Parameter repairs: gets the number of pages that were repaired in memory.
  func outcome(_ image: SimulatedFileSystem, repairs: inout Int) -> HealthyStore.Outcome {
    var met: StoreError?
    do {
      let store = try RecordStore(RowPlay.path, options: options, fileSystem: image)
      defer {
        repairs = store.store.takeRepairs().count
        image.stopAfter(step: 0)
        try? store.close()
      }
      return try store.read { reader in
        guard reader.commit == UInt64(past.begun) else {
          let isOlder = reader.commit < UInt64(past.begun)
          return isOlder ? .older : .wrong("commit \(reader.commit) is found where \(past.begun) was the last")
        }
        let right = past.models[past.begun].state
        do {
          if let difference = try RowState(reader).difference(from: right) { return .wrong(difference) }
        } catch let error as StoreError { met = error }
        do {
          let told = try RowChronicle.digest(reader)
          if let known = past.chronicles[past.begun], known != told { return .wrong("another history is read") }
        } catch let error as StoreError { met = error }
        if let complaint = try lookAround(reader, right, met: &met) { return .wrong(complaint) }
        return met.map { .error($0) } ?? .right
      }
    } catch let error as StoreError { return .error(error) } catch { return .wrong("\(error)") }
  }

  /// Reads some rows by their keys, and the rows that refer to them, although other parts are
  /// unreadable.
  private func lookAround(_ reader: RecordReader, _ right: RowState, met: inout StoreError?) throws -> String? {
    for (id, values) in (right.tables["Item"] ?? [:]).sorted(by: { $0.key < $1.key }) where id % 3 == 0 {
      do {
        let table = try reader.table("Item")
        if let found = try table.values(RowID(id)), found != values { return "row \(id) has other values" }
        if let key = values["key"], let row = try table.row(unique: "key", [key]), row.number != id {
          return "a key finds row \(row.number) where \(id) is right"
        }
        for list in ["likedBy", "bagged", "tagged", "previous"] {
          let rows = try reader.links(list, of: "Item").rows(of: RowID(id)).map(\.number)
          if rows != right.lists[list]?[id] ?? [] { return "\(list) of row \(id) has other rows" }
        }
      } catch let error as StoreError { met = error }
    }
    return nil
  }
}

extension RowTrials {
  /// Trial 9 over rows: damages the file. Reads must be right or throw a typed error, and `verify`
  /// must report the damage.
  package static func damage(
    _ seed: UInt64, _ record: TortureRecord, rounds: Int = 150, change: (inout StoreOptions) -> Void = { _ in }
  ) {
    let isClosed = seed % 5 != 0
    guard var healthy = HealthyRows(seed, isClosed: isClosed) else {
      return record.fail(seed: seed, "the store of rows to be spoiled cannot be made")
    }
    change(&healthy.options)
    var generator = SplitMix64(seed: seed)
    for round in 1...rounds {
      var own = generator.split()
      guard record.wants(step: round), !record.isFull else { continue }
      let damage = own.pick(Damage.allCases)
      let strikes = damage.strike(healthy.file, older: healthy.older, &own)
      if strikes.isEmpty { continue }
      record.place(seed, round, image: damage.rawValue)
      guard let image = spoiled(healthy, strikes) else { continue }
      record.count += 1
      record.note("damages of rows")
      func fail(_ sentence: String) {
        record.fail(seed: seed, step: round, image: damage.rawValue, "rows: " + sentence)
      }
      var repairs = 0
      switch healthy.outcome(image, repairs: &repairs) {
      case .right: record.note(repairs > 0 ? "rows: repaired" : "rows: no effect")
      case .older: fail("an older state is used silently")
      case .wrong(let sentence): fail(sentence)
      case .error(let error):
        record.note("rows: typed error")
        // If a log is replayed, it may have prevented that.
        guard isClosed, error.isAboutContent, let again = spoiled(healthy, strikes) else { continue }
        let found = try? RecordStore.verify(RowPlay.path, fileSystem: again)
        if found?.isSound == true { fail("reading says \(error.detail), and an examination finds nothing") }
      }
    }
  }

  static func spoiled(
    _ healthy: HealthyRows, _ strikes: [(offset: Int, bytes: [UInt8])]
  ) -> SimulatedFileSystem? {
    let image = healthy.crash.image(.all)
    image.recordsSteps = false
    guard var bytes = image.contents(of: RowPlay.path) else { return nil }
    for strike in strikes where strike.offset + strike.bytes.count <= bytes.count {
      bytes.replaceSubrange(strike.offset..<strike.offset + strike.bytes.count, with: strike.bytes)
    }
    return image.overwrite(RowPlay.path, with: bytes) ? image : nil
  }
}
