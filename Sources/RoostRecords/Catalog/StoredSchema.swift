internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// A catalog that is stored in a store, with values computed from it once for all transactions.
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

  func isMade(of found: UnsafeRawBufferPointer) -> Bool {
    if bytes.count != found.count { return false }
    // Compares all words without a branch each: every transaction compares, and nearly always finds
    // no difference.
    return bytes.withUnsafeBytes { known in
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

/// Caches the newest schema, so that a transaction does not decode the same catalog again.
///
/// The bytes of the catalog are compared. A transaction whose catalog is older or newer decodes its
/// own.
///
/// Unchecked because of its two variables, which are read and written under the lock.
final class SchemaCache: @unchecked Sendable {
  private let lock = Lock()
  private var newest: StoredSchema?
  /// The last commit of this opening, and its schema. A reader of this snapshot takes the schema without comparing bytes.
  private var own: (snapshot: Snapshot, schema: StoredSchema)?

  private enum Found {
    case known(StoredSchema)
    case other([UInt8])
  }

  /// The schema in a store's `meta` tree; nil if the tree has none yet.
  func schema(in meta: ByteTree) throws(StoreError) -> StoredSchema? {
    let newest = lock.withLock { self.newest }
    let found = try ByteKey.borrowing(RoostTrees.TreeCatalog.entitiesKey) { (key) throws(StoreError) in
      try meta.withValue(of: key) { bytes -> Found in
        if let newest, newest.isMade(of: bytes) { return .known(newest) }
        return .other([UInt8](bytes))
      }
    }
    switch found {
    case nil: return nil
    case .known(let schema): return schema
    case .other(let bytes): return try keep(StoredSchema(bytes))
    }
  }

  /// The schema of a snapshot, if this opening's last commit made that snapshot.
  func schema(at snapshot: Snapshot) -> StoredSchema? {
    lock.withLock { own?.snapshot == snapshot ? own?.schema : nil }
  }

  /// Notes a commit of this opening.
  func note(_ schema: StoredSchema?, at snapshot: Snapshot) {
    guard let schema else { return }
    lock.withLock { if (own?.snapshot.stamp ?? 0) < snapshot.stamp { own = (snapshot, schema) } }
  }

  private func keep(_ made: StoredSchema) -> StoredSchema {
    lock.withLock { newest = made }
    return made
  }
}
