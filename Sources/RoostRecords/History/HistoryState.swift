internal import RoostBytes
internal import RoostFile
internal import RoostTrees

/// The state of a store's history as a whole. It is stored in `meta` under `history`. A store in
/// which it never changed has none.
///
/// ## Layout
/// ```
/// 0   u8   1 (the form)
/// 1   u8   mode: 0 off, 1 changes, 2 full
/// 2   u64  floor: what transactions up to here changed was removed
/// 10  u64  the stamp of the newest entry that was removed
/// ```
struct HistoryState: Equatable {
  var mode = HistoryMode.changes
  var floor: UInt64 = 0
  var floorStamp = HybridTime(bits: 0)

  static let key = Array("history".utf8)
  static let byteCount = 18
  static let form: UInt8 = 1

  init() {}

  init(decoding bytes: [UInt8]) throws(StoreError) {
    let form = bytes.first ?? 0
    if form > Self.form { throw StoreError(.futureVersion, "the state of the history has form \(form)") }
    guard bytes.count == Self.byteCount, form == Self.form, let mode = HistoryMode(rawValue: bytes[1]) else {
      throw StoreError(.damaged, "the state of the history is unreadable")
    }
    self.mode = mode
    (floor, floorStamp) = bytes.withUnsafeBytes { bytes in
      (bytes.baseAddress!.u64(2), HybridTime(bits: bytes.baseAddress!.u64(10)))
    }
  }

  /// Reads the state from a tree `meta`.
  static func read(_ meta: ByteTree) throws(StoreError) -> HistoryState {
    let bytes = try ByteKey.borrowing(key) { (key) throws(StoreError) in try meta.value(of: key) }
    guard let bytes else { return HistoryState() }
    return try HistoryState(decoding: bytes)
  }

  var encoded: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Self.byteCount) { memory, count in
      let start = UnsafeMutableRawPointer(memory.baseAddress!)
      start.set8(0, Self.form)
      start.set8(1, mode.rawValue)
      start.set64(2, floor)
      start.set64(10, floorStamp.bits)
      count = Self.byteCount
    }
  }
}
