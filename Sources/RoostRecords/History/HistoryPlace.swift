internal import RoostBytes

/// When a commit was made: 48 bits of milliseconds since 1970, and 16 bits that tell commits of one millisecond apart.
///
/// Within a store it only grows, whatever the clock does.
package struct HybridTime: Hashable, Sendable, Comparable {
  package let bits: UInt64

  package init(bits: UInt64) { self.bits = bits }

  /// The first moment of a millisecond.
  package init(milliseconds: UInt64) { bits = min(milliseconds, 1 << 48 - 1) << 16 }

  package var milliseconds: UInt64 { bits >> 16 }

  /// The time of the commit that follows one of this time.
  func next(_ nowMilliseconds: UInt64) -> HybridTime {
    // A file may hold the largest number there is.
    let least = HybridTime(bits: bits == .max ? bits : bits + 1)
    return max(least, HybridTime(milliseconds: nowMilliseconds))
  }

  package static func < (one: HybridTime, other: HybridTime) -> Bool { one.bits < other.bits }
}

/// A place in the history of one store: behind a transaction.
///
/// It knows the store, and the time of the newest entry up to there. So neither another store's token is taken, nor one
/// of a commit that a crash took back and whose number another commit got since.
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

  /// The token in 32 bytes, for whoever keeps it outside the store.
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

/// The number that a store got when it was made.
struct HistoryStoreID: Equatable {
  var high: UInt64
  var low: UInt64
}

/// What the history of a store keeps of each transaction.
package enum HistoryMode: UInt8, Sendable {
  case off = 0
  /// Which rows were inserted, which fields of which rows changed, and of deleted rows what identifies them.
  case changes = 1
  /// The values of inserted rows and of changed fields too.
  case full = 2
}
