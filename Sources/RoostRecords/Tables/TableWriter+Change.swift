internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Changes and removes rows.
extension TableWriter {
  /// Changes fields of a row. Returns false if the row does not exist.
  ///
  /// `body` gets the row with its present values, and changes some. A row of an older layout gets
  /// the newest one.
  @discardableResult
  package func update(_ id: RowID, _ body: (inout RowBuilder) throws -> Void) throws -> Bool {
    guard try load(id) else { return false }
    try body(&builder)
    if derived != nil { keepDerived(&builder) }
    try replace(id, assemble(&builder, id))
    return true
  }

  /// Replaces the row in `old` with the one in `new`.
  func replace(_ id: RowID, _ moved: [Moved]) throws { try replace(id, moved, changed: changedFields(moved)) }

  /// Replaces the row in `old` with the one in `new`, which differs in these fields.
  func replace(_ id: RowID, _ moved: [Moved], changed: FieldSet) throws {
    if changed.isEmpty { return }
    let touched = touched(by: changed)
    try prepare(touched, id, moved: moved)
    try links.check(id, new.start, old: old.start, layout: layout)
    try tables.changing(generation) { () throws(StoreError) in
      try exchange(id, changed, moved: moved, touched: touched)
      try tables.recordUpdate(entity.id, id, changed: changed, layout: layout, bytes: new.bytes)
    }
  }

  /// Changes fields of a row by name. Returns false if the row does not exist.
  @discardableResult
  package func update(_ id: RowID, _ values: KeyValuePairs<String, Value>) throws -> Bool {
    try update(id) { builder in
      for (name, value) in values {
        do throws(RecordFault) { try builder.set(slot(name), value) } catch { throw error.at(entity.name, name) }
      }
    }
  }

  /// Deletes a row. Returns false if it does not exist.
  @discardableResult
  package func delete(_ id: RowID) throws -> Bool {
    guard try load(id) else { return false }
    try tables.changing(generation) { () throws(StoreError) in
      try tables.recordDelete(entity.id, id)
      try erase(id)
    }
    return true
  }

  /// Loads a row into `old`, in the newest layout, and into the builder. Returns false if it does
  /// not exist.
  func load(_ id: RowID) throws(StoreError) -> Bool {
    try tables.check(generation)
    loaded = nil
    let found = try rows.tree.withValue(of: id.number) { row in
      guard layout.admits(row) else { return false }
      builder.load(admitted: row)
      old.make(row.count).copyMemory(from: row.baseAddress!, byteCount: row.count)
      return true
    }
    guard let isNewest = found else { return false }
    if !isNewest { try shift(id) } else if !strays.isEmpty { strays = [] }
    return true
  }

  /// Loads a row into `old` only, for callers with their own builder. Returns false if it does not
  /// exist.
  func loadOld(_ id: RowID) throws(StoreError) -> Bool {
    try tables.check(generation)
    loaded = nil
    let found = try rows.tree.withValue(of: id.number) { row in
      guard layout.admits(row) else { return false }
      old.make(row.count).copyMemory(from: row.baseAddress!, byteCount: row.count)
      return true
    }
    guard let isNewest = found else { return false }
    if !isNewest { try shift(id) } else if !strays.isEmpty { strays = [] }
    return true
  }

  /// Loads a row of an older layout into `old` and into the builder, converted to the newest
  /// layout.
  private func shift(_ id: RowID) throws(StoreError) {
    guard let bytes = try rows.tree.value(of: id.number) else { throw damaged(id) }
    var failure: StoreError?
    bytes.withUnsafeBytes { row in
      do throws(StoreError) {
        try LayoutShift(entity, layouts).load(row, into: &builder)
        noteStrays(row)
        let memory = old.make(builder.byteCount)
        do throws(RecordFault) { try builder.write(to: memory) } catch { throw damaged(id) }
      } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Notes the removed fields of a row whose values are stored outside it. `admits` of the row's
  /// layout has accepted the row.
  private func noteStrays(_ row: UnsafeRawBufferPointer) {
    strays = []
    guard let start = row.baseAddress, let version = Layout.version(of: row), version != layout.version else { return }
    let was = layouts[Int(version)]
    for (member, slot) in zip(was.members, was.slots) where slot.isVariable && was.bytes(start, slot).isOutside {
      if !layout.members.contains(where: { $0.id == member.id }) { strays.append(member.id) }
    }
  }

  func damaged(_ id: RowID) -> StoreError {
    StoreError(.damaged, "row \(id.number) of \(entity.name) is unreadable")
  }

  /// The fields that differ between `new` and `old`.
  func changedFields(_ moved: [Moved]) -> FieldSet {
    var changed = FieldSet()
    if old.count == new.count, let fixed = layout.differingFixed(old.start, new.start, count: new.count) {
      changed = fixed
    } else {
      for index in layout.places.indices where !layout.isSame(old.start, new.start, index: index) {
        changed.insert(index)
      }
    }
    for value in moved {
      if let index = layout.members.firstIndex(where: { $0.id == value.field }) { changed.insert(index) }
    }
    return changed
  }

  /// The indexes whose entries depend on these fields.
  func touched(by changed: FieldSet) -> [Borrowed] {
    var touched: [Borrowed] = []
    for index in borrowed where index.use({ !$0.fields.isDisjoint(with: changed) }) {
      touched.append(index)
    }
    return touched
  }

  /// Writes `new` in place of `old`, in the rows and in the touched indexes, whose keys are already
  /// made.
  func exchange(
    _ id: RowID, _ changed: FieldSet, moved: [Moved], touched: [Borrowed]
  ) throws(StoreError) {
    loaded = nil
    #if DEBUG
      let touched = tables.leavesOutIndexes ? [] : touched
    #endif
    try takeOut(id, of: touched)
    for index in layout.places.indices where changed.contains(index) {
      let place = layout.places[index].place
      guard place.kind == .variable else { continue }
      // If both values are outside the row, the new value overwrites the old one.
      if place.variable(old.start).isOutside, !place.variable(new.start).isOutside {
        try removeLarge(id, layout.members[index].id)
      }
    }
    for field in strays { try removeLarge(id, field) }
    for value in moved { try put(value, id, isNew: false) }
    try rows.put(id.number, new.bytes)
    try add(id, to: touched)
    if !texts.isEmpty { try exchangeTexts(id, changed, moved: moved) }
    try links.exchanged(id, old: old.start, new: new.start, layout: layout)
    if let derived { try derived.exchanged(id, changed, old: old.start, new: new.start, layout: layout) }
    if id.number < firstNew { tables.history.note(update: id, of: entity.id, changed, layout) }
  }

  /// Removes `old` from rows and indexes.
  func erase(_ id: RowID) throws(StoreError) {
    loaded = nil
    tables.deletions &+= 1
    try links.erased(id, old.start, layout: layout)
    if let derived { derived.erased(id, old.start, layout: layout) }
    try takeOut(id, of: borrowed)
    for text in texts { try text.remove(id) }
    for index in layout.places.indices {
      let place = layout.places[index].place
      if place.kind == .variable, place.variable(old.start).isOutside { try removeLarge(id, layout.members[index].id) }
    }
    for field in strays { try removeLarge(id, field) }
    guard try rows.removeExpected(id.number) else { throw damaged(id) }
    tables.history.note(delete: id, of: entity.id)
  }

  /// Removes the entries of `old` from some indexes.
  func takeOut(_ id: RowID, of touched: [Borrowed]) throws(StoreError) {
    for index in touched {
      let isDone = try index.use { (index) throws(StoreError) in try index.remove(old.start, id) }
      if isDone { continue }
      try index.use { (index) throws(StoreError) in
        try index.remove(old.start, layout, id: id) { (slot) throws(StoreError) in try text(slot, id, moved: []) }
      }
    }
  }

  private func removeLarge(_ id: RowID, _ field: FieldID) throws(StoreError) {
    guard try LargeValue.remove(id, field, from: large) else { throw damaged(id) }
  }
}
