internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// The result of an upsert if another row already has the unique values.
package enum UpsertPolicy {
  /// The existing row gets all fields of the new one, and keeps its number.
  case replace
  /// The existing row stays as it is.
  case keepExisting
  /// The existing row gets the non-nil fields of the new one.
  case mergeNonNil
  /// The upsert throws an error that names the existing row.
  case `throw`
  /// `merge` changes the existing row; it gets the new one too.
  case merge((_ existing: inout RowBuilder, _ new: Row) throws -> Void)
  /// The existing row gets these fields of the new one, or only those that are not nil.
  case fields(Set<FieldID>, skipsNil: Bool = false)
  /// Chooses another policy for each existing row.
  indirect case byRow((_ existing: Row) throws -> UpsertPolicy)
}

package enum UpsertOutcome: Hashable, Sendable { case inserted, updated, kept }

extension TableWriter {
  /// Inserts a row, or changes the row that already has its values in a unique index.
  ///
  /// If no index is named, all unique indexes decide. If they find different rows, the error names
  /// both and nothing changes. A conflict that remains after the change is an error too.
  package func upsert(
    _ row: inout RowBuilder, on name: String? = nil, _ policy: UpsertPolicy = .replace
  ) throws -> (id: RowID, outcome: UpsertOutcome) {
    let done = try merge(&row, on: name, policy)
    return (done.id, done.outcome)
  }

  /// Inserts or changes a row, where only these unique indexes decide.
  package func upsert(
    _ row: inout RowBuilder, among wanted: [IndexID], _ policy: UpsertPolicy
  ) throws -> (id: RowID, outcome: UpsertOutcome) {
    let done = try merge(&row, deciding(wanted), policy: policy)
    return (done.id, done.outcome)
  }

  /// Inserts or changes a row as ``upsert(_:among:_:)`` does, and returns which fields changed.
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
    throw RecordFault(.unknown, "none of these indexes is unique", entity: entity.name)
  }

  /// The result of an upsert.
  package struct Merged {
    package let id: RowID
    package let outcome: UpsertOutcome
    /// The fields of the existing row whose values changed.
    package var changed: [FieldID] = []
  }

  /// Inserts or changes a row as ``upsert(_:on:_:)`` does, and returns which fields changed.
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

  /// Merges the row in `new` into the found row, or inserts it if none was found.
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
    // A replaced row keeps its derived fields.
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

  /// Changes the row in `old` with values of the row in `new`. Returns the fields that changed.
  private func change(_ id: RowID, _ moved: [Moved], policy: UpsertPolicy) throws -> FieldSet {
    // `new` is copied, because the changed row is assembled in its memory.
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

  /// Assembles the row in `new`, and finds the row with the same unique values.
  private func find(
    _ row: inout RowBuilder, _ deciding: [IndexWriter]
  ) throws -> (moved: [Moved], found: (row: RowID, index: IndexWriter)?) {
    // The search needs a number that no row has.
    let id = RowID(nextRow)
    if derived != nil { try emptyDerived(&row) }
    let moved = try assemble(&row, id)
    do { return (moved, try find(id, moved, deciding: deciding)) } catch { throw giveBack(moved, to: &row, error) }
  }

  /// Finds the row with the unique values of the row in `new`.
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

  /// The row with the same values as the built row in one of these unique indexes; nil if there is
  /// none.
  package func row(like row: inout RowBuilder, in wanted: [IndexID]) throws -> RowID? {
    try self.row(like: &row, indexes.filter { $0.index.isUnique && wanted.contains($0.index.id) })
  }

  /// The row with the same values as the built row in the named unique index, or in any one.
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

  /// Copies fields of another row of the same layout into a row.
  ///
  /// - Parameter wanted: the fields to copy; nil for all.
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

  /// Changes many rows in the same way. Returns the number of rows that existed. An error leaves
  /// the rows before it changed: run this in a savepoint to undo them.
  @discardableResult
  package func update(many rows: some Sequence<RowID>, _ body: (inout RowBuilder) throws -> Void) throws -> Int {
    var count = 0
    for row in rows where try update(row, body) { count += 1 }
    return count
  }

  /// Deletes many rows without applying the rules of relationships. Returns the number of rows that
  /// existed.
  @discardableResult
  package func delete(many rows: some Sequence<RowID>) throws -> Int {
    var count = 0
    for row in rows where try delete(row) { count += 1 }
    return count
  }
}
