internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Updates full text indexes when rows change.
extension TableWriter {
  /// Adds the texts of `new` to the indexes that cover the row.
  func addTexts(_ id: RowID, _ moved: [Moved]) throws(StoreError) {
    for text in texts where text.covers(id) {
      try text.add(id, new.start) { (slot) throws(StoreError) in try self.text(slot, id, moved: moved) }
    }
  }

  /// Replaces the texts of a row in the indexes over its changed fields.
  func exchangeTexts(_ id: RowID, _ changed: FieldSet, moved: [Moved]) throws(StoreError) {
    #if DEBUG
      if tables.leavesOutIndexes { return }
    #endif
    for text in texts where text.covers(id) && text.isTouched(by: changed) {
      try text.remove(id)
      try text.add(id, new.start) { (slot) throws(StoreError) in try self.text(slot, id, moved: moved) }
    }
  }

  /// Adds the texts of at most `most` stored rows, beginning with `start`. Returns the row to
  /// continue with; nil after the last one.
  func build(_ text: FullTextWriter, from start: RowID, to end: RowID? = nil, most: Int) throws -> RowID? {
    var cursor = IntegerCursor(rows.tree)
    var isThere = try cursor.seek(start.number)
    var count = 0
    while isThere {
      let id = RowID(cursor.key)
      if count == most { break }
      if let end, id >= end { break }
      let row = try newest(id, &cursor)
      try text.add(id, row) { (slot) throws(StoreError) in try self.text(slot, id, moved: []) }
      try tables.forest.transaction.relieve()
      count += 1
      isThere = try cursor.next()
    }
    try text.settle()
    return isThere ? RowID(cursor.key) : nil
  }
}

extension Tables {
  /// Fills a full text index that was added with the catalog.
  func fill(_ index: FullTextIndex) throws {
    let table = try table(index.entity)
    guard let writer = table.texts.first(where: { $0.index.id == index.id }) else { return }
    _ = try table.build(writer, from: RowID(0), most: .max)
  }

  /// Adds the texts of some more rows to a full text index that is built in steps. Returns true if
  /// it is complete.
  func buildStep(_ index: FullTextIndex, most: Int) throws -> Bool {
    guard let start = index.builtBelow else { return true }
    let table = try table(index.entity)
    guard let writer = table.texts.first(where: { $0.index.id == index.id }) else {
      throw FullTextWriter.damaged(index)
    }
    var built = index
    built.builtBelow = try table.build(writer, from: start, most: most)
    let end = built.builtBelow
    try changing(generation) { () throws(StoreError) in
      try set(built)
      try recordBuild(index.id, end)
    }
    return end == nil
  }

  /// Adds the rows below a number to a full text index that is built in steps; with nil all
  /// remaining rows.
  func build(_ index: FullTextIndex, from start: RowID, below end: RowID?) throws {
    let table = try table(index.entity)
    guard let writer = table.texts.first(where: { $0.index.id == index.id }) else {
      throw FullTextWriter.damaged(index)
    }
    _ = try table.build(writer, from: start, to: end, most: .max)
    var built = index
    built.builtBelow = end
    try set(built)
  }

  /// Stores how far a full text index is built.
  func set(_ index: FullTextIndex) throws(StoreError) {
    try changeCatalog { catalog in catalog.set(index) }
  }
}
