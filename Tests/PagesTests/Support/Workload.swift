import RoostFile
import RoostTestSupport

@testable import RoostPages

/// A random run of one thread on a simulated disk, with the states that a crash may leave at each moment.
///
/// Each attempt to commit writes its own number into word 0, so a state tells which attempt it is.
final class Workload {
  /// A moment at which the machine may stop, and the attempts whose state it may leave.
  struct Moment {
    var point: CrashPoint
    var allowed: [UInt64]
  }

  struct Mix {
    var steps = 12
    var extents = false
    var savepoints = true
    /// Whether the store is sometimes closed or dropped, and opened again.
    var reopening = true
    var checkpoints = true
    var draftBytes = 64 << 20
  }

  let fileSystem: SimulatedFileSystem
  private var generator: SplitMix64
  private let mix: Mix
  private let options: StoreOptions
  private var store: Store?
  /// The states by attempt; 0 is the empty store.
  private(set) var states: [UInt64: WordState] = [0: WordState()]
  /// The states that a crash may leave now, in order. The first one is the newest that was
  /// acknowledged as full.
  private(set) var chain: [UInt64] = [0]
  private var lastAttempt: UInt64 = 0
  private(set) var moments: [Moment] = []
  private(set) var failures: [String] = []
  private(set) var errors = 0

  init(seed: UInt64, mix: Mix = Mix(), fileSystem: SimulatedFileSystem = SimulatedFileSystem()) {
    generator = SplitMix64(seed: seed)
    self.mix = mix
    self.fileSystem = fileSystem
    var options = StoreOptions.seeded(seed)
    options.checkpointing = mix.checkpoints ? .inline : .manual
    options.draftBytes = mix.draftBytes
    self.options = options
    fileSystem.recordsSteps = false
  }

  /// Records a moment after every call that changes data.
  func takesMoments() {
    fileSystem.onStep = { [unowned self] _ in
      noteMoment()
    }
  }

  func noteMoment() { moments.append(Moment(point: fileSystem.crashPoint(), allowed: chain)) }

  func run() {
    for _ in 0..<mix.steps { step() }
    if store != nil { leave() }
    fileSystem.onStep = nil
    store = nil
  }

  private func step() {
    guard let store = opened() else { return }
    let draw = generator.below(20)
    if draw == 0 && mix.reopening {
      leave()
    } else if draw == 1 && mix.checkpoints {
      attempt { () throws(StoreError) in try store.checkpoint() }
    } else {
      transact(store)
    }
  }

  /// The open store. Opens it if necessary, and compares its content.
  private func opened() -> Store? {
    if let store { return store }
    do throws(StoreError) {
      let made = try Store.words(fileSystem, "/a.roost", options)
      let found = try made.state()
      if !chain.contains(found.words[0]) || states[found.words[0]] != found {
        failures.append("opening found \(found.words[0]) where one of \(chain) was expected")
      }
      // The recovered state stays from here on: it is checkpointed, or in the log and synced.
      chain = [found.words[0]]
      store = made
    } catch { note(error) }
    return store
  }

  /// Closes the store, or drops it like a process that dies.
  private func leave() {
    let dies = generator.chance(1, in: 3)
    if let store, !dies, attempt({ () throws(StoreError) in try store.close() }), !isPoisoned {
      // A clean close leaves one state and no log.
      if let newest = chain.last { chain = [newest] }
    }
    store = nil
    isPoisoned = false
  }

  private func transact(_ store: Store) {
    do throws(StoreError) {
      let transaction = try store.beginWrite()
      let writer = WordWriter.of(transaction)
      let number = lastAttempt + 1
      var state = states[chain[chain.count - 1]] ?? WordState()
      do throws(StoreError) {
        try change(writer, &state)
        try writer.set(0, number)
        state.words[0] = number
      } catch {
        transaction.abandon()
        throw error
      }
      if generator.chance(1, in: 8) {
        transaction.abandon()
        return
      }
      let durability: SyncMode = generator.chance(1, in: 3) ? .relaxed : .full
      lastAttempt = number
      states[number] = state
      chain.append(number)
      do throws(StoreError) {
        try writer.commit(durability)
        if durability == .full { chain = [number] }
      } catch {
        // An uncertain commit may exist or not; reopening shows it.
        if error.code != .commitUncertain { chain.removeLast() }
        throw error
      }
      let seen = try store.state()
      if seen != state { failures.append("after attempt \(number) the store holds \(seen.words[0])") }
    } catch { note(error) }
  }

  private func change(_ writer: WordWriter, _ state: inout WordState) throws(StoreError) {
    for _ in 0...generator.below(6) {
      if mix.savepoints && generator.chance(1, in: 4) {
        let point = try writer.savepoint()
        var other = state
        for _ in 0...generator.below(3) { try changeOnce(writer, &other) }
        if generator.chance(1, in: 2) {
          writer.rollback(to: point)
        } else {
          state = other
        }
        if generator.chance(1, in: 2) { writer.release(point) }
      } else {
        try changeOnce(writer, &state)
      }
      try writer.transaction.relieve()
    }
  }

  private func changeOnce(_ writer: WordWriter, _ state: inout WordState) throws(StoreError) {
    if mix.extents && generator.chance(1, in: 4) {
      let cell = generator.below(3)
      if generator.chance(1, in: 3) {
        try writer.remove(cell)
        state.values[cell] = nil
      } else {
        let count = generator.pick([3000, 9000, ExtentList.namedFrom, ExtentList.namedFrom + 700])
        let value = [UInt8](repeating: UInt8(truncatingIfNeeded: generator.next()), count: count)
        try writer.put(cell, value)
        state.values[cell] = value
      }
    } else {
      let index = 1 + generator.below(WordFloor.words - 1)
      let word = generator.next()
      try writer.set(index, word)
      state.words[index] = word
    }
  }

  @discardableResult
  private func attempt(_ body: () throws(StoreError) -> Void) -> Bool {
    do throws(StoreError) {
      try body()
      return true
    } catch {
      note(error)
      return false
    }
  }

  /// After an error that stopped writes, opens the store again.
  private func note(_ error: StoreError) {
    errors += 1
    lastError = error
    if error.code == .commitUncertain || error.code == .poisoned {
      store = nil
      isPoisoned = false
    }
    // A checkpoint's sync may have failed, which a later close does not report again.
    if error.code == .ioError { isPoisoned = store != nil }
  }

  private(set) var lastError: StoreError?
  private var isPoisoned = false
}

/// The error in a crash image; nil if it contains one of the allowed states, and can be used again.
func complaint(
  about image: SimulatedFileSystem, allowed: [UInt64], states: [UInt64: WordState], seed: UInt64 = 77
) -> String? {
  do throws(StoreError) {
    let options = StoreOptions.seeded(seed)
    let store = try Store.words(image, "/a.roost", options)
    let found = try store.state()
    let number = found.words[0]
    guard allowed.contains(number) else { return "found \(number), allowed are \(allowed)" }
    guard states[number] == found else { return "found \(number), but with other words" }
    var expected = found
    expected.words[5] = 0xFEED
    try store.write { writer throws(StoreError) in try writer.set(5, 0xFEED) }
    let findings = try store.findings()
    if !findings.isEmpty { return "\(findings.prefix(3))" }
    try store.close()
    let again = try Store.words(image, "/a.roost", options)
    guard try again.state() == expected else { return "another state after writing and opening again" }
    let later = try again.findings()
    if !later.isEmpty { return "after opening again \(later.prefix(3))" }
    try again.close()
    guard image.paths.allSatisfy({ $0 == "/a.roost" || $0 == "/a.roost-new" }) else {
      return "files are left: \(image.paths)"
    }
    return nil
  } catch { return "\(error)" }
}
