import RoostBytes
import RoostFile

/// Pages that a damaged file reaches twice.
///
/// Two references may lead to one page, with checks that agree. Left once, its place is free for others; left again, it
/// would be taken from those. So a transaction that leaves a place twice, or one that is not in use, is not committed.
extension WriteTransaction {
  /// Whether nothing that is in use can be at this place, with this stamp.
  ///
  /// What was used again in between has another's bytes, and a stamp that is no stamp would let its place be given back
  /// at once. In a replay pages that were built may be younger than the step that reaches them.
  func isImpossible(_ place: UInt32, _ born: UInt64) -> Bool {
    born > stamp && log != nil || store.space.spare.contains(place)
  }

  /// Makes the commit fail.
  func noteDouble(_ place: UInt32) { recordFailure = recordFailure ?? Self.double(place) }

  private static func double(_ place: UInt32) -> StoreError {
    StoreError(.damaged, "a page is referenced twice, or is free", page: UInt64(place))
  }

  /// Throws if this transaction cannot be committed: its record lacks a piece, or it leaves a place twice.
  func refuseDoubles() throws(StoreError) {
    if let recordFailure { throw recordFailure }
    // Most transactions leave few pages, and then sorting costs more than comparing.
    if deaths.count <= 8 {
      for (index, death) in deaths.enumerated() {
        for other in deaths[..<index] where Self.overlap(death, other) { throw Self.double(death.place) }
      }
      return
    }
    let runs = deaths.map { UInt64($0.place) << 32 | UInt64($0.length) }.sorted()
    for index in 1..<runs.count where runs[index - 1] >> 32 + runs[index - 1] & 0xFFFF_FFFF > runs[index] >> 32 {
      throw Self.double(UInt32(runs[index] >> 32))
    }
  }

  private static func overlap(_ one: Death, _ other: Death) -> Bool {
    one.place < other.place + other.length && other.place < one.place + one.length
  }
}
