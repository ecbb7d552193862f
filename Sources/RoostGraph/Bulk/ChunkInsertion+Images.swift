internal import RoostFile
package import RoostRecords

/// The relationships of an object's image.
package struct ImageLinks {
  /// The rows of references, by property; nil for no row. Properties that are missing are unknown.
  package var references: [(property: Int, row: UInt64?)] = []
  /// The members of lists that are stored as links, by property.
  package var lists: [(property: Int, rows: [UInt64])] = []
  /// Lists whose members are not complete yet, and so are not counted.
  package var waiting: Set<Int> = []

  package init() {}
}

/// Stores rows from images, without objects.
extension ChunkInsertion {
  package enum Outcome {
    case stored(RowID)
    /// A row has the unique values already; the row was not changed.
    case conflict(RowID)
    case leftOut
  }

  /// Inserts the row of an image; returns the row that has its unique values, if there is one.
  package func add(_ map: EntityMap, _ values: ValueImage, links: ImageLinks) throws -> Outcome {
    var outcome = Outcome.leftOut
    let place = try batch.place(of: map)
    let isStored = try one(isSafe(place, links)) { outcome = try insert(map, values, links: links) }
    switch outcome {
    case .stored: inserted += 1
    // The caller has not dealt with it yet.
    case .conflict: count -= 1
    case .leftOut: break
    }
    return isStored ? outcome : .leftOut
  }

  /// The writer of the transaction, for further rows.
  package var writer: RecordWriter { run.writer }

  /// Whether the row that a reference of this property would refer to exists.
  package func hasTarget(_ row: UInt64, _ property: Int, map: EntityMap) throws -> Bool {
    guard let relation = bulk.store.relations[map.number][property] else { return false }
    return try run.writer.contains(RowID(row), bulk.store.maps[relation.target].entity.id)
  }

  /// Whether a row exists and is of this class.
  package func contains(_ row: RowID, _ map: EntityMap) throws -> Bool {
    let own = try run.writer.table(map.entity.id).visit(row) { found in
      map.family.map { $0.map(of: found) } ?? map.number
    }
    return own == map.number
  }

  /// Counts an object that is kept as it is, because its row exists.
  package func keep() {
    count += 1
    kept += 1
  }

  /// Updates a row with the values of an image. Values that the image does not contain stay.
  ///
  /// - Parameters:
  ///   - map: the map of the class.
  ///   - row: the row to update.
  ///   - values: the values of the image.
  ///   - links: the relationships of the image.
  ///   - skipsNil: whether the row keeps values that are nil in the image.
  package func update(
    _ map: EntityMap, _ row: RowID, values: ValueImage, links: ImageLinks, skipsNil: Bool
  ) throws -> Bool {
    let place = try batch.place(of: map)
    let isStored = try one(isSafe(place, links)) {
      let (place, encoder) = (try batch.place(of: map), encoder(map))
      place.box.sink.clear()
      guard try place.table.read(row, into: &place.box.sink.builder) else {
        throw GraphFault(.deleted, "it no longer exists", name: ObjectName(map.type.name, row.number))
      }
      let former = encoder.references(place.box.sink)
      try encoder.encode(values, into: &place.box.sink, leavesAbsent: true, skipsNil: skipsNil)
      try check(place, row: row.number) { values.isPresent($0) }
      for link in links.references { try checkTarget(link, map) }
      try encoder.encode(links.references, into: &place.box.sink, leavesAbsent: true)
      try batch.parting(map) { try place.table.replace(row, with: &place.box.sink.builder) }
      try judge(place, row, change: .update)
      run.note(changed: row.number, map.home)
      for (property, target) in former { noteLead(property, target, row: row, map: map) }
      try finish(row, map, links: links)
      batch.noteFound(map, row)
    }
    if isStored { updated += 1 }
    return isStored
  }

  // MARK: Writing

  /// Whether an image that cannot be stored leaves nothing behind even without a savepoint.
  private func isSafe(_ place: BatchInsertion.Place, _ links: ImageLinks) -> Bool {
    // `validate` is called after the row was stored.
    !place.isCounted && place.map.type.judge == nil && !place.hasJudgedNeighbours && links.lists.isEmpty
      && !place.hasOwnInverse && (!place.hasPartners || links.references.allSatisfy { $0.row == nil })
  }

  private func insert(_ map: EntityMap, _ values: ValueImage, links: ImageLinks) throws -> Outcome {
    let (place, encoder) = (try batch.place(of: map), encoder(map))
    place.box.sink.clear()
    try encoder.encode(values, into: &place.box.sink, leavesAbsent: false, skipsNil: false)
    try check(place, row: nil) { _ in true }
    for link in links.references { try checkTarget(link, map) }
    try encoder.encode(links.references, into: &place.box.sink, leavesAbsent: false)
    let row: RowID
    do { row = try place.table.insert(&place.box.sink.builder) } catch let fault as RecordFault {
      if let row = try batch.stored(like: fault, place) { return .conflict(row) }
      row = try batch.parting(map) { try place.table.insert(&place.box.sink.builder) }
    }
    try judge(place, row, change: .insert)
    batch.noteInserted(map, row)
    try finish(row, map, links: links)
    return .stored(row)
  }

  /// Writes the changes that follow from a row's relationships.
  private func finish(_ row: RowID, _ map: EntityMap, links: ImageLinks) throws {
    for link in links.references { noteLead(link.property, link.row, row: row, map: map) }
    for link in links.references { try agree(link.property, of: row, map) }
    for list in links.lists { try write(list, of: row, map) }
    let place = try batch.place(of: map)
    if !place.isCounted {
      if place.hasJudgedNeighbours { try batch.count() }
      return
    }
    for relation in bulk.store.countedRelations[map.number] where !links.waiting.contains(relation.property) {
      run.counted.insert(
        LinkKey(map: bulk.saver.declaring(map, relation), row: row.number, property: relation.property))
    }
    try batch.count()
  }

  private func noteLead(_ property: Int, _ target: UInt64?, row: RowID, map: EntityMap) {
    guard let relation = bulk.store.relations[map.number][property] else { return }
    let key = LinkKey(map: map.number, row: row.number, property: 0)
    bulk.noteLead(relation, from: key, to: target.map { RowID($0) }, run)
  }

  /// Sets the other side of a relationship that is its own inverse, and clears other references to
  /// both rows.
  private func agree(_ property: Int, of row: RowID, _ map: EntityMap) throws {
    guard let relation = bulk.store.relations[map.number][property], relation.isOwnInverse,
      let side = run.writer.catalog.relationship(relation.way.id)
    else { return }
    try run.writer.agree(mutual: side, of: row) { run.note(changed: $0.number, map.home) }
  }

  private func write(_ list: (property: Int, rows: [UInt64]), of row: RowID, _ map: EntityMap) throws {
    guard let relation = bulk.store.relations[map.number][list.property],
      let side = run.writer.catalog.relationship(relation.way.id)
    else { return }
    for target in list.rows { try checkTarget((list.property, target), map) }
    let links = try run.writer.links(side)
    let former = try links.rows(of: row)
    let rows = list.rows.map { RowID($0) }
    if former == rows { return }
    try links.replace(rows, of: row)
    if relation.isOwnInverse {
      try run.writer.agree(mutual: side, of: row, former: former) { run.note(owner: $0.number, relation.home) }
    }
    bulk.noteList(relation, rows, before: former, run: run)
    run.note(owner: row.number, map.home)
    for other in former + rows { run.note(owner: other.number, relation.home) }
  }

  private func checkTarget(_ link: (property: Int, row: UInt64?), _ map: EntityMap) throws {
    guard let row = link.row, let relation = bulk.store.relations[map.number][link.property] else { return }
    let target = bulk.store.maps[relation.target]
    if try run.writer.contains(RowID(row), target.entity.id) { return }
    throw GraphFault(
      .deleted, "it references \(target.type.name) \(row), which does not exist", entity: map.type.name,
      property: map.type.propertyName(link.property))
  }

  private func encoder(_ map: EntityMap) -> ImageEncoder {
    if let known = encoders[map.number] { return known }
    let made = ImageEncoder(map, bulk.store.relations[map.number])
    encoders[map.number] = made
    return made
  }
}
