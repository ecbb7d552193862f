internal import RoostGraph
internal import RoostRecords

/// Turns snapshots into rows, without models.
extension ImportChunks {
  /// References and list members whose targets are not stored yet.
  private typealias Strays = [(property: Int, targets: [PersistentIdentifier])]

  func store(snapshots: some Sequence<SnapshotContent>) throws {
    try run { insertion in
      for content in snapshots { try store(content, insertion) }
    }
  }

  private func store(_ content: SnapshotContent, _ insertion: ChunkInsertion) throws {
    guard let own = own(content) else {
      return try insertion.leaveOut(
        ImportFault(.unknown, "the snapshot is of \(content.type.name), and the import of \(map.type.name)"))
    }
    var strays: Strays = []
    let links = try links(content, own, strays: &strays, insertion: insertion)
    if let row = row(of: content.identifier), try insertion.contains(RowID(row), own) {
      return try meet(RowID(row), content, own: own, links: links, strays: strays, insertion: insertion)
    }
    if let why = content.refused.min(by: { $0.key < $1.key })?.value {
      // Otherwise the new row's default would look like the value.
      return try insertion.leaveOut(ImportFault(.wrongType, why))
    }
    switch try insertion.add(own, content.values, links: links) {
    case .stored(let row): try note(content, row, own: own, strays: strays, insertion: insertion, isNew: true)
    case .conflict(let row): try meet(row, content, own: own, links: links, strays: strays, insertion: insertion)
    case .leftOut: break
    }
  }

  /// Handles a snapshot whose model is stored already.
  private func meet(
    _ row: RowID, _ content: SnapshotContent, own: EntityMap, links: ImageLinks, strays: Strays,
    insertion: ChunkInsertion
  ) throws {
    switch options.conflict {
    case .skip:
      insertion.keep()
      rows?.note(content.identifier, row)
    case .update, .merge:
      let isStored = try insertion.update(
        own, row, values: content.values, links: links, skipsNil: options.conflict == .merge)
      if isStored { try note(content, row, own: own, strays: strays, insertion: insertion, isNew: false) }
    case .insert, .throw:
      try insertion.leaveOut(
        ImportFault(.duplicate, "\(own.type.name) \(row.number) exists already, or has the same unique values"))
    }
  }

  private func links(
    _ content: SnapshotContent, _ own: EntityMap, strays: inout Strays, insertion: ChunkInsertion
  ) throws -> ImageLinks {
    var links = ImageLinks()
    for (place, property) in content.form.links.enumerated() {
      let mayCome = rows != nil && target.store.leadsToItself(own, property)
      func find(_ one: PersistentIdentifier) throws -> UInt64? {
        // A target that no longer exists may come with another snapshot, or is reported.
        guard let row = row(of: one), try insertion.hasTarget(row, property, map: own) else { return nil }
        return row
      }
      switch content.links[place] {
      case .absent: continue
      // The other side of the relationship has the reference.
      case .one(let one):
        guard own.field(property) != nil else { continue }
        guard let one else {
          if options.conflict != .merge { links.references.append((property, nil)) }
          continue
        }
        if let row = try find(one) {
          links.references.append((property, row))
        } else {
          strays.append((property, [one]))
        }
      case .many(let many):
        guard target.store.isByLinks(own, property), !many.isEmpty || options.conflict == .update else { continue }
        let found = try many.compactMap(find)
        if found.count == many.count {
          links.lists.append((property, found))
        } else if mayCome {
          // All of them wait, so that their order stays.
          links.lists.append((property, []))
          links.waiting.insert(property)
          strays.append((property, many))
        } else {
          if !found.isEmpty { links.lists.append((property, found)) }
          strays.append((property, try many.filter { try find($0) == nil }))
        }
      }
    }
    return links
  }

  /// Returns the map of a snapshot's class.
  private func own(_ content: SnapshotContent) -> EntityMap? {
    if content.type === map.type { return map }
    guard let found = target.store.map(of: content.type.model), found.isKind(of: map) else { return nil }
    return found
  }

  /// Returns the row of a model of this store, or of a snapshot of this import.
  private func row(of identifier: PersistentIdentifier) -> UInt64? {
    if let known = rows?.row(identifier) { return known }
    guard case .row(let row) = identifier.key, identifier.store == target.store.identifier else { return nil }
    return row
  }

  /// Notes the row of a snapshot. References without a target wait, or are reported.
  private func note(
    _ content: SnapshotContent, _ row: RowID, own: EntityMap, strays: Strays, insertion: ChunkInsertion,
    isNew: Bool
  ) throws {
    rows?.note(content.identifier, row)
    if rows == nil || (isNew && strays.isEmpty) { return tell(row, own, strays: strays) }
    var references = try references(insertion)
    defer { take(references, insertion) }
    if !isNew {
      for (place, property) in content.form.links.enumerated() where says(content.links[place]) {
        guard let id = target.store.relationship(own, property) else { continue }
        try references.drop(id, of: row)
      }
    }
    for (property, targets) in strays {
      guard target.store.leadsToItself(own, property), let id = target.store.relationship(own, property) else {
        tell(row, own, strays: [(property, targets)])
        continue
      }
      var former: RowID?
      if !isNew, let field = own.field(property) {
        let table = try insertion.writer.table(own.entity.id)
        former = try table.reference(table.slot(field.name), of: row)
      }
      for (place, target) in targets.enumerated() {
        let open = WaitingReference(relationship: id, place: place, key: Array(SnapshotRows.key(target).utf8))
        try references.keep(open, of: row, former: former)
      }
    }
  }

  /// Whether a snapshot has the relationship. Then earlier waiting references are dropped.
  private func says(_ link: SnapshotContent.Link) -> Bool {
    switch link {
    case .absent: false
    case .one(let one): one != nil || options.conflict != .merge
    case .many(let many): !many.isEmpty || options.conflict == .update
    }
  }

  private func tell(_ row: RowID, _ own: EntityMap, strays: Strays) {
    for (property, targets) in strays {
      for target in targets { noteUnresolved(row.number, own.type.propertyName(property), target: "\(target)") }
    }
  }
}
