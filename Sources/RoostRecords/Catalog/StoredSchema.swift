internal import RoostBytes
internal import RoostFile

/// A catalog as it stands in a store, with what is made of it for every transaction.
final class StoredSchema: Sendable {
  let catalog: Catalog
  private let bytes: [UInt8]
  private let layouts: [EntityID: [Layout]]

  init(_ bytes: [UInt8]) throws(StoreError) {
    self.bytes = bytes
    catalog = try Catalog(decoding: bytes)
    var layouts: [EntityID: [Layout]] = [:]
    for entity in catalog.entities { layouts[entity.id] = Self.layouts(entity) }
    self.layouts = layouts
  }

  static func layouts(_ entity: Entity) -> [Layout] {
    entity.layouts.enumerated().map { Layout(version: UInt16($0.offset), $0.element) }
  }

  /// The layouts of an entity of this catalog.
  func layouts(of entity: Entity) -> [Layout] { layouts[entity.id] ?? Self.layouts(entity) }

  func isMade(of other: [UInt8]) -> Bool {
    if bytes.count != other.count { return false }
    // All words, without a branch for each: every transaction compares, and nearly always finds no difference.
    return bytes.withUnsafeBytes { known in
      other.withUnsafeBytes { found in
        var difference: UInt64 = 0
        let words = known.count & ~7
        for at in stride(from: 0, to: words, by: 8) {
          difference |=
            known.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            ^ found.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        }
        for at in words..<known.count { difference |= UInt64(known[at] ^ found[at]) }
        return difference == 0
      }
    }
  }
}

/// The schema that was met last, so that a transaction does not read the same catalog again.
///
/// The bytes decide whether it is the same: whoever sees another catalog, older or newer, gets that one.
///
/// Unchecked because of `newest`, which is read and written under the lock.
final class SchemaCache: @unchecked Sendable {
  private let lock = Lock()
  private var newest: StoredSchema?

  func schema(_ bytes: [UInt8]) throws(StoreError) -> StoredSchema {
    let known = lock.withLock { newest }
    if let known, known.isMade(of: bytes) { return known }
    let made = try StoredSchema(bytes)
    lock.withLock { newest = made }
    return made
  }
}
