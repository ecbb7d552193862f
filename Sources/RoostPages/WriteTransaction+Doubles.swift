import RoostBytes
import RoostFile

/// Pages that a damaged file references twice.
///
/// Two references may name one page, with matching checksums. After the first removal its place is
/// free for other pages; a second removal would free it while they use it. So a transaction that
/// frees a place twice, or a place that is not in use, is not committed.
extension WriteTransaction {
  /// Whether no page in use can have this place and stamp.
  ///
  /// A place that was reused meanwhile has other bytes, and an invalid stamp could free its place
  /// at once. In a replay, built pages may be newer than the step that reaches them.
  func isImpossible(_ place: UInt32, _ born: UInt64) -> Bool {
    born > stamp && log != nil || store.space.spare.contains(place)
  }

  /// Makes the commit fail because a place was freed twice.
  func noteDouble(_ place: UInt32) { recordFailure = recordFailure ?? Self.double(place) }

  private static func double(_ place: UInt32) -> StoreError {
    StoreError(.damaged, "a page is referenced twice, or is free", page: UInt64(place))
  }

  /// Throws if this transaction cannot be committed: its record lacks a piece, or it frees a place
  /// twice.
  func refuseDoubles() throws(StoreError) {
    if let recordFailure { throw recordFailure }
    // Most transactions free few pages, and then sorting costs more than comparing.
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
