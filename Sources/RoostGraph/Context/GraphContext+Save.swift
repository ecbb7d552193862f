internal import RoostFile
package import RoostPages
internal import RoostRecords

/// Writing what was changed, in one transaction.
extension GraphContext {
  /// Writes all changes, or none if it throws.
  package func save(_ wanted: Durability? = nil) throws {
    let durability = wanted ?? (isRelaxed ? .relaxed : .full)
    try checkOpen()
    settle()
    if let failure { throw failure }
    if !hasChanges { return }
    loadEditedLists()
    if let failure { throw failure }
    var entry = CommitFeed.Entry(number: 0, rows: [:], author: ObjectIdentifier(self))
    try store.records.write(durability, author: author) { writer in
      entry.rows = [:]
      // References first, so that rules follow those of now; then what makes room for unique values.
      try update(writer, &entry)
      try delete(writer, &entry)
      try insert(writer, &entry)
      try arrange(writer)
      entry.number = writer.commitNumber
      store.feed.add(entry)
    }
    statistics.saves += 1
    settleAfterSave()
    try advance()
  }

  private func sink(_ map: EntityMap) -> SinkBox {
    if let known = sinks[map.number] { return known }
    let made = SinkBox(map.newest)
    sinks[map.number] = made
    return made
  }

  private func delete(_ writer: RecordWriter, _ entry: inout CommitFeed.Entry) throws {
    var rows: [Int: [RowID]] = [:]
    for object in deleted where object._$state.flags.isPending {
      guard let origin = object._$state.origin as? RowOrigin else { continue }
      rows[origin.map.number, default: []].append(RowID(object._$state.row))
    }
    for (number, ids) in rows.sorted(by: { $0.key < $1.key }) {
      let gone = try writer.table(store.maps[number].entity.id).deleteFollowingRules(many: ids)
      for name in gone.rows {
        guard let map = store.map(of: name.entity) else { continue }
        entry.rows[map.number, default: []].append(name.row.number)
      }
    }
  }

  private func update(_ writer: RecordWriter, _ entry: inout CommitFeed.Entry) throws {
    for object in changed {
      let flags = object._$state.flags
      guard flags.contains(.changed), !flags.contains(.deleted), !flags.contains(.inserted),
        let origin = object._$state.origin as? RowOrigin
      else { continue }
      let box = sink(origin.map)
      let row = RowID(object._$state.row)
      let table = try writer.table(origin.map.entity.id)
      guard try table.read(row, into: &box.sink.builder) else {
        throw GraphFault(
          .deleted, "the object was deleted by another context", entity: origin.map.type.name, row: row.number)
      }
      object._$encode(only: object._$state.changed, into: &box.sink)
      if let failure = box.sink.failure { throw failure }
      try table.replace(row, with: &box.sink.builder)
      entry.rows[origin.map.number, default: []].append(row.number)
    }
  }

  private func insert(_ writer: RecordWriter, _ entry: inout CommitFeed.Entry) throws {
    var last: (number: Int, table: TableWriter, box: SinkBox)?
    for object in inserted {
      guard object._$state.flags.contains(.inserted), !object._$state.flags.contains(.deleted),
        let origin = object._$state.origin as? RowOrigin
      else { continue }
      if last?.number != origin.map.number {
        last = (origin.map.number, try writer.table(origin.map.entity.id), sink(origin.map))
      }
      guard let (_, table, box) = last else { continue }
      box.sink.clear()
      object._$encode(into: &box.sink)
      if let failure = box.sink.failure { throw failure }
      try table.insert(&box.sink.builder, as: RowID(object._$state.row))
    }
  }

  /// Lists whose members' rows will not say in which order they came: several were added, or one went and came again.
  private func loadEditedLists() {
    for (key, edit) in links.edits {
      guard let relation = store.relations[key.map][key.property],
        let origin = edit.owner._$state.origin as? RowOrigin
      else { continue }
      let cameAgain = !edit.removed.isEmpty && edit.added.contains { edit.removed.contains($0) }
      guard cameAgain || (edit.added.count > 1 && !relation.isByLinks && !comeInOrder(edit.added, relation)) else {
        continue
      }
      load(edit.owner, relation, origin)
    }
  }

  /// Whether rows are new ones in the order in which they will be written.
  private func comeInOrder(_ rows: [UInt64], _ relation: Relation) -> Bool {
    let target = store.maps[relation.target]
    var last: UInt64 = 0
    for row in rows {
      guard row > last, registered(target, RowID(row))?._$state.flags.contains(.inserted) == true else { return false }
      last = row
    }
    return true
  }

  /// Writes the lists that changed.
  private func arrange(_ writer: RecordWriter) throws {
    let dirty = links.lists.values.filter {
      $0.isDirty && !$0.owner._$state.flags.contains(.deleted) && !isWritten($0)
    }
    for list in dirty.sorted(by: {
      ($0.key.map, $0.key.row, $0.key.property) < ($1.key.map, $1.key.row, $1.key.property)
    }) {
      guard let side = writer.catalog.relationship(list.relation.way.id) else { continue }
      let target = store.maps[list.relation.target]
      let rows = list.rows.filter { row in
        if links.doomed.contains(LinkKey(map: target.number, row: row, property: 0)) { return false }
        return registered(target, RowID(row))?._$state.flags.contains(.deleted) != true
      }
      try writer.links(side).replace(rows.map { RowID($0) }, of: RowID(list.key.row))
    }
  }

  /// Whether writing the members' rows brought the list to what it is: new objects came in at its end, in their order.
  private func isWritten(_ list: LoadedList) -> Bool {
    guard !list.relation.isByLinks, let stored = list.storedCount else { return false }
    return comeInOrder(Array(list.rows[stored...]), list.relation)
  }

  private func settleAfterSave() {
    for object in deleted where object._$state.flags.contains(.deleted) {
      object._$state.flags.insert(.gone)
      object._$state.flags.remove(.changed)
    }
    for object in inserted + changed where !object._$state.flags.contains(.gone) {
      object._$state.flags.remove([.inserted, .changed])
      object._$state.changed = 0
    }
    inserted = []
    changed = []
    deleted = []
    for list in links.lists.values where list.isDirty {
      list.isDirty = false
      list.storedCount = list.rows.count
    }
    links.edits = [:]
    links.doomed = []
  }
}
