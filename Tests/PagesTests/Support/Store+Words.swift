import RoostBytes
import RoostFile
import RoostTestSupport

@testable import RoostPages

/// Shortcuts for tests.
extension Store {
  static func words(
    _ fileSystem: any FileSystem, _ path: String = "/a.roost", _ options: StoreOptions = .forTests
  ) throws(StoreError) -> Store {
    try Store.open(path, options: options, fileSystem: fileSystem, floor: WordFloor.floor)
  }

  /// Runs one transaction; abandons it if `body` throws.
  func write(
    _ durability: SyncMode = .full, _ body: (WordWriter) throws(StoreError) -> Void
  ) throws(StoreError) {
    let transaction = try beginWrite()
    let writer = WordWriter.of(transaction)
    do throws(StoreError) { try body(writer) } catch {
      transaction.abandon()
      throw error
    }
    try writer.commit(durability)
  }

  func read<Value>(_ body: (WordReader) throws(StoreError) -> Value) throws(StoreError) -> Value {
    let transaction = try beginRead()
    defer { endRead(transaction) }
    return try body(WordReader(view: transaction.view, root: transaction.snapshot.catalog))
  }

  func state() throws(StoreError) -> WordState { try read { reader throws(StoreError) in try reader.state() } }

  /// The errors in the places of a store without readers and writers: each place must be in exactly
  /// one set.
  func findings() throws(StoreError) -> [String] {
    var findings = try checkInvariants()
    let reached = try read { reader throws(StoreError) in try reader.places() }
    var owners: [UInt32: String] = [0: "superblock", 1: "superblock"]
    for place in reached {
      if let other = owners.updateValue("tree", forKey: place) {
        findings.append("4: \(place) is in the tree and in \(other)")
      }
    }
    for page in freeMap.ownPages {
      if let other = owners.updateValue("map", forKey: page.place) {
        findings.append("4: \(page.place) is in the map and in \(other)")
      }
    }
    for place in 0..<space.limit {
      let isSpare = space.spare.contains(place)
      if isSpare, let owner = owners[place] { findings.append("4: \(place) is spare and in \(owner)") }
      if !isSpare && owners[place] == nil { findings.append("4: \(place) has no owner") }
    }
    for place in owners.keys where place >= space.limit { findings.append("4: \(place) is beyond \(space.limit)") }
    return findings
  }
}

extension StoreOptions {
  /// Small and repeatable: one order of events, small segments, random numbers from a seed.
  static var forTests: StoreOptions { seeded(1) }

  static func seeded(_ seed: UInt64) -> StoreOptions {
    var options = StoreOptions()
    options.checkpointing = .manual
    options.segmentBytes = 4096
    options.logBytes = 16384
    options.cacheBytes = 1 << 20
    let numbers = Numbers(seed: seed)
    options.random = { numbers.next() }
    return options
  }
}

/// Random numbers from a seed, for several threads.
final class Numbers: @unchecked Sendable {
  // `@unchecked Sendable`: `lock` guards the generator.
  private let lock = Lock()
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  func next() -> UInt64 { lock.withLock { generator.next() | 1 } }
}
