internal import RoostFile
internal import RoostText
internal import RoostTrees

/// Changes one full text index during a transaction.
///
/// New texts wait in memory. They are written when the tree is read, at a savepoint, at the end, or
/// when they need too much memory.
final class FullTextWriter {
  let index: FullTextIndex
  private let definition: TextIndex
  private let layout: Layout
  /// The tree without the waiting texts. Call `settle` before it is read.
  let draft: ByteTreeDraft
  /// The indexes of the covered fields in the newest layout, in the order of the full text index.
  private let places: [Int]
  /// `places` as a set.
  private let fields: FieldSet
  private var writer: TextIndexWriter?
  /// The bytes of the texts since the last flush.
  private var waitingBytes = 0
  private var isTouched = false
  private var failure: StoreError?

  /// A writer that received more bytes releases its memory after it was flushed.
  private static let keptBytes = 1 << 20

  init(_ index: FullTextIndex, _ entity: Entity, layout: Layout, draft: ByteTreeDraft) {
    self.index = index
    self.layout = layout
    self.draft = draft
    definition = index.definition(entity)
    places = index.fields.compactMap { field in layout.members.firstIndex { $0.id == field } }
    var fields = FieldSet()
    for place in places { fields.insert(place) }
    self.fields = fields
  }

  /// Whether the index has the texts of a row, or gets them when the row is inserted.
  func covers(_ id: RowID) -> Bool { index.builtBelow.map { id < $0 } ?? true }

  func isTouched(by changed: FieldSet) -> Bool { !fields.isDisjoint(with: changed) }

  // MARK: Changing

  /// Adds the texts of a row of the newest layout. `outside` reads a value that is not in the row.
  func add(
    _ id: RowID, _ row: UnsafeRawPointer, outside: (Slot) throws(StoreError) -> [UInt8]
  ) throws(StoreError) {
    var copies: [UnsafeMutableRawBufferPointer] = []
    defer { for copy in copies { copy.deallocate() } }
    var texts: [UnsafeRawBufferPointer?] = []
    texts.reserveCapacity(places.count)
    for place in places {
      let slot = layout.slots[place]
      if layout.isNull(row, slot) {
        texts.append(nil)
        continue
      }
      let (bytes, isOutside) = layout.bytes(row, slot)
      if !isOutside {
        texts.append(bytes)
        waitingBytes &+= bytes.count
        continue
      }
      let whole = try outside(slot)
      waitingBytes &+= whole.count
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: whole.count, alignment: 8)
      copy.copyBytes(from: whole)
      copies.append(copy)
      texts.append(UnsafeRawBufferPointer(copy))
    }
    let given = texts
    try changing { (writer) throws(StoreError) in try writer.add(row: id.textNumber, utf8: given) }
  }

  /// Removes the texts of a row. If the index does not have them, it is damaged.
  func remove(_ id: RowID) throws(StoreError) {
    guard covers(id) else { return }
    try changing { (writer) throws(StoreError) in
      if try !writer.remove(row: id.textNumber) { throw Self.damaged(index) }
    }
  }

  private func changing(_ body: (TextIndexWriter) throws(StoreError) -> Void) throws(StoreError) {
    if let failure { throw failure }
    do throws(StoreError) {
      let writer: TextIndexWriter
      if let known = self.writer {
        writer = known
      } else {
        writer = try TextIndexWriter(definition, TextTreeDraft(draft))
        self.writer = writer
      }
      isTouched = true
      try body(writer)
    } catch {
      failure = error
      throw error
    }
  }

  // MARK: Applying

  /// The tree with all changes, valid for reading until the next change.
  func tree() throws(StoreError) -> ByteTree {
    try settle()
    return draft.tree
  }

  /// Writes the waiting texts. After an error the transaction can only be rolled back.
  func settle() throws(StoreError) {
    if let failure { throw failure }
    guard isTouched, let writer else { return }
    do throws(StoreError) { try writer.flush() } catch {
      failure = error
      throw error
    }
    isTouched = false
    if waitingBytes > Self.keptBytes { self.writer = nil }
    waitingBytes = 0
  }

  static func damaged(_ index: FullTextIndex) -> StoreError {
    StoreError(.damaged, "the full text index \(index.name) and its rows do not agree")
  }
}

extension RowID {
  /// The row's number as a full text index stores it. Row numbers are below 2⁶³.
  var textNumber: Int64 { Int64(clamping: number) }
}

extension FullTextIndex {
  /// The rules of the index, with the present names of its fields.
  func definition(_ entity: Entity) -> TextIndex {
    TextIndex(analyzer: analyzer, fields: fields.map { Self.spoken(entity.field($0)?.name ?? "") })
  }

  /// The name of a field in queries. In the catalog the field of a subclass has the name of its
  /// class before it: `Essay/note`.
  package static func spoken(_ field: String) -> String {
    field.lastIndex(of: "/").map { String(field[field.index(after: $0)...]) } ?? field
  }
}
