internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// The rows, large values and indexes of one entity while a transaction changes them.
///
/// ## Invariants
/// 1. Every index has an entry for every row that it admits, and no others. An entry may be in the
///    waiting changes of the index.
/// 2. A change is checked before it modifies anything, so an error leaves everything as it was.
package final class TableWriter {
  package let entity: Entity
  package let layout: Layout
  let layouts: [Layout]
  let tables: Tables
  let rows: IntegerTreeDraft
  let large: ByteTreeDraft
  let indexes: [IndexWriter]
  /// The indexes without reference counting, for use in every row.
  let borrowed: [Borrowed]
  /// The full text indexes.
  let texts: [FullTextWriter]
  let links: TableLinks
  /// Nil if no derived field depends on the table.
  let derived: TableDerivations?
  /// The generation of the tables when this table was opened. The table is invalid when that of the
  /// tables has moved on.
  @exclusivity(unchecked) private(set) var generation: Int
  @exclusivity(unchecked) private(set) var nextRow: UInt64
  /// Rows from this number on need no note in the history: they are new, or the history is off.
  @exclusivity(unchecked) private(set) var firstNew: UInt64
  @exclusivity(unchecked) private(set) var isNextRowChanged = false
  // The row that is written, and the one it replaces. One thread changes a table, and calls are not
  // nested.
  @exclusivity(unchecked) var new: RowBytes
  @exclusivity(unchecked) var old: RowBytes
  /// The row that was loaded into `old`, while it is still there.
  @exclusivity(unchecked) var loaded: RowID?
  /// Removed fields of the entity whose values in the loaded row are stored outside it.
  @exclusivity(unchecked) var strays: [FieldID] = []
  /// Large values of a record that is replayed, until their row follows.
  var waiting: [Moved] = []
  /// The unique indexes of the last merge, cached for the next one.
  @exclusivity(unchecked) var lastDeciding: (wanted: [IndexID], indexes: [IndexWriter])?
  /// Builds the updated row.
  @exclusivity(unchecked) var builder: RowBuilder

  typealias Borrowed = Unmanaged<IndexWriter>

  /// The most bytes of a row that is stored in a leaf.
  private static let rowBytes = Limits.entryBytes - IntegerLeaf.slotSize

  init(
    _ entity: Entity, _ tables: Tables, rows: IntegerTreeDraft, large: ByteTreeDraft, indexes: [(Index, ByteTreeDraft)],
    texts: [(FullTextIndex, ByteTreeDraft)], nextRow: UInt64
  ) throws(StoreError) {
    self.entity = entity
    self.tables = tables
    generation = tables.generation
    layouts = tables.layouts(of: entity)
    let layout = layouts[layouts.count - 1]
    self.layout = layout
    self.rows = rows
    self.large = large
    self.indexes = indexes.map { IndexWriter($0.0, layout, draft: $0.1) }
    borrowed = self.indexes.map(Unmanaged.passUnretained)
    self.texts = texts.map { FullTextWriter($0.0, entity, layout: layout, draft: $0.1) }
    self.nextRow = nextRow
    links = try TableLinks(entity, layout, indexes: self.indexes, tables: tables)
    derived = try tables.keepsDerived ? TableDerivations(entity, layout, tables: tables) : nil
    firstNew = tables.history.begin(entity.id, next: nextRow)
    new = RowBytes()
    old = RowBytes()
    builder = RowBuilder(layout)
  }

  /// Joins the next transaction: see ``Tables/begin(in:)``.
  func begin() {
    generation = tables.generation
    firstNew = tables.history.begin(entity.id, next: nextRow)
    (loaded, strays, waiting) = (nil, [], [])
    links.begin()
  }

  /// The rows with all changes, valid for reading until the next change.
  package var reading: TableReader {
    get throws(StoreError) {
      var trees: [(Index, ByteTree)] = []
      for index in indexes { trees.append((index.index, try index.tree())) }
      var words: [(FullTextIndex, ByteTree)] = []
      for text in texts { words.append((text.index, try text.tree())) }
      return TableReader(
        entity, ReadBond(tables.scope), layouts: layouts, rows: rows.tree, large: large.tree, indexes: trees,
        texts: words)
    }
  }

  /// Applies the waiting changes to the trees.
  func settle() throws(StoreError) {
    for index in indexes { try index.settle() }
    for text in texts { try text.settle() }
  }

  func noteSealed() { isNextRowChanged = false }

  /// An empty row to fill and to pass to ``insert(_:)``, as often as needed.
  package func makeBuilder() -> RowBuilder { RowBuilder(layout) }

  package func slot(_ name: String) throws(RecordFault) -> Slot {
    guard let index = entity.fields.firstIndex(where: { $0.name == name }) else {
      throw RecordFault(.unknown, "there is no such field", entity: entity.name, field: name)
    }
    return layout.slots[index]
  }

  // MARK: Inserting

  /// Inserts a row and returns its number. No other row ever gets this number.
  package func insert(_ builder: inout RowBuilder) throws -> RowID {
    try tables.check(generation)
    let id = try newNumber()
    if derived != nil { try emptyDerived(&builder) }
    let moved = try assemble(&builder, id)
    do { try finishInsert(id, moved) } catch { throw giveBack(moved, to: &builder, error) }
    return id
  }

  /// Inserts the assembled row.
  func finishInsert(_ id: RowID, _ moved: [Moved]) throws {
    try prepare(borrowed, id, moved: moved)
    try links.check(id, new.start, old: nil, layout: layout)
    try tables.changing(generation) { () throws(StoreError) in
      try place(id, moved)
      try tables.record(.insert, entity.id, row: id, bytes: new.bytes)
    }
  }

  /// Inserts a row from values by name. Other fields are nil, or zero and empty.
  @discardableResult
  package func insert(_ values: KeyValuePairs<String, Value>) throws -> RowID {
    builder.clear()
    for (name, value) in values {
      do throws(RecordFault) { try builder.set(slot(name), value) } catch { throw error.at(entity.name, name) }
    }
    return try insert(&builder)
  }

  /// Inserts a row from values of fields.
  package func insert(fields values: [(field: Field, value: Value)]) throws -> RowID {
    builder.clear()
    for (field, value) in values {
      do throws(RecordFault) { try builder.set(slot(field.name), value) } catch {
        throw error.at(entity.name, field.name)
      }
    }
    return try insert(&builder)
  }

  /// A value that is too large for its row.
  struct Moved {
    var slot: Slot
    var field: FieldID
    var bytes: [UInt8]
    /// The extents that the log named for the value. Its bytes are read when they are needed.
    var extents: ExtentList?
  }

  /// Assembles the row in `new`, and moves values that are too large out of it.
  func assemble(_ builder: inout RowBuilder, _ id: RowID) throws(RecordFault) -> [Moved] {
    var moved: [Moved] = []
    while builder.byteCount > Self.rowBytes, let largest = builder.largest() {
      let index = layout.slots.firstIndex { $0.isVariable && $0.position == largest.position }!
      let bytes = builder.withBytes(largest.position) { [UInt8]($0) }
      moved.append(Moved(slot: layout.slots[index], field: layout.members[index].id, bytes: bytes))
      withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { length in
        length.baseAddress!.set64(0, UInt64(bytes.count))
        builder.set(layout.slots[index], bytes: UnsafeRawBufferPointer(length), isOutside: true)
      }
    }
    let memory = new.make(builder.byteCount)
    do throws(RecordFault) { try builder.write(to: memory) } catch {
      putBack(moved, into: &builder)
      throw error.at(entity.name, nil)
    }
    return moved
  }

  /// Puts moved values back into the builder. A caller whose row was refused may try again with the
  /// same builder.
  func putBack(_ moved: [Moved], into builder: inout RowBuilder) {
    for value in moved { value.bytes.withUnsafeBytes { builder.set(value.slot, bytes: $0) } }
  }

  func giveBack(_ moved: [Moved], to builder: inout RowBuilder, _ error: any Error) -> any Error {
    putBack(moved, into: &builder)
    return error
  }

  /// Makes the keys of `new`. Throws if another row has one of the unique keys.
  func prepare(_ touched: [Borrowed], _ id: RowID, moved: [Moved]) throws {
    for index in touched {
      try index.use { index in
        if let other = try conflict(index, id, moved: moved) { throw notUnique(other, index) }
      }
    }
  }

  /// Makes the key of `new` in an index, and returns the row that already has this unique key.
  func conflict(_ index: IndexWriter, _ id: RowID, moved: [Moved]) throws -> RowID? {
    try makeKey(index, id, moved: moved)
    guard index.keyFits else { throw tooLarge(index) }
    guard index.isUnique else { return nil }
    if !index.isCut { return try index.conflict(id) }
    return try index.conflict(id) { (other) throws(StoreError) in
      try isSame(other, new.start, id: id, moved: moved, index: index)
    }
  }

  private func tooLarge(_ index: IndexWriter) -> RecordFault {
    RecordFault(
      .tooLarge, "the values take too many bytes in the index \(index.index.name)", entity: entity.name,
      field: names(index))
  }

  func notUnique(_ other: RowID, _ index: IndexWriter) -> RecordFault {
    var fault = RecordFault(
      .notUnique, "row \(other.number) has the same values in the unique index \(index.index.name)",
      entity: entity.name, field: names(index))
    fault.rows = [RowName(entity.id, other)]
    return fault
  }

  func names(_ index: IndexWriter) -> String {
    index.index.parts.map { entity.field($0.field)?.name ?? "" }.joined(separator: ", ")
  }

  func makeKeys(_ touched: [Borrowed], _ id: RowID, moved: [Moved]) throws(StoreError) {
    for index in touched {
      try index.use { (index) throws(StoreError) in try makeKey(index, id, moved: moved) }
    }
  }

  @inline(__always)
  private func makeKey(_ index: IndexWriter, _ id: RowID, moved: [Moved]) throws(StoreError) {
    if !index.prepare(new.start) { try makeKeySlowly(index, id, moved: moved) }
  }

  private func makeKeySlowly(_ index: IndexWriter, _ id: RowID, moved: [Moved]) throws(StoreError) {
    try index.prepare(new.start, layout) { (slot) throws(StoreError) in try text(slot, id, moved: moved) }
  }

  /// Writes `new` into the rows and into the indexes, whose keys are already made.
  func place(_ id: RowID, _ moved: [Moved]) throws(StoreError) {
    let isNewest = id.number >= nextRow
    if isNewest {
      if id.number > nextRow { tables.history.note(gap: nextRow..<id.number, of: entity.id) }
      nextRow = id.number + 1
      isNextRowChanged = true
    } else {
      tables.history.note(insert: id, of: entity.id)
      tables.noteArrival(late: id, of: entity.id)
    }
    for value in moved { try put(value, id, isNew: isNewest) }
    try rows.put(id.number, new.bytes)
    try add(id, to: borrowed)
    if !texts.isEmpty { try addTexts(id, moved) }
    try links.inserted(id, new.start, layout: layout, isNewest: isNewest)
    if let derived { derived.inserted(id, new.start, layout: layout, isNewest: isNewest) }
  }

  /// Gives a number to a row that is not written.
  func passOver(_ id: RowID) {
    guard id.number >= nextRow else { return }
    tables.history.note(gap: nextRow..<id.number + 1, of: entity.id)
    nextRow = id.number + 1
    isNextRowChanged = true
  }

  /// Adds the entries of `new` to some indexes.
  func add(_ id: RowID, to touched: [Borrowed]) throws(StoreError) {
    for index in touched {
      try index.use { (index) throws(StoreError) in try index.add(id) }
    }
  }

  /// Stores and logs a large value.
  /// - Parameter isNew: whether the row cannot have had one in this field.
  func put(_ value: Moved, _ id: RowID, isNew: Bool) throws(StoreError) {
    let transaction = tables.forest.transaction
    var list = value.extents
    if list == nil, value.bytes.count >= ExtentList.namedFrom, transaction.canName {
      list = try transaction.writeExtents(value.bytes)
    }
    if let list {
      try LargeValue.put(list, row: id, field: value.field, in: large, isNew: isNew)
      try tables.recordLarge(entity.id, id, field: value.field, list: list)
    } else {
      try LargeValue.put(value.bytes, row: id, field: value.field, in: large, isNew: isNew)
      try tables.recordLarge(entity.id, id, field: value.field, bytes: value.bytes)
    }
  }

  /// The bytes of a value that is stored outside the row.
  func text(_ slot: Slot, _ id: RowID, moved: [Moved]) throws(StoreError) -> [UInt8] {
    if let found = moved.first(where: { $0.slot.position == slot.position }) {
      if let list = found.extents { return try tables.forest.transaction.view.readExtents(list) }
      return found.bytes
    }
    let index = layout.slots.firstIndex { $0.isVariable && $0.position == slot.position }!
    return try LargeValue.read(id, layout.members[index].id, in: large.tree)
  }
}
