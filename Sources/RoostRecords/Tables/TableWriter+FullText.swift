internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Keeps full text indexes right while rows change.
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

  /// Adds the texts of stored rows from `start` on, at most so many. Returns the row where to go on; nil after the last one.
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

  /// Puts some more rows into a full text index that is built in steps; true if it is whole now.
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

  /// Puts rows into a full text index that is built in steps, up to those below a number; nil for all of them.
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

  /// Notes how far a full text index is built.
  func set(_ index: FullTextIndex) throws(StoreError) {
    try changeCatalog { catalog in catalog.set(index) }
  }
}
