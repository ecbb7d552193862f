internal import RoostBytes
package import RoostFile
internal import RoostPages
internal import RoostTrees

/// The rows and indexes of one entity, in a snapshot or at a moment of a transaction.
///
/// After the transaction's end it throws `closed`, and so do its cursors. In a write transaction
/// this already happens after the next change.
package final class TableReader {
  package let entity: Entity
  package let id: EntityID
  package let layout: Layout
  package let layouts: [Layout]
  package let indexes: [IndexReader]
  /// The full text indexes.
  package let texts: [FullTextReader]
  let rows: IntegerTree
  private let large: ByteTree
  let bond: ReadBond
  /// By version of the layout.
  let shapes: UnsafeMutablePointer<RowShape>
  let shapeCount: Int
  private var accesses: [FieldID: FieldAccess] = [:]

  init(
    _ entity: Entity, _ bond: ReadBond, layouts known: [Layout]? = nil, rows: IntegerTree, large: ByteTree,
    indexes: [(Index, ByteTree)], texts: [(FullTextIndex, ByteTree)]
  ) {
    self.entity = entity
    id = entity.id
    self.bond = bond
    let layouts = known ?? StoredSchema.layouts(entity)
    self.layouts = layouts
    layout = layouts[layouts.count - 1]
    self.rows = rows
    self.large = large
    self.indexes = indexes.map { IndexReader($0.0, $0.1, bond: bond) }
    self.texts = texts.map { FullTextReader($0.0, entity, tree: $0.1, bond: bond) }
    shapeCount = layouts.count
    shapes = .allocate(capacity: shapeCount)
    for (version, layout) in layouts.enumerated() { (shapes + version).initialize(to: RowShape(layout)) }
  }

  deinit { shapes.deallocate() }

  package var count: Int { Int(clamping: rows.root.count) }
  /// How many entries the tree of large values has. A value of up to 3,936 bytes has up to four: ``LargeValue``.
  package var largeCount: Int { Int(clamping: large.root.count) }

  package func index(_ id: IndexID) -> IndexReader? { indexes.first { $0.index.id == id } }
  package func text(_ id: IndexID) -> FullTextReader? { texts.first { $0.index.id == id } }
  package func index(_ name: String) -> IndexReader? { indexes.first { $0.index.name == name } }

  /// The number of rows from `low` up to, but without, `high`; nil means the end.
  package func count(from low: RowID, to high: RowID?) throws(StoreError) -> Int {
    try bond.check()
    return Int(clamping: try rows.count(from: low.number, to: high?.number))
  }

  package func contains(_ id: RowID) throws(StoreError) -> Bool {
    try bond.check()
    rows.view.slot.enter()
    defer { rows.view.slot.leave() }
    return try rows.find(id.number) != nil
  }

  // MARK: Rows in place

  package func cursor() throws(StoreError) -> RowCursor {
    try bond.check()
    return RowCursor(self)
  }

  /// Calls `body` with the row in place; nil if it does not exist.
  package func withRow<Result>(
    _ id: RowID, _ body: (Row) throws(StoreError) -> Result
  ) throws(StoreError) -> Result? {
    try bond.check()
    do {
      rows.view.slot.enter()
      defer { rows.view.slot.leave() }
      guard let value = try rows.find(id.number) else { return nil }
      if !value.isExtents { return try body(examine(id, value.start, count: value.count)) }
    }
    return try withLargeRow(id, body)
  }

  /// Calls `body` with a row that is too large for a leaf.
  @inline(never)
  func withLargeRow<Result>(
    _ id: RowID, _ body: (Row) throws(StoreError) -> Result
  ) throws(StoreError) -> Result? {
    guard let bytes = try rows.value(of: id.number) else { return nil }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(bytes.count, 8), alignment: 8)
    defer { memory.deallocate() }
    bytes.withUnsafeBytes { if let start = $0.baseAddress { memory.copyMemory(from: start, byteCount: $0.count) } }
    return try body(examine(id, memory, count: bytes.count))
  }

  /// Checks that every field can be read from the bytes.
  @inline(__always)
  func examine(_ id: RowID, _ start: UnsafeRawPointer, count: Int) throws(StoreError) -> Row {
    guard count >= 2 else { throw unreadable(id) }
    let version = Int(start.u16(0))
    guard version < shapeCount, shapes[version].admits(start, count) else { throw unreadable(id) }
    return Row(id, start, count: count, version: version)
  }

  @inline(never)
  func unreadable(_ id: RowID) -> StoreError {
    StoreError(.damaged, "row \(id.number) of \(entity.name) is unreadable")
  }

  // MARK: Fields

  /// The positions of a field in the rows of every layout; nil if the entity has no such field.
  package func access(_ id: FieldID) -> FieldAccess? {
    if let known = accesses[id] { return known }
    guard let field = entity.field(id) else { return nil }
    let access = FieldAccess(field, layouts)
    accesses[id] = access
    return access
  }

  package func access(_ name: String) throws(RecordFault) -> FieldAccess {
    guard let field = entity.field(name), let access = access(field.id) else {
      throw RecordFault(.unknown, "there is no such field", entity: entity.name, field: name)
    }
    return access
  }

  /// A field's value in a row of any layout, in the row or outside.
  package func value(_ access: FieldAccess, _ row: Row) throws(StoreError) -> Value {
    let place = access.place(row)
    let type = access.field.type
    switch place.kind {
    case .missing: return access.initial
    case .fixed:
      if place.isNull(row.start) { return access.field.isOptional ? .null : access.initial }
      return FixedCoding.read(place.fixed(row.start), as: type)
    case .variable:
      if place.isNull(row.start) { return access.field.isOptional ? .null : access.initial }
      let (bytes, isOutside) = place.variable(row.start)
      if !isOutside {
        guard let found = ElementCoding.decode(bytes, as: type) else { throw unreadable(row.id) }
        return found
      }
      let outside = try large(access.field.id, row.id)
      let found = outside.withUnsafeBytes { ElementCoding.decode($0, as: type) }
      guard let found else { throw unreadable(row.id) }
      return found
    }
  }

  /// The bytes of a value that is stored outside its row.
  package func large(_ field: FieldID, _ row: RowID) throws(StoreError) -> [UInt8] {
    try bond.check()
    return try LargeValue.read(row, field, in: large)
  }

  /// The row's fields by name; nil if the row does not exist.
  package func values(_ id: RowID) throws(StoreError) -> [String: Value]? {
    try withRow(id) { (row) throws(StoreError) in
      var values: [String: Value] = [:]
      for field in entity.fields {
        if let access = access(field.id) { values[field.name] = try value(access, row) }
      }
      return values
    }
  }

  /// The row with these values in a unique index; nil if there is none.
  package func row(unique name: String, _ values: [Value]) throws -> RowID? {
    guard let index = indexes.first(where: { $0.index.name == name && $0.index.isUnique }) else {
      throw RecordFault(.unknown, "there is no unique index named \(name)", entity: entity.name)
    }
    return try row(unique: index, values)
  }

  /// The row with these values in a unique index of this entity.
  package func row(unique index: IndexReader, _ values: [Value]) throws -> RowID? {
    var key = ByteBuffer()
    try entity.append(values, of: index.index, to: &key)
    if let row = try index.row(key.bytes) { return row }
    return try cutRow(index, key.bytes, values: values)
  }

  /// The row with these values whose key ends with its number, because a text was cut or a part is
  /// nil.
  private func cutRow(_ index: IndexReader, _ key: UnsafeRawBufferPointer, values: [Value]) throws -> RowID? {
    if values.contains(.null) { return nil }
    var cursor = try index.cursor()
    var isThere = try cursor.seek(key)
    while isThere {
      let (row, found, valueBytes) = try cursor.entry()
      guard valueBytes == key.count, found.prefix(key.count).elementsEqual(key) else { return nil }
      if try fields(row, index.index) == values { return row }
      isThere = try cursor.next()
    }
    return nil
  }

  /// The row's values in the fields of an index.
  func fields(_ id: RowID, _ index: Index) throws(StoreError) -> [Value]? {
    try withRow(id) { (row) throws(StoreError) in
      var values: [Value] = []
      for part in index.parts { if let access = access(part.field) { values.append(try value(access, row)) } }
      return values
    }
  }
}

extension Entity {
  /// Appends the key of these values in an index: of all its parts, or of the first ones.
  package func append(_ values: [Value], of index: Index, to key: inout ByteBuffer) throws(RecordFault) {
    for (part, value) in zip(index.parts, values) {
      let start = key.count
      guard let field = field(part.field) else {
        throw RecordFault(.unknown, "the index \(index.name) names a field that does not exist", entity: name)
      }
      if field.isOptional { key.append(value.isNull ? 0 : 1) }
      if !value.isNull {
        do throws(RecordFault) {
          try KeyCoding.append(value, as: field.type, to: &key, cutBehind: index.textBytes)
        } catch { throw error.at(name, field.name) }
      } else if !field.isOptional {
        throw RecordFault(.missing, "nil, but a value is required", entity: name, field: field.name)
      }
      if part.isDescending { key.complement(from: start) }
    }
  }
}
