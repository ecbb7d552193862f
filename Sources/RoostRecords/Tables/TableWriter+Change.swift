internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Changing and removing rows.
extension TableWriter {
  /// Changes fields of a row; false if there is none of that number.
  ///
  /// `body` gets the row as it is. What it leaves alone stays; a row of an older layout gets the newest.
  @discardableResult
  package func update(_ id: RowID, _ body: (inout RowBuilder) throws -> Void) throws -> Bool {
    guard try load(id) else { return false }
    try body(&builder)
    if derived != nil { keepDerived(&builder) }
    try replace(id, assemble(&builder, id))
    return true
  }

  /// Makes `new` of `old`.
  func replace(_ id: RowID, _ moved: [Moved]) throws { try replace(id, moved, changed: changedFields(moved)) }

  /// Makes `new` of `old`, from which it differs in some fields.
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

  /// Changes fields of a row by name; false if there is none of that number.
  @discardableResult
  package func update(_ id: RowID, _ values: KeyValuePairs<String, Value>) throws -> Bool {
    try update(id) { builder in
      for (name, value) in values {
        do throws(RecordFault) { try builder.set(slot(name), value) } catch { throw error.at(entity.name, name) }
      }
    }
  }

  /// Removes a row; false if there is none of that number.
  @discardableResult
  package func delete(_ id: RowID) throws -> Bool {
    guard try load(id) else { return false }
    try tables.changing(generation) { () throws(StoreError) in
      try tables.recordDelete(entity.id, id)
      try erase(id)
    }
    return true
  }

  /// Puts a row into `old`, in the newest layout, and into the builder; false if there is none of that number.
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

  /// Puts a row into `old` alone, for whoever has a builder of his own; false if there is none of that number.
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

  /// Puts a row of an older layout into `old` and into the builder, as one of the newest.
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

  /// The row is of a layout that admits it.
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

  /// The fields in which `new` differs from `old`.
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

  /// The indexes in which these fields may move a row.
  func touched(by changed: FieldSet) -> [Borrowed] {
    var touched: [Borrowed] = []
    for index in borrowed where index.use({ !$0.fields.isDisjoint(with: changed) }) {
      touched.append(index)
    }
    return touched
  }

  /// Puts `new` into the place of `old`, and into the touched indexes, whose keys are made.
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
      // Where both stand outside, the new value takes the old one's place.
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

  /// Takes `old` out of rows and indexes.
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

  /// Takes the entries of `old` out of some indexes.
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
