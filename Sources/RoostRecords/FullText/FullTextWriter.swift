internal import RoostFile
internal import RoostText
internal import RoostTrees

/// One full text index while a transaction changes it.
///
/// New texts wait in memory. They are written when the tree is read, at a savepoint, at the end, or when they need too
/// much memory.
final class FullTextWriter {
  let index: FullTextIndex
  private let definition: TextIndex
  private let layout: Layout
  /// The tree without the texts that wait. A reader settles first.
  let draft: ByteTreeDraft
  /// The places of the covered fields in the newest layout, in the index's order.
  private let places: [Int]
  /// `places` as a set.
  private let fields: FieldSet
  private var writer: TextIndexWriter?
  /// The bytes of the texts since the last flush.
  private var waitingBytes = 0
  private var isTouched = false
  private var failure: StoreError?

  /// A writer that got more bytes gives its memory back after it was flushed.
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

  /// Whether a row is in the index, or comes into it when it is inserted.
  func covers(_ id: RowID) -> Bool { index.builtBelow.map { id < $0 } ?? true }

  func isTouched(by changed: FieldSet) -> Bool { !fields.isDisjoint(with: changed) }

  // MARK: Changing

  /// Adds the texts of a row of the newest layout. `outside` gives the bytes of a value that is not in the row.
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

  /// Removes the texts of a row. An index that does not have them is damaged.
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

  // MARK: Carrying out

  /// The tree as it is at this moment, for reading until the next change.
  func tree() throws(StoreError) -> ByteTree {
    try settle()
    return draft.tree
  }

  /// Writes the texts that wait. After an error the transaction can only be undone.
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
  /// The row's number as a full text index has it. Row numbers are below 2⁶³.
  var textNumber: Int64 { Int64(clamping: number) }
}

extension FullTextIndex {
  /// The rules of the index, with the names that its fields have now.
  func definition(_ entity: Entity) -> TextIndex {
    TextIndex(analyzer: analyzer, fields: fields.map { Self.spoken(entity.field($0)?.name ?? "") })
  }

  /// The name of a field in questions. A field of a subclass has the name of its class before it: `Essay/note`.
  package static func spoken(_ field: String) -> String {
    field.lastIndex(of: "/").map { String(field[field.index(after: $0)...]) } ?? field
  }
}
