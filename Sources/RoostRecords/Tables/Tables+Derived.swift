internal import RoostFile
internal import RoostTrees

/// Writes the derived fields whose members a transaction changed.
///
/// The changes wait in ``Tables/derived`` until the transaction ends, sets a savepoint, or is read.
/// Then each row is written once, by the code that writes every row. So indexes, the history and
/// the log get the new values, and a replay of the log computes nothing.
extension Tables {
  /// Whether some derived fields wait to be written.
  package var hasDerivedChanges: Bool { !derived.isEmpty }

  /// Writes them. The first value that its field cannot hold is noted as an error, which
  /// ``throwDerivedFault()`` throws.
  func settleDerived() throws(StoreError) {
    if derived.isEmpty || isSettlingDerived { return }
    isSettlingDerived = true
    defer { isSettlingDerived = false }
    var absent: [(place: DerivedChanges.Place, change: DerivedChange)] = []
    // A derived field may be computed from another one. The catalog has no cycle of them.
    for _ in 0...catalog.derivations.count {
      let waiting = derived.take()
      if waiting.isEmpty { break }
      let writes = try computed(waiting, &absent)
      for (name, values) in writes { try write(name, values) }
    }
    derived.keep(absent)
  }

  /// Throws the noted error of a derived field, until the transaction ends or is rolled back.
  func throwDerivedFault() throws(RecordFault) { if let derivedFault { throw derivedFault } }

  /// The waiting changes, for a savepoint that may be rolled back.
  var derivedMark: (changes: DerivedChanges, fault: RecordFault?, rowCount: Int) {
    (derived, derivedFault, derivedRows.count)
  }

  func goBack(toDerived mark: (changes: DerivedChanges, fault: RecordFault?, rowCount: Int)) {
    (derived, derivedFault) = (mark.changes, mark.fault)
    derivedRows.removeSubrange(min(mark.rowCount, derivedRows.count)...)
  }

  private typealias Write = (name: RowName, values: [(field: FieldID, value: Value)])

  /// Computes the fields that get another value. Nothing is written meanwhile.
  private func computed(
    _ waiting: [(place: DerivedChanges.Place, change: DerivedChange)],
    _ absent: inout [(place: DerivedChanges.Place, change: DerivedChange)]
  ) throws(StoreError) -> [Write] {
    var writes: [Write] = []
    let source = try DerivedSource(self)
    for (place, change) in waiting {
      guard let one = catalog.derivation(of: place.field, in: place.entity), one.isKept else { continue }
      guard let stored = try source.stored(one, of: place.row) else {
        absent.append((place, change))
        continue
      }
      switch try value(of: one, place.row, change: change, stored: stored, source: source) {
      case .failure(let fault): note(fault, place)
      case .success(let value):
        if value.isSame(as: stored) { continue }
        let name = RowName(place.entity, place.row)
        if writes.last?.name == name {
          writes[writes.count - 1].values.append((place.field, value))
        } else {
          writes.append((name, [(place.field, value)]))
        }
      }
    }
    return writes
  }

  /// The new value of a field: from the differences if they suffice, else computed from all
  /// members.
  private func value(
    of one: Derivation, _ row: RowID, change: DerivedChange, stored: Value, source: DerivedSource
  ) throws(StoreError) -> Result<Value, RecordFault> {
    do throws(RecordFault) {
      if let known = try change.applied(to: stored, one.kind, source.field(one).type) { return .success(known) }
    } catch { return .failure(error) }
    return try source.value(one, of: row)
  }

  private func note(_ fault: RecordFault, _ place: DerivedChanges.Place) {
    if derivedFault != nil { return }
    var fault = fault.at(
      catalog.name(of: place.entity) ?? "", catalog.field(place.field, of: place.entity)?.name)
    let own = RowName(place.entity, place.row)
    // The row comes first, then the row that has the same values.
    if !fault.rows.contains(own) { fault.rows.insert(own, at: 0) }
    derivedFault = fault
  }

  private func write(_ name: RowName, _ values: [(field: FieldID, value: Value)]) throws(StoreError) {
    do {
      let table = try table(name.entity)
      guard try table.load(name.row) else { return }
      for (field, value) in values {
        guard let at = table.layout.members.firstIndex(where: { $0.id == field }) else { continue }
        try table.builder.set(table.layout.slots[at], value)
      }
      try table.replace(name.row, table.assemble(&table.builder, name.row))
      derivedRows.append(name)
    } catch let fault as RecordFault {
      note(fault, DerivedChanges.Place(entity: name.entity, row: name.row, field: values[0].field))
    } catch let error as StoreError { throw error } catch {
      throw StoreError(.damaged, "a derived field cannot be written: \(error)")
    }
  }

  // MARK: Links

  /// Notes that two rows were linked or unlinked.
  func noteDerivedLink(_ forward: Relationship, _ owner: RowID, target: RowID) {
    if !keepsDerived || catalog.derivations.isEmpty || forward.shape != .links { return }
    for one in catalog.derivations where one.isKept {
      let row = one.relationship == forward.id ? owner : one.relationship == forward.inverse ? target : nil
      guard let row else { continue }
      derived.forget(DerivedChanges.Place(entity: one.entity, row: row, field: one.field))
    }
  }

  // MARK: Filling

  /// Computes derived fields that are new, or whose definition changed, in all rows.
  func fillDerived(_ old: Catalog) throws {
    guard keepsDerived else { return }
    for one in catalog.derivations where one.isKept && !old.derivations.contains(one) {
      try fill(one)
    }
  }

  /// Computes all derived fields again. A value that its field cannot hold is skipped.
  func fillAllDerived() throws {
    for one in catalog.derivations where one.isKept { try fill(one, isTolerant: true) }
  }

  /// Computes a derived field of all rows.
  private func fill(_ one: Derivation, isTolerant: Bool = false) throws {
    var next: UInt64? = 0
    while let start = next {
      let tree = try table(one.entity).rows.tree
      var cursor = IntegerCursor(tree)
      var isThere = try cursor.seek(start)
      var count = 0
      // In steps, so that many rows need little memory.
      while isThere, count < DerivedChanges.most {
        let row = RowID(cursor.key)
        derived.forget(DerivedChanges.Place(entity: one.entity, row: row, field: one.field))
        count += 1
        isThere = try cursor.next()
      }
      next = isThere ? cursor.key : nil
      try settleDerived()
      if !isTolerant { try throwDerivedFault() }
    }
  }
}
