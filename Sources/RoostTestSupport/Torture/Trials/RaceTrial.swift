package import RoostFile
internal import RoostKV
package import RoostPages

/// Runs all operations of a store concurrently, with threads that are delayed at the worst moments.
///
/// Writers move amounts between accounts and count their commits. The sum must not change, and the
/// count must never be below the number acknowledged before a reader began. Readers hold look-ups
/// and cursors open for long. A caretaker makes checkpoints, compacts, backs up, verifies, and
/// opens the store a second time and for reading.
package final class Race: @unchecked Sendable {
  // Unchecked because all mutable state is protected by `lock`.
  let store: KeyValueStore
  package let jostle: Jostle
  let path: String
  let fileSystem: any FileSystem
  let options: StoreOptions
  let seed: UInt64
  private let lock = Lock()
  private var failures: [String] = []
  private var transactions = 0
  private var acknowledged = 0
  private var isOver = false

  static let accounts = 150
  static let start = 1000
  static let writers = 3
  static let sum = accounts * start

  package static func options(_ seed: UInt64) -> StoreOptions {
    var options = StoreOptions()
    options.segmentBytes = seed % 3 == 0 ? 8192 : 32768
    options.logBytes = 60_000
    options.draftBytes = (seed % 2 == 0 ? 24 : 70) * 4096
    options.cacheBytes = 64 * 4096
    options.fanoutLimit = seed % 5 < 2 ? 5 : 30
    return options
  }

  package init(_ path: String, _ fileSystem: any FileSystem, seed: UInt64) throws {
    let jostle = Jostle(seed: seed)
    var options = Self.options(seed)
    options.schedule = jostle.schedule
    store = try KeyValueStore(path, options: options, fileSystem: fileSystem)
    (self.jostle, self.path, self.fileSystem, self.options, self.seed) = (jostle, path, fileSystem, options, seed)
    try store.write { writer in
      let table = try writer.table("accounts")
      for account in 0..<Self.accounts { try table.put(UInt64(account), Self.text(Self.start, 150)) }
      try writer.tree("notes").put("count", "0")
    }
  }

  static func text(_ amount: Int, _ length: Int) -> String { String(amount) + String(repeating: ".", count: length) }
  static func amount(_ text: String?) -> Int { text.flatMap { Int($0.prefix { $0 != "." }) } ?? Int.min / 4096 }

  func fail(_ sentence: String) { lock.withLock { failures.append(sentence) } }
  var goesOn: Bool { lock.withLock { !isOver && failures.isEmpty } }

  /// The commits that a reader which begins now must see.
  var known: Int { lock.withLock { acknowledged } }

  func ended(acknowledged count: Int = 0) {
    lock.withLock {
      transactions += 1
      acknowledged = max(acknowledged, count)
    }
    jostle.end()
  }

  /// Runs all threads, with this many transactions for each writer. Returns the failures and the
  /// number of transactions.
  package func run(rounds: Int) -> (failures: [String], transactions: Int) {
    let others: [@Sendable () -> Void] = [
      { self.attend("reader 1") { try self.read(&$0) } }, { self.attend("reader 2") { try self.read(&$0) } },
      { self.attend("standing reader") { try self.stand(&$0) } }, { self.attend("caretaker") { try self.care(&$0) } },
    ]
    let crew = others.compactMap { try? RoostFile.Thread($0) }
    let writers = (0..<Self.writers).compactMap { number in try? RoostFile.Thread { self.write(number, rounds) } }
    for thread in writers { thread.join() }
    lock.withLock { isOver = true }
    for thread in crew { thread.join() }
    jostle.stop()
    finish(rounds)
    return lock.withLock { (failures, transactions) }
  }

  private func attend(_ name: String, _ body: (inout SplitMix64) throws -> Void) {
    var generator = SplitMix64(seed: name.utf8.reduce(seed) { $0 &* 31 &+ UInt64($1) })
    while goesOn {
      do { try body(&generator) } catch { fail("\(name): \(error)") }
      ended()
    }
  }

  private func finish(_ rounds: Int) {
    do {
      if lock.withLock({ failures.isEmpty }) {
        let findings = try Audit.findings(store)
        if !findings.isEmpty { fail(findings.prefix(4).joined(separator: "; ")) }
      }
      let before = try store.read { try Self.count($0) }
      try store.close()
      var plain = options
      plain.schedule = nil
      let again = try KeyValueStore(path, options: plain, fileSystem: fileSystem)
      try again.read { reader in
        try check(reader, atLeast: known)
        if try Self.count(reader) != before { fail("reopening changed the count") }
      }
      try again.close()
    } catch { fail("the end: \(error)") }
  }

  static func count(_ reader: Reader) throws -> Int { amount(try reader.tree("notes").string("count")) }

  /// Checks all invariants of a snapshot.
  func check(_ reader: Reader, atLeast least: Int) throws {
    let count = try Self.count(reader)
    if count < least { fail("commit \(reader.commit) counts \(count), and \(least) were acknowledged before") }
    var (sum, accounts) = (0, 0)
    try reader.table("accounts").forEach { _, value in
      sum += Self.amount(value.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
      accounts += 1
      return true
    }
    if sum != Self.sum || accounts != Self.accounts {
      fail("commit \(reader.commit): \(accounts) accounts hold \(sum)")
    }
  }
}
