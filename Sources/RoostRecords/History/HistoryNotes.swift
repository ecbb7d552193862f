/// Notes in memory what a transaction changes. The history entry is made of them at the commit.
///
/// A row that got the next number in this transaction needs no note. The inserted rows are a run
/// from the number that was next at the begin, without those that were deleted again. Reserved
/// numbers may be used in another order: skipped numbers are gaps in the run, and a row below the
/// next number is noted. Notes are only appended, so a savepoint is a count. Duplicates are merged
/// when there are too many.
///
/// ## Invariants
/// 1. Notes before `protected` belong to open savepoints, and stay as they are.
/// 2. The deletion of a row is its last note.
final class HistoryNotes {
  struct Note {
    var entity: UInt32
    /// 0 means deleted; else the number of a set of fields, counted from 1, or one of the
    /// following.
    var what: UInt32
    var row: UInt64

    static let deleted: UInt32 = 0
    /// The row was inserted under a number below the next one.
    static let inserted: UInt32 = .max
    /// The row was inserted in the same way and deleted again.
    static let passed: UInt32 = .max - 1
  }

  /// The changed fields and relationships of a row. Both lists ascend.
  struct Touched: Hashable {
    var fields: [FieldID] = []
    var relationships: [UInt32] = []

    func joined(_ other: Touched) -> Touched {
      Touched(
        fields: Set(fields).union(other.fields).sorted(),
        relationships: Set(relationships).union(other.relationships).sorted())
    }
  }

  /// The values that all notes of one relationship share.
  private struct Links {
    var entity = EntityID(0)
    var relationship: UInt32 = 0
    /// Rows of the entity from this number on need no note.
    var firstNew: UInt64 = 0
    /// The number of the set; 0 before the first note.
    var number: UInt32 = 0
  }

  let isOn: Bool
  @exclusivity(unchecked) private(set) var notes: [Note] = []
  /// Skipped numbers; those of an entity ascend.
  private var gaps: [(entity: EntityID, rows: Range<UInt64>)] = []
  @exclusivity(unchecked) private(set) var isCatalogChanged = false
  /// For each entity whose rows may have changed, the first number that was given out in this
  /// transaction.
  private(set) var firstNew: [EntityID: UInt64] = [:]
  private(set) var sets: [Touched] = []
  private var numbers: [Touched: UInt32] = [:]
  @exclusivity(unchecked) private var protected = 0
  @exclusivity(unchecked) private var joinAt: Int
  // The last set that was looked up, because most changes have the same fields as the one before.
  @exclusivity(unchecked) private var lastFields = FieldSet()
  @exclusivity(unchecked) private var lastLayout: Layout?
  @exclusivity(unchecked) private var lastNumber: UInt32 = 0
  @exclusivity(unchecked) private var lastLinks = Links()

  private let leastToJoin: Int

  init(isOn: Bool, leastToJoin: Int = 1 << 14) {
    self.isOn = isOn
    self.leastToJoin = leastToJoin
    joinAt = leastToJoin
  }

  /// The first number of the entity that was given out in this transaction; `next` is the present
  /// next number. Must be called before the entity's rows change. Rows from this number on need no
  /// notes. Without a history it is 0.
  func begin(_ entity: EntityID, next: UInt64) -> UInt64 {
    guard isOn else { return 0 }
    if let known = firstNew[entity] { return known }
    firstNew[entity] = next
    lastLinks = Links()
    return next
  }

  // MARK: Noting

  /// Notes changed fields of a row from before the transaction.
  func note(update row: RowID, of entity: EntityID, _ fields: FieldSet, _ layout: Layout) {
    if lastLayout !== layout || lastFields != fields {
      let changed = layout.members.indices.filter { fields.contains($0) }.map { layout.members[$0].id }
      lastNumber = number(Touched(fields: changed.sorted()))
      (lastFields, lastLayout) = (fields, layout)
    }
    add(Note(entity: entity.number, what: lastNumber, row: row.number))
  }

  /// Notes changed links of a row. Does nothing for a new row.
  func note(update entity: EntityID, _ row: RowID, relationship: UInt32) {
    guard isOn else { return }
    if lastLinks.relationship != relationship || lastLinks.entity != entity {
      lastLinks = Links(entity: entity, relationship: relationship, firstNew: firstNew[entity] ?? .max)
    }
    guard row.number < lastLinks.firstNew else { return }
    if lastLinks.number == 0 { lastLinks.number = number(Touched(relationships: [relationship])) }
    add(Note(entity: entity.number, what: lastLinks.number, row: row.number))
  }

  func note(delete row: RowID, of entity: EntityID) {
    if isOn { add(Note(entity: entity.number, what: Note.deleted, row: row.number)) }
  }

  /// Notes a row that was inserted under a number below the next one.
  func note(insert row: RowID, of entity: EntityID) {
    if isOn { add(Note(entity: entity.number, what: Note.inserted, row: row.number)) }
  }

  /// Notes that the next numbers were skipped.
  func note(gap rows: Range<UInt64>, of entity: EntityID) {
    if isOn { gaps.append((entity, rows)) }
  }

  func gaps(of entity: EntityID) -> [Range<UInt64>] {
    gaps.isEmpty ? [] : gaps.filter { $0.entity == entity }.map(\.rows)
  }

  func noteCatalog() { isCatalogChanged = isOn }

  private func add(_ note: Note) {
    notes.append(note)
    if notes.count >= joinAt { join() }
  }

  private func number(_ touched: Touched) -> UInt32 {
    if let known = numbers[touched] { return known }
    sets.append(touched)
    numbers[touched] = UInt32(sets.count)
    return UInt32(sets.count)
  }

  // MARK: Merging

  /// Merges all notes after the last savepoint: one note for a row, sorted by entity and row.
  func join() {
    defer { joinAt = max(leastToJoin, protected + 2 * (notes.count - protected)) }
    if isJoined { return }
    notes.withUnsafeMutableBufferPointer { Note.sort(UnsafeMutableBufferPointer(rebasing: $0[protected...])) }
    var end = protected
    for index in protected + 1..<notes.count {
      let next = notes[index]
      if notes[end].entity != next.entity || notes[end].row != next.row {
        end += 1
        notes[end] = next
      } else {
        notes[end].what = joined(notes[end].what, next.what)
      }
    }
    notes.removeSubrange((end + 1)...)
  }

  private var isJoined: Bool {
    guard notes.count - protected > 1 else { return true }
    for index in protected + 1..<notes.count
    where (notes[index - 1].entity, notes[index - 1].row) >= (notes[index].entity, notes[index].row) { return false }
    return true
  }

  private func joined(_ one: UInt32, _ other: UInt32) -> UInt32 {
    if one == other { return one }
    if one == Note.passed || other == Note.passed { return Note.passed }
    let isDeleted = one == Note.deleted || other == Note.deleted
    if one == Note.inserted || other == Note.inserted { return isDeleted ? Note.passed : Note.inserted }
    if isDeleted { return Note.deleted }
    return number(sets[Int(one - 1)].joined(sets[Int(other - 1)]))
  }

  /// All entities whose rows may have changed, ascending. The notes must have been merged.
  var entities: [EntityID] {
    var found = Array(firstNew.keys)
    for (index, note) in notes.enumerated() where index == 0 || notes[index - 1].entity != note.entity {
      if firstNew[EntityID(note.entity)] == nil { found.append(EntityID(note.entity)) }
    }
    if found.count > 1 { found.sort() }
    return found
  }

  /// The notes of one entity. They must have been merged without an open savepoint.
  func notes(of entity: EntityID) -> ArraySlice<Note> {
    let start = notes.partitioningIndex { $0.entity >= entity.number }
    return notes[start...].prefix { $0.entity == entity.number }
  }

  // MARK: Savepoints

  struct Mark {
    let count: Int
    let gaps: Int
    let protected: Int
    let isCatalogChanged: Bool
  }

  func mark() -> Mark {
    defer { protected = notes.count }
    return Mark(count: notes.count, gaps: gaps.count, protected: protected, isCatalogChanged: isCatalogChanged)
  }

  /// Discards all notes since the mark.
  func goBack(to mark: Mark) {
    notes.removeSubrange(mark.count...)
    gaps.removeSubrange(mark.gaps...)
    isCatalogChanged = mark.isCatalogChanged
    release(mark)
  }

  /// Keeps the notes since the mark, and releases the mark.
  func release(_ mark: Mark) {
    protected = mark.protected
    joinAt = max(leastToJoin, protected + 2 * (notes.count - protected))
  }
}

extension Array {
  /// The first position from which on the condition is true. It must stay true after that.
  fileprivate func partitioningIndex(_ holds: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
