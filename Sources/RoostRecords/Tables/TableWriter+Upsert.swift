internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// What becomes of a row whose unique values another row has already.
package enum UpsertPolicy {
  /// The row that is there takes all fields of the new one, and keeps its number.
  case replace
  /// The row that is there stays as it is.
  case keepExisting
  /// The row that is there takes the fields of the new one that are not nil.
  case mergeNonNil
  /// A fault that names the row.
  case `throw`
  /// `merge` gets the row that is there, to be changed, and the new one.
  case merge((_ existing: inout RowBuilder, _ new: Row) throws -> Void)
  /// The row that is there takes these fields of the new one, or of those the ones that are not nil.
  case fields(Set<FieldID>, skipsNil: Bool = false)
  /// One of the others, by the row that is there.
  indirect case byRow((_ existing: Row) throws -> UpsertPolicy)
}

package enum UpsertOutcome: Hashable, Sendable { case inserted, updated, kept }

extension TableWriter {
  /// Adds a row, or changes the one that has its values in a unique index already.
  ///
  /// Without an index any unique one decides; if they lead to different rows, that is a fault which names both, and nothing
  /// changes. So is a conflict that is left after the row has been changed.
  package func upsert(
    _ row: inout RowBuilder, on name: String? = nil, _ policy: UpsertPolicy = .replace
  ) throws -> (id: RowID, outcome: UpsertOutcome) {
    let done = try merge(&row, on: name, policy)
    return (done.id, done.outcome)
  }

  /// The same where some of the unique indexes decide.
  package func upsert(
    _ row: inout RowBuilder, among wanted: [IndexID], _ policy: UpsertPolicy
  ) throws -> (id: RowID, outcome: UpsertOutcome) {
    let done = try merge(&row, deciding(wanted), policy: policy)
    return (done.id, done.outcome)
  }

  /// The same, and says which fields changed.
  package func merge(_ row: inout RowBuilder, among wanted: [IndexID], _ policy: UpsertPolicy) throws -> Merged {
    try merge(&row, deciding(wanted), policy: policy)
  }

  private func deciding(_ wanted: [IndexID]) throws -> [IndexWriter] {
    if let last = lastDeciding, last.wanted == wanted { return last.indexes }
    let deciding = indexes.filter { $0.isUnique && wanted.contains($0.index.id) }
    if !deciding.isEmpty {
      lastDeciding = (wanted, deciding)
      return deciding
    }
    throw RecordFault(.unknown, "none of these indexes is a unique one", entity: entity.name)
  }

  /// What an upsert did.
  package struct Merged {
    package let id: RowID
    package let outcome: UpsertOutcome
    /// Of the row that was there, the fields that have another value now.
    package var changed: [FieldID] = []
  }

  /// The same, and says which fields changed.
  package func merge(
    _ row: inout RowBuilder, on name: String? = nil, _ policy: UpsertPolicy = .replace
  ) throws -> Merged { try merge(&row, try unique(name), policy: policy) }

  private func merge(
    _ row: inout RowBuilder, _ deciding: [IndexWriter], policy: UpsertPolicy
  ) throws -> Merged {
    try tables.check(generation)
    let (moved, found) = try find(&row, deciding)
    do { return try merge(moved, found, policy: policy) } catch { throw giveBack(moved, to: &row, error) }
  }

  /// The row is in `new`.
  private func merge(
    _ moved: [Moved], _ found: (row: RowID, index: IndexWriter)?, policy: UpsertPolicy
  ) throws -> Merged {
    guard let found else {
      let new = try newNumber()
      try finishInsert(new, moved)
      return Merged(id: new, outcome: .inserted)
    }
    guard try loaded == found.row || loadOld(found.row) else { throw IndexWriter.damaged(found.index.index) }
    var policy = policy
    while case .byRow(let choose) = policy {
      policy = try choose(Row(found.row, old.start, count: old.count, version: Int(layout.version)))
    }
    // A row that is replaced keeps its derived fields.
    if let derived, !derived.own.isEmpty, case .replace = policy { policy = .fields(derived.free) }
    let changed: FieldSet
    switch policy {
    case .keepExisting: return Merged(id: found.row, outcome: .kept)
    case .throw: throw notUnique(found.row, found.index)
    case .replace:
      changed = changedFields(moved)
      try replace(found.row, moved, changed: changed)
    default: changed = try change(found.row, moved, policy: policy)
    }
    let members = layout.members.indices.filter { changed.contains($0) }
    return Merged(id: found.row, outcome: .updated, changed: members.map { layout.members[$0].id })
  }

  /// Changes the row in `old` by parts of the one in `new`; returns the fields that changed.
  private func change(_ id: RowID, _ moved: [Moved], policy: UpsertPolicy) throws -> FieldSet {
    // The memory of `new` is needed for the row as it will be.
    let bytes = [UInt8](new.bytes)
    builder.load(admitted: old.bytes)
    return try bytes.withUnsafeBytes { bytes in
      let new = Row(id, bytes.baseAddress!, count: bytes.count, version: Int(layout.version))
      switch policy {
      case .merge(let merge): try merge(&builder, new)
      case .fields(let fields, let skipsNil): take(new, moved, row: &builder, skipsNil: skipsNil, wanted: fields)
      default: take(new, moved, row: &builder, skipsNil: true)
      }
      if derived != nil { keepDerived(&builder) }
      let moved = try assemble(&builder, id)
      let changed = changedFields(moved)
      try replace(id, moved, changed: changed)
      return changed
    }
  }

  /// Puts the row into `new`, and finds the one that has its values.
  private func find(
    _ row: inout RowBuilder, _ deciding: [IndexWriter]
  ) throws -> (moved: [Moved], found: (row: RowID, index: IndexWriter)?) {
    // A number that no row has, to look for rows that have the values.
    let id = RowID(nextRow)
    if derived != nil { try emptyDerived(&row) }
    let moved = try assemble(&row, id)
    do { return (moved, try find(id, moved, deciding: deciding)) } catch { throw giveBack(moved, to: &row, error) }
  }

  /// Finds the row that has the values of the one in `new`.
  private func find(
    _ id: RowID, _ moved: [Moved], deciding: [IndexWriter]
  ) throws -> (row: RowID, index: IndexWriter)? {
    var found: (row: RowID, index: IndexWriter)?
    for index in deciding {
      guard let other = try conflict(index, id, moved: moved) else { continue }
      if let found, found.row != other {
        var fault = RecordFault(
          .notUnique,
          "the row has the values of row \(found.row.number) in the index \(found.index.index.name), and those of row "
            + "\(other.number) in the index \(index.index.name)", entity: entity.name, field: names(index))
        fault.rows = [found.row, other].map { RowName(entity.id, $0) }
        throw fault
      }
      found = (other, index)
    }
    return found
  }

  /// The row that has the values of one that is put together, in one of these unique indexes; nil if there is none.
  package func row(like row: inout RowBuilder, in wanted: [IndexID]) throws -> RowID? {
    try self.row(like: &row, indexes.filter { $0.index.isUnique && wanted.contains($0.index.id) })
  }

  /// The same, by the name of an index, or by any unique one.
  package func row(like row: inout RowBuilder, on name: String? = nil) throws -> RowID? {
    try self.row(like: &row, unique(name))
  }

  private func row(like row: inout RowBuilder, _ deciding: [IndexWriter]) throws -> RowID? {
    try tables.check(generation)
    let (moved, found) = try find(&row, deciding)
    putBack(moved, into: &row)
    return found?.row
  }

  private func unique(_ name: String?) throws(RecordFault) -> [IndexWriter] {
    let found = indexes.filter { $0.index.isUnique && (name == nil || $0.index.name == name) }
    if found.isEmpty {
      throw RecordFault(.unknown, "there is no unique index" + (name.map { " named \($0)" } ?? ""), entity: entity.name)
    }
    return found
  }

  /// Gives a row the fields of another one of the same layout.
  ///
  /// - Parameter wanted: those that it is about; nil for all of them.
  private func take(
    _ new: Row, _ moved: [Moved], row: inout RowBuilder, skipsNil: Bool, wanted: Set<FieldID>? = nil
  ) {
    for (place, slot) in layout.slots.enumerated() {
      if let wanted, !wanted.contains(layout.members[place].id) { continue }
      if layout.isNull(new.start, slot) {
        if !skipsNil { row.setNull(slot) }
      } else if !slot.isVariable {
        row.set(slot, fixed: new.start + slot.position)
      } else if let large = moved.first(where: { $0.slot.position == slot.position }) {
        large.bytes.withUnsafeBytes { row.set(slot, bytes: $0) }
      } else {
        row.set(slot, bytes: layout.bytes(new.start, slot).bytes)
      }
    }
  }

  // MARK: Many rows

  /// Changes many rows alike; returns how many of them were there. A fault leaves those before it changed: to undo them, run
  /// it in a savepoint.
  @discardableResult
  package func update(many rows: some Sequence<RowID>, _ body: (inout RowBuilder) throws -> Void) throws -> Int {
    var count = 0
    for row in rows where try update(row, body) { count += 1 }
    return count
  }

  /// Removes many rows, without looking at the rules of relationships; returns how many of them were there.
  @discardableResult
  package func delete(many rows: some Sequence<RowID>) throws -> Int {
    var count = 0
    for row in rows where try delete(row) { count += 1 }
    return count
  }
}
