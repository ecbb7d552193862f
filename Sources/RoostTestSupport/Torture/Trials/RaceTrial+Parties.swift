internal import RoostFile
internal import RoostKV
internal import RoostPages

/// The work of each kind of thread.
extension Race {
  private struct Withdrawal: Error {}

  // MARK: Writers

  func write(_ number: Int, _ rounds: Int) {
    var generator = SplitMix64(seed: seed &* 77 &+ UInt64(number))
    for round in 1...rounds where goesOn {
      do {
        let isFull = generator.chance(1, in: 2)
        var count = 0
        try store.write(isFull ? .full : .relaxed) { writer in
          try transfer(writer, &generator)
          try? writer.savepoint {
            try transfer(writer, &generator)
            try writer.tree("notes").put("count", "-5")
            if generator.chance(1, in: 2) { try fill(writer, number, round: round, generator: &generator) }
            throw Withdrawal()
          }
          if generator.chance(1, in: 4) { try fill(writer, number, round: round, generator: &generator) }
          let notes = try writer.tree("notes")
          count = Self.amount(try notes.string("count")) + 1
          try notes.put("count", String(count))
          if generator.chance(1, in: 8) { throw Withdrawal() }
        }
        ended(acknowledged: isFull ? count : 0)
      } catch is Withdrawal { ended() } catch { fail("writer \(number): \(error)") }
    }
  }

  private func transfer(_ writer: Writer, _ generator: inout SplitMix64) throws {
    let table = try writer.table("accounts")
    for _ in 0..<1 + generator.below(6) {
      let (from, to) = (UInt64(generator.below(Self.accounts)), UInt64(generator.below(Self.accounts)))
      if from == to { continue }
      let amount = generator.below(50)
      try table.put(from, Self.text(Self.amount(try table.string(from)) - amount, 100 + generator.below(90)))
      try table.put(to, Self.text(Self.amount(try table.string(to)) + amount, 150))
    }
  }

  /// Makes and removes much data, so that places are reused: small values, large ones, and
  /// sometimes a whole tree.
  private func fill(_ writer: Writer, _ number: Int, round: Int, generator: inout SplitMix64) throws {
    let tree = try writer.tree("litter \(number)")
    switch generator.below(5) {
    case 0: try tree.removeAll()
    case 1: try tree.put("large", [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: generator.below(40_000)))
    case 2:
      try writer.drop("built \(number)")
      try writer.tree("built \(number)").build(from: (1000..<1200).map { ("key \($0)", "value of \($0) in \(round)") })
    default:
      for _ in 0..<30 { try tree.put("k \(generator.below(300))", generator.bytes(generator.below(300))) }
    }
  }

  // MARK: Readers

  func read(_ generator: inout SplitMix64) throws {
    let least = known
    try store.read { reader in
      for _ in 0..<1 + generator.below(3) { try check(reader, atLeast: least) }
    }
  }

  /// Holds nested look-ups and cursors open, while everything around them changes.
  func stand(_ generator: inout SplitMix64) throws {
    let least = known
    let rounds = 1 + generator.below(4)
    let account = UInt64(generator.below(Self.accounts))
    try store.read { reader in
      let table = try reader.table("accounts")
      var cursor = try table.cursor()
      _ = try cursor.seek(account)
      let before = try cursor.value()
      try table.withValue(account) { value in
        for _ in 0..<rounds {
          try check(reader, atLeast: least)
          try table.withValue(UInt64(Self.accounts) - 1 - account) { _ in try check(reader, atLeast: least) }
          if value.withUnsafeBytes({ [UInt8]($0) }) != before { fail("a value changed under a look-up") }
        }
      }
      if try cursor.value() != before { fail("a value changed under a cursor") }
      var steps = 0
      while try cursor.next() { steps += 1 }
      if steps != Self.accounts - 1 - Int(account) { fail("a cursor met \(steps) entries after \(account)") }
    }
  }

  // MARK: The caretaker

  func care(_ generator: inout SplitMix64) throws {
    switch generator.below(10) {
    case 0...3: try store.checkpoint()
    case 4: try store.compact(pages: 40)
    case 5: _ = try store.statistics(samples: 4)
    case 6: try openAgain()
    case 7: try openForReading()
    case 8: try backUp()
    default:
      let found = try store.verify()
      if !found.isSound { fail("verify: \(found.findings.prefix(3))") }
    }
  }

  private func openAgain() throws {
    let again = try KeyValueStore(path, options: options, fileSystem: fileSystem)
    try again.read { try check($0, atLeast: 0) }
    try again.close()
  }

  private func openForReading() throws {
    var reading = options
    reading.readOnly = true
    do {
      let beside = try KeyValueStore(path, options: reading, fileSystem: fileSystem)
      for _ in 0..<3 {
        try beside.read { try check($0, atLeast: 0) }
        try beside.refresh()
      }
      try beside.close()
    } catch let error as StoreError where error.code == .busy {
      // The owner was faster, ten times.
    }
  }

  private func backUp() throws {
    let copy = path + "-copy"
    try store.backup(to: copy, replacing: true)
    var plain = options
    plain.schedule = nil
    let found = try KeyValueStore(copy, options: plain, fileSystem: fileSystem)
    try found.read { try check($0, atLeast: 0) }
    try found.close()
  }
}
