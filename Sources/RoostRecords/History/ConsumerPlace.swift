internal import RoostBytes
internal import RoostFile
internal import RoostTrees

/// Somebody who reads the history, and how far they came. What they have not read is not pruned.
///
/// ## Layout
/// The tree `consumers`: the name's UTF-8 as the key, u64 transaction and u64 stamp as the value. The transaction 0 with the
/// largest stamp is the place of those who cannot go on: see ``cutOff``.
package struct ConsumerPlace: Hashable, Sendable {
  package static let mostNameBytes = 256
  static let tree = Array("consumers".utf8)

  package let name: String
  package let token: HistoryPlace

  /// Where a salvage puts whoever has read of what is lost now. Reading on from here throws `expired`, until they say what
  /// they know instead.
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

  /// All of a store, by name.
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

/// How far a pruning came.
package struct HistoryPruning: Hashable, Sendable {
  /// What transactions up to this one changed is gone.
  package let floor: UInt64
  /// The slowest consumer, where it kept the pruning from going as far as was asked.
  package let heldBy: String?
}
