internal import RoostBytes

/// The time of a commit: 48 bits of milliseconds since 1970, and 16 bits that distinguish commits
/// of one millisecond.
///
/// Within a store it always increases, whatever the clock shows.
package struct HybridTime: Hashable, Sendable, Comparable {
  package let bits: UInt64

  package init(bits: UInt64) { self.bits = bits }

  /// The first moment of a millisecond.
  package init(milliseconds: UInt64) { bits = min(milliseconds, 1 << 48 - 1) << 16 }

  package var milliseconds: UInt64 { bits >> 16 }

  /// The time of the next commit of the store.
  func next(_ nowMilliseconds: UInt64) -> HybridTime {
    // A damaged file may contain the largest number.
    let least = HybridTime(bits: bits == .max ? bits : bits + 1)
    return max(least, HybridTime(milliseconds: nowMilliseconds))
  }

  package static func < (one: HybridTime, other: HybridTime) -> Bool { one.bits < other.bits }
}

/// A token: a place in the history of one store, after a transaction.
///
/// It contains the store's number and the time of the newest entry up to the transaction. So a
/// token of another store is refused. A token of a commit that a crash took back is refused too,
/// even if another commit has its number now.
package struct HistoryPlace: Hashable, Sendable {
  package let storeHigh: UInt64
  package let storeLow: UInt64
  package let transaction: UInt64
  package let stamp: HybridTime

  init(_ store: HistoryStoreID, _ transaction: UInt64, stamp: HybridTime) {
    storeHigh = store.high
    storeLow = store.low
    self.transaction = transaction
    self.stamp = stamp
  }

  package init(storeHigh: UInt64, storeLow: UInt64, transaction: UInt64, stamp: HybridTime) {
    self.storeHigh = storeHigh
    self.storeLow = storeLow
    self.transaction = transaction
    self.stamp = stamp
  }

  package static let byteCount = 32

  /// The token in 32 bytes, for storage outside the store.
  package var encoded: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Self.byteCount) { memory, count in
      let start = UnsafeMutableRawPointer(memory.baseAddress!)
      start.set64(0, storeHigh)
      start.set64(8, storeLow)
      start.set64(16, transaction)
      start.set64(24, stamp.bits)
      count = Self.byteCount
    }
  }

  package init?(decoding bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    let words = bytes.withUnsafeBytes { bytes in (0..<4).map { bytes.baseAddress!.u64($0 * 8) } }
    storeHigh = words[0]
    storeLow = words[1]
    transaction = words[2]
    stamp = HybridTime(bits: words[3])
  }
}

/// The identifier that a store got when it was created.
struct HistoryStoreID: Equatable {
  var high: UInt64
  var low: UInt64
}

/// The amount of data that the history keeps of each transaction.
package enum HistoryMode: UInt8, Sendable {
  case off = 0
  /// Which rows were inserted, which fields of which rows changed, and the identifying values of
  /// deleted rows.
  case changes = 1
  /// Also the values of inserted rows and of changed fields.
  case full = 2
}
