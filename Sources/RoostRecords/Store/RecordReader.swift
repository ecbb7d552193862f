internal import RoostBytes
package import RoostFile
internal import RoostPages
internal import RoostTrees

/// One snapshot of a store of rows.
///
/// It is valid in the closure that gets it, on the thread that runs the closure. A reader from
/// ``RecordStore/snapshot()`` is valid until it is closed.
package final class RecordReader {
  let store: Store
  let transaction: ReadTransaction
  private let scope: ReadScope
  private let schema: StoredSchema?
  private var isShared = false
  package let catalog: Catalog
  @exclusivity(unchecked) private var opened: [EntityID: TableReader] = [:]
  /// The table of the last call.
  @exclusivity(unchecked) private var last: TableReader?

  init(_ store: Store, _ schemas: SchemaCache) throws(StoreError) {
    self.store = store
    transaction = try store.beginRead()
    scope = ReadScope(store, transaction.view.slot)
    do throws(StoreError) { schema = try Self.schema(transaction, schemas) } catch {
      store.endRead(transaction)
      throw error
    }
    catalog = schema?.catalog ?? Catalog()
  }

  deinit { end() }

  /// Ends the snapshot. Later use of its tables and cursors throws. A second close does nothing.
  package func close() { if !isShared { end() } }

  /// Makes the snapshot shared: it ends when the last owner releases it.
  package func share() { isShared = true }

  func end() {
    if !scope.isOpen { return }
    opened = [:]
    last = nil
    if scope.end() { store.endRead(transaction) }
  }

  /// The number of the commit that this snapshot shows.
  package var commit: UInt64 { transaction.snapshot.transaction }

  /// Identifies the version of the catalog, while a caller holds it; nil if the store has no
  /// catalog yet.
  package var edition: (any AnyObject & Sendable)? { schema }

  private static func schema(_ transaction: ReadTransaction, _ schemas: SchemaCache) throws(StoreError) -> StoredSchema?
  {
    if let known = schemas.schema(at: transaction.snapshot) { return known }
    let trees = RoostTrees.TreeCatalog(transaction.snapshot, view: transaction.view)
    guard let meta = try trees.descriptor(Tables.meta) else { return nil }
    guard meta.kind == .bytes else { throw Tables.foreign }
    return try schemas.schema(in: ByteTree(meta.root, id: meta.id, view: transaction.view))
  }

  package func table(_ name: String) throws -> TableReader {
    guard let entity = catalog.entity(name) else {
      throw RecordFault(.unknown, "there is no such entity", entity: name)
    }
    return try table(entity)
  }

  package func table(_ id: EntityID) throws -> TableReader {
    if let last, last.id == id {
      try last.bond.check()
      return last
    }
    guard let entity = catalog.entity(id) else {
      throw RecordFault(.unknown, "there is no entity with the number \(id.number)")
    }
    return try table(entity)
  }

  private func table(_ entity: Entity) throws -> TableReader {
    let bond = ReadBond(scope)
    try bond.check()
    if let known = opened[entity.id] {
      last = known
      return known
    }
    let table = TableReader(
      entity, bond, layouts: schema?.layouts(of: entity), rows: try integers(Tables.rows(entity.id)),
      large: try bytes(Tables.large(entity.id)),
      indexes: try catalog.indexes(of: entity.id).map { ($0, try bytes(Tables.entries($0.id))) },
      texts: try catalog.textIndexes(of: entity.id).map { ($0, try bytes(Tables.words($0.id))) })
    opened[entity.id] = table
    last = table
    return table
  }

  private func descriptor(_ name: [UInt8], _ kind: TreeDescriptor.Kind) throws(StoreError) -> TreeDescriptor {
    let found = try RoostTrees.TreeCatalog(transaction.snapshot, view: transaction.view).descriptor(name)
    guard let found, found.kind == kind else { throw Tables.foreign }
    return found
  }

  /// Tables and cursors of this reader use it to check whether the reader is still open.
  var bond: ReadBond {
    get throws(StoreError) {
      let bond = ReadBond(scope)
      try bond.check()
      return bond
    }
  }

  func linkTree(_ id: RelationshipID) throws(StoreError) -> ByteTree {
    try bond.check()
    return try bytes(Tables.links(id))
  }

  /// The number of the entity's next row.
  package func nextRow(_ id: EntityID) throws(StoreError) -> UInt64 {
    let meta = try bytes(Tables.meta)
    return try Tables.nextRow(
      try ByteKey.borrowing(Tables.nextKey(id)) { (key) throws(StoreError) in try meta.value(of: key) })
  }

  private func integers(_ name: [UInt8]) throws(StoreError) -> IntegerTree {
    let found = try descriptor(name, .integers)
    return IntegerTree(found.root, id: found.id, view: transaction.view)
  }

  private func bytes(_ name: [UInt8]) throws(StoreError) -> ByteTree {
    let found = try descriptor(name, .bytes)
    return ByteTree(found.root, id: found.id, view: transaction.view)
  }
}
