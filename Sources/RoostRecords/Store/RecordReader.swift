internal import RoostBytes
package import RoostFile
internal import RoostPages
package import RoostTrees

/// One snapshot of a store of rows.
///
/// It belongs to the closure that got it, and to the thread that runs it.
package final class RecordReader {
  let store: Store
  let transaction: ReadTransaction
  package let catalog: Catalog
  private var opened: [EntityID: TableReader] = [:]

  init(_ store: Store) throws(StoreError) {
    self.store = store
    transaction = try store.beginRead()
    do throws(StoreError) { catalog = try Self.catalog(transaction) } catch {
      store.endRead(transaction)
      throw error
    }
  }

  func end() { store.endRead(transaction) }

  private static func catalog(_ transaction: ReadTransaction) throws(StoreError) -> Catalog {
    let trees = RoostTrees.Catalog(transaction.snapshot, view: transaction.view)
    guard let meta = try trees.descriptor(Tables.meta) else { return Catalog() }
    guard meta.kind == .bytes else { throw Tables.foreign }
    let tree = ByteTree(meta.root, id: meta.id, view: transaction.view)
    let bytes = try ByteKey.borrowing(Tables.catalogKey) { (key) throws(StoreError) in try tree.value(of: key) }
    guard let bytes else { return Catalog() }
    return try Tables.decode(bytes)
  }

  package func table(_ name: String) throws -> TableReader {
    guard let entity = catalog.entity(name) else {
      throw RecordFault(.unknown, "there is no such entity", entity: name)
    }
    if let known = opened[entity.id] { return known }
    let table = TableReader(
      entity, rows: try integers(Tables.rows(entity.id)), large: try bytes(Tables.large(entity.id)),
      indexes: try catalog.indexes(of: entity.id).map { ($0, try bytes(Tables.entries($0.id))) })
    opened[entity.id] = table
    return table
  }

  private func descriptor(_ name: [UInt8], _ kind: TreeDescriptor.Kind) throws(StoreError) -> TreeDescriptor {
    let found = try RoostTrees.Catalog(transaction.snapshot, view: transaction.view).descriptor(name)
    guard let found, found.kind == kind else { throw Tables.foreign }
    return found
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

/// One entity's rows and indexes in a snapshot.
package final class TableReader {
  package let entity: Entity
  package let layout: Layout
  private let layouts: [Layout]
  package let rows: IntegerTree
  private let large: ByteTree
  package let indexes: [(index: Index, tree: ByteTree)]

  init(_ entity: Entity, rows: IntegerTree, large: ByteTree, indexes: [(Index, ByteTree)]) {
    self.entity = entity
    layouts = entity.layouts.enumerated().map { Layout(version: UInt16($0.offset), $0.element) }
    layout = layouts[layouts.count - 1]
    self.rows = rows
    self.large = large
    self.indexes = indexes
  }

  package var count: Int { Int(clamping: rows.root.count) }

  /// The row's fields by name; nil if there is no row of that number.
  package func values(_ id: RowID) throws(StoreError) -> [String: Value]? {
    guard let bytes = try rows.value(of: id.number) else { return nil }
    var values: [String: Value] = [:]
    for field in entity.fields { values[field.name] = try value(field, id, bytes) }
    return values
  }

  /// One field of a row's bytes, whatever its layout.
  package func value(_ field: Field, _ id: RowID, _ row: [UInt8]) throws(StoreError) -> Value {
    let result = row.withUnsafeBytes { row -> Result<Value, StoreError> in
      do throws(StoreError) { return .success(try read(field, id, row)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  private func read(_ field: Field, _ id: RowID, _ row: UnsafeRawBufferPointer) throws(StoreError) -> Value {
    guard let version = Layout.version(of: row), Int(version) < layouts.count, layouts[Int(version)].admits(row) else {
      throw unreadable(id)
    }
    let layout = layouts[Int(version)]
    guard let at = layout.members.firstIndex(where: { $0.id == field.id }) else { return initial(field) }
    let (slot, start) = (layout.slots[at], row.baseAddress!)
    if layout.isNull(start, slot) { return field.isOptional ? .null : initial(field) }
    if slot.isVariable, layout.bytes(start, slot).isOutside {
      let bytes = try LargeKey.read(id, field.id, in: large)
      let found = bytes.withUnsafeBytes { Layout.value(outside: $0, as: slot.type) }
      guard let found else { throw unreadable(id) }
      return found
    }
    guard let value = layout.value(start, slot) else { throw unreadable(id) }
    return value
  }

  private func initial(_ field: Field) -> Value {
    field.initial ?? (field.isOptional ? .null : field.type.empty)
  }

  private func unreadable(_ id: RowID) -> StoreError {
    StoreError(.damaged, "row \(id.number) of \(entity.name) is unreadable")
  }

  /// The row with these values in a unique index; nil if there is none.
  package func row(unique name: String, _ values: [Value]) throws -> RowID? {
    guard let (index, tree) = indexes.first(where: { $0.index.name == name && $0.index.isUnique }) else {
      throw RecordFault(.unknown, "there is no unique index named \(name)", entity: entity.name)
    }
    var key = ByteBuffer()
    for (part, value) in zip(index.parts, values) {
      let start = key.count
      let field = entity.field(part.field)!
      if field.isOptional { key.append(value.isNull ? 0 : 1) }
      if !value.isNull { try KeyCoding.append(value, as: field.type, to: &key) }
      if part.isDescending { key.complement(from: start) }
    }
    let found = try tree.withValue(of: ByteKey(key.bytes)) { KeyCoding.row(endOf: $0, from: 1) }
    guard let found else { return nil }
    guard let row = found else { throw IndexWriter.damaged(index) }
    return row
  }
}

extension FieldType {
  /// What a field of this type holds that was never set and may not be nil.
  package var empty: Value {
    switch self {
    case .bool: .bool(false)
    case .int8, .int16, .int32, .int64: .int(0)
    case .uint8, .uint16, .uint32, .uint64: .uint(0)
    case .float: .float(0)
    case .double: .double(0)
    case .decimal: .decimal(DecimalNumber(0))
    case .string: .string("")
    case .data: .data([])
    case .date: .date(0)
    case .uuid: .uuid(UUIDNumber(high: 0, low: 0))
    case .url: .url("")
    case .reference: .reference(RowID(0))
    case .presence: .bool(true)
    case .array: .array([])
    case .set: .set([])
    case .dictionary: .dictionary([:])
    }
  }
}
