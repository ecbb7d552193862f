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
  /// The row that is there takes some fields of the new one, or of those the ones that are not nil.
  case take(Set<FieldID>, skipsNil: Bool)
  /// A fault that names the row.
  case `throw`
  /// `merge` gets the row that is there, to be changed, and the new one.
  case merge((_ existing: inout RowBuilder, _ new: Row) throws -> Void)
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
    try tables.check(generation)
    // A number that no row has, to look for rows that have the values.
    let moved = try assemble(&row, RowID(nextRow))
    let found = try conflict(moved, on: name)
    guard let found else {
      let new = try newNumber()
      try finishInsert(new, moved)
      return (new, .inserted)
    }
    switch policy {
    case .keepExisting: return (found.row, .kept)
    case .throw: throw notUnique(found.row, found.index)
    case .replace, .mergeNonNil, .take, .merge: break
    }
    // The memory of `new` is needed for the row as it will be.
    let bytes = [UInt8](new.bytes)
    let isThere = try bytes.withUnsafeBytes { bytes in
      let new = Row(found.row, bytes.baseAddress!, bytes.count, Int(layout.version))
      return try update(found.row) { existing in
        switch policy {
        case .merge(let merge): try merge(&existing, new)
        case .mergeNonNil: take(new, moved, &existing, skipsNil: true)
        case .take(let fields, let skipsNil): take(new, moved, &existing, fields, skipsNil: skipsNil)
        default: take(new, moved, &existing, skipsNil: false)
        }
      }
    }
    guard isThere else { throw IndexWriter.damaged(found.index.index) }
    return (found.row, .updated)
  }

  /// The row that has the values of a new one in a unique index already.
  package func existing(_ row: inout RowBuilder, on name: String? = nil) throws -> RowID? {
    try tables.check(generation)
    return try conflict(assemble(&row, RowID(nextRow)), on: name)?.row
  }

  /// The row that has the values of `new`, and the index that says so.
  private func conflict(_ moved: [Moved], on name: String?) throws -> (row: RowID, index: IndexWriter)? {
    var found: (row: RowID, index: IndexWriter)?
    for index in try unique(name) {
      guard let other = try conflict(index, RowID(nextRow), moved) else { continue }
      if let found, found.row != other {
        var fault = RecordFault(
          .notUnique,
          "the row has the values of row \(found.row.number) in the index \(found.index.index.name), and those of row "
            + "\(other.number) in the index \(index.index.name)", entity: entity.name)
        fault.rows = [found.row, other].map { RowName(entity.id, $0) }
        throw fault
      }
      found = (other, index)
    }
    return found
  }

  private func unique(_ name: String?) throws(RecordFault) -> [IndexWriter] {
    let found = indexes.filter { $0.index.isUnique && (name == nil || $0.index.name == name) }
    if found.isEmpty {
      throw RecordFault(.unknown, "there is no unique index" + (name.map { " named \($0)" } ?? ""), entity: entity.name)
    }
    return found
  }

  /// Gives a row the fields of another one of the same layout.
  private func take(
    _ new: Row, _ moved: [Moved], _ row: inout RowBuilder, _ fields: Set<FieldID>? = nil, skipsNil: Bool
  ) {
    for (slot, member) in zip(layout.slots, layout.members) where fields?.contains(member.id) != false {
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
