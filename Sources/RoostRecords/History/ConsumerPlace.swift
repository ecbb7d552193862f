internal import RoostBytes
internal import RoostFile
internal import RoostTrees

/// A consumer of the history, and how far it has read. Pruning keeps everything after that.
///
/// ## Layout
/// The tree `consumers`: the name's UTF-8 as the key, u64 transaction and u64 stamp as the value.
/// Transaction 0 with the largest stamp marks a consumer that cannot continue: see ``cutOff``.
package struct ConsumerPlace: Hashable, Sendable {
  package static let mostNameBytes = 256
  static let tree = Array("consumers".utf8)

  package let name: String
  package let token: HistoryPlace

  /// The place that a salvage gives to a consumer that has read lost transactions. Reading from
  /// here throws `expired`, until the consumer sets a new place.
  static let cutOff = (transaction: UInt64(0), stamp: HybridTime(bits: .max))

  var isCutOff: Bool { token.transaction == Self.cutOff.transaction && token.stamp == Self.cutOff.stamp }

  static func check(_ name: String) throws(RecordFault) {
    if name.isEmpty { throw RecordFault(.missing, "a consumer has a name") }
    if name.utf8.count <= mostNameBytes { return }
    throw RecordFault(.tooLarge, "a consumer's name has at most \(mostNameBytes) bytes of UTF-8")
  }

  static func value(_ transaction: UInt64, _ stamp: HybridTime) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 16) { memory, count in
      let start = UnsafeMutableRawPointer(memory.baseAddress!)
      start.set64(0, transaction)
      start.set64(8, stamp.bits)
      count = 16
    }
  }

  /// All consumers of a store, sorted by name.
  static func all(in tree: ByteTree, _ store: HistoryStoreID) throws(StoreError) -> [ConsumerPlace] {
    var found: [ConsumerPlace] = []
    var cursor = ByteCursor(tree)
    var isThere = try cursor.first()
    while isThere {
      let name = [UInt8](cursor.key.bytes)
      let value = try tree.value(of: cursor.key) ?? []
      guard value.count == 16, let text = String(validating: name, as: UTF8.self) else {
        throw StoreError(.damaged, "a consumer of the history is unreadable")
      }
      let (number, stamp) = value.withUnsafeBytes { ($0.baseAddress!.u64(0), $0.baseAddress!.u64(8)) }
      found.append(ConsumerPlace(name: text, token: HistoryPlace(store, number, stamp: HybridTime(bits: stamp))))
      isThere = try cursor.next()
    }
    return found
  }
}

/// The result of pruning.
package struct HistoryPruning: Hashable, Sendable {
  /// The entries of transactions up to this one are removed.
  package let floor: UInt64
  /// The slowest consumer, if it kept the pruning from removing everything requested.
  package let heldBy: String?
}
