internal import RoostFile
internal import RoostKV
package import RoostPages

extension Trial {
  /// Trial 9: damages a closed file. Reads must be right or throw a typed error.
  package static let damage = Trial(9, "damage", unit: "damages", quota: 26_000) { seed, record in
    if RowTrials.takes(seed) { return RowTrials.damage(seed, record) }
    strikes(seed, record, rounds: 240) { _ in }
  }

  package static func strikes(
    _ seed: UInt64, _ record: TortureRecord, rounds: Int, change: (inout StoreOptions) -> Void
  ) {
    let isLarge = seed % 17 == 0
    let isClosed = seed % 5 != 0
    guard var healthy = HealthyStore(seed, isLarge: isLarge, isClosed: isClosed) else {
      return record.fail(seed: seed, "the store to be spoiled cannot be made")
    }
    change(&healthy.options)
    var generator = SplitMix64(seed: seed)
    for round in 1...(isLarge ? rounds / 6 : rounds) {
      var own = generator.split()
      guard record.wants(step: round), !record.isFull else { continue }
      let damage = own.pick(Damage.allCases)
      let strikes = damage.strike(healthy.file, older: healthy.older, &own)
      if strikes.isEmpty { continue }
      record.place(seed, round, image: damage.rawValue)
      guard let image = try? healthy.spoiled(strikes) else { continue }
      record.count += 1
      let wasReached = strikes.contains { healthy.reached.contains(UInt32($0.offset / 4096)) }
      var repairs = 0
      switch healthy.outcome(image, &own, repairs: &repairs) {
      case .right where repairs > 0: record.note(damage.rawValue + ": repaired")
      case .right where isClosed && strikes.contains { healthy.copies.contains(UInt32($0.offset / 4096)) }:
        record.note(damage.rawValue + ": in a copy")
        guard let again = try? healthy.spoiled(strikes) else { continue }
        if (try? KeyValueStore.verify(Play.path, fileSystem: again))?.isSound != false {
          record.fail(seed: seed, step: round, image: damage.rawValue, "an examination does not tell of a damaged copy")
        }
      case .right:
        record.note(damage.rawValue + ": no effect" + (wasReached ? " (in a page in use)" : ""))
        // If a log is replayed over them, pages may be replaced without being read.
        if isClosed, strikes.count == 1, wasReached, !isPadding(healthy, strikes[0]) {
          record.fail(seed: seed, step: round, image: damage.rawValue, "a page in use was spoiled without effect")
        }
      case .error: record.note(damage.rawValue + ": typed error")
      case .older:
        record.note(damage.rawValue + ": wrong")
        record.fail(seed: seed, step: round, image: damage.rawValue, "an older state is used silently")
      case .wrong(let sentence):
        record.note(damage.rawValue + ": wrong")
        record.fail(seed: seed, step: round, image: damage.rawValue, sentence)
      }
    }
  }

  /// Whether the bytes are after an extent's end in its last page, where nothing is stored.
  private static func isPadding(_ healthy: HealthyStore, _ strike: (offset: Int, bytes: [UInt8])) -> Bool {
    guard let head = Reach.newest(healthy.file) else { return false }
    var spoiled = healthy.file
    spoiled.replaceSubrange(strike.offset..<strike.offset + strike.bytes.count, with: strike.bytes)
    return Reach(head, in: spoiled).complaints.isEmpty
  }
}
