package import RoostFile
import RoostKV
package import RoostPages

/// Runs readers, writers and checkpoints concurrently, with a sum that must not change.
package final class Crowd: @unchecked Sendable {
  // Unchecked because all mutable state is protected by `lock`.
  private let store: KeyValueStore
  private let seed: UInt64
  private let lock = Lock()
  private var failures: [String] = []
  private var transactions = 0
  private var isOver = false

  static let accounts = 400
  static let start = 1000
  static let writers = 8

  package static func options(_ seed: UInt64) -> StoreOptions {
    var options = StoreOptions()
    options.checkpointing = .background
    options.segmentBytes = 32768
    options.logBytes = 200_000
    options.draftBytes = 60 * 4096
    options.cacheBytes = 64 * 4096
    options.fanoutLimit = seed % 2 == 0 ? 6 : 30
    return options
  }

  package init(_ path: String, _ fileSystem: any FileSystem, seed: UInt64) throws {
    store = try KeyValueStore(path, options: Self.options(seed), fileSystem: fileSystem)
    self.seed = seed
    try store.write { writer in
      let table = try writer.table("accounts")
      for account in 0..<Self.accounts { try table.put(UInt64(account), Self.text(Self.start)) }
    }
  }

  private static func text(_ amount: Int) -> String { String(amount) + String(repeating: ".", count: 120) }
  private static func amount(_ text: String?) -> Int { text.flatMap { Int($0.prefix { $0 != "." }) } ?? Int.min / 4096 }

  private func fail(_ sentence: String) { lock.withLock { failures.append(sentence) } }
  private var goesOn: Bool { lock.withLock { !isOver && failures.isEmpty } }

  /// Runs all threads, with this many transfers for each writer. Returns the failures and the
  /// number of transactions.
  package func run(readers: Int, rounds: Int) -> (failures: [String], transactions: Int) {
    var crew: [RoostFile.Thread] = []
    for reader in 0..<readers {
      if let thread = try? RoostFile.Thread({ [self] in read(reader) }) { crew.append(thread) }
    }
    var writers: [RoostFile.Thread] = []
    for writer in 0..<Self.writers {
      if let thread = try? RoostFile.Thread({ [self] in write(writer, rounds) }) { writers.append(thread) }
    }
    for thread in writers { thread.join() }
    lock.withLock { isOver = true }
    for thread in crew { thread.join() }
    finish(rounds)
    return lock.withLock { (failures, transactions) }
  }

  private func write(_ number: Int, _ rounds: Int) {
    var generator = SplitMix64(seed: seed &* 31 &+ UInt64(number))
    do {
      for round in 1...rounds where goesOn {
        try store.write(round % 4 == 0 ? .relaxed : .full) { writer in
          let table = try writer.table("accounts")
          let (from, to) = (UInt64(generator.below(Self.accounts)), UInt64(generator.below(Self.accounts)))
          if from != to {
            let amount = generator.below(50)
            try table.put(from, Self.text(Self.amount(try table.string(from)) - amount))
            try table.put(to, Self.text(Self.amount(try table.string(to)) + amount))
          }
          let tree = try writer.tree("rounds")
          try tree.put("writer \(number)", String(round))
          try tree.put("\(number) \(round % 40)", [UInt8](repeating: UInt8(number), count: generator.below(6000)))
        }
        lock.withLock { transactions += 1 }
        if round % 50 == 0 { try store.checkpoint() }
      }
    } catch { fail("writer \(number): \(error)") }
  }

  private func read(_ number: Int) {
    var last: [Int] = Array(repeating: 0, count: Self.writers)
    do {
      while goesOn {
        try store.read { reader in
          for _ in 0..<2 {
            var sum = 0
            var count = 0
            try reader.table("accounts").forEach { _, value in
              sum += Self.amount(value.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
              count += 1
              return true
            }
            if sum != Self.accounts * Self.start || count != Self.accounts {
              fail("commit \(reader.commit): \(count) accounts hold \(sum)")
            }
          }
          let tree = try reader.tree("rounds")
          for writer in 0..<Self.writers {
            let round = try tree.string("writer \(writer)").flatMap { Int($0) } ?? 0
            if round < last[writer] { fail("writer \(writer) went back from \(last[writer]) to \(round)") }
            last[writer] = round
          }
        }
        lock.withLock { transactions += 1 }
      }
    } catch { fail("reader \(number): \(error)") }
  }

  private func finish(_ rounds: Int) {
    do {
      guard lock.withLock({ failures.isEmpty }) else { return try store.close() }
      for writer in 0..<Self.writers {
        let round = try store.read { try $0.tree("rounds").string("writer \(writer)") }
        if round != String(rounds) { fail("writer \(writer) ended at \(round ?? "nothing")") }
      }
      let findings = try Audit.findings(store)
      if !findings.isEmpty { fail(findings.prefix(4).joined(separator: "; ")) }
      try store.close()
    } catch { fail("the end: \(error)") }
  }
}

extension Trial {
  /// Trial 12: a crowd with a tiny cache, on the real disk and on the simulated one. Sometimes it
  /// is a race instead, whose threads are delayed at critical points.
  package static let crowd = Trial(12, "concurrency", unit: "transactions", quota: 20_000, workers: 1) { seed, record in
    record.place(seed, 0, image: "crowd")
    do {
      let folder = try ScratchFolder()
      let onDisk = seed % 2 == 1
      let simulated = SimulatedFileSystem()
      simulated.recordsSteps = false
      let path = onDisk ? folder.file("a.roost") : "/a.roost"
      let fileSystem: any FileSystem = onDisk ? DiskFileSystem.shared : simulated
      if seed % 4 < 2 {
        let race = try Race(path, fileSystem, seed: seed)
        record.take(race.run(rounds: onDisk ? 60 : 150), seed)
        record.note("meetings", race.jostle.meetingCount)
      } else {
        record.take(try Crowd(path, fileSystem, seed: seed).run(readers: 3, rounds: onDisk ? 150 : 400), seed)
      }
    } catch { record.fail(seed: seed, "\(error)") }
  }
}

extension TortureRecord {
  fileprivate func take(_ outcome: (failures: [String], transactions: Int), _ seed: UInt64) {
    count += outcome.transactions
    for failure in outcome.failures { fail(seed: seed, failure) }
  }
}
