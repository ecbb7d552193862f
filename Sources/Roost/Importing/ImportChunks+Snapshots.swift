internal import RoostGraph
internal import RoostRecords

/// Snapshots that become rows, without a model.
extension ImportChunks {
  /// References and members that are not here.
  private typealias Strays = [(property: Int, target: PersistentIdentifier)]

  func store(snapshots: some Sequence<SnapshotContent>) throws {
    try run { insertion in
      for content in snapshots { try store(content, insertion) }
    }
  }

  private func store(_ content: SnapshotContent, _ insertion: ChunkInsertion) throws {
    guard let own = own(content) else {
      return try insertion.leaveOut(
        ImportFault(.unknown, "a \(content.type.name) is none of the container's \(map.type.name)s"))
    }
    var strays: Strays = []
    let links = links(content, own, &strays)
    if let row = row(of: content.identifier), try insertion.contains(RowID(row), own) {
      return try meet(RowID(row), content, own, links, strays, insertion)
    }
    switch try insertion.add(own, content.values, links) {
    case .stored(let row): note(content, row, own, strays)
    case .conflict(let row): try meet(row, content, own, links, strays, insertion)
    case .leftOut: break
    }
  }

  /// A model is here already.
  private func meet(
    _ row: RowID, _ content: SnapshotContent, _ own: EntityMap, _ links: ImageLinks, _ strays: Strays,
    _ insertion: ChunkInsertion
  ) throws {
    switch options.conflict {
    case .skip:
      insertion.keep()
      rows?[content.identifier] = row.number
    case .update, .merge:
      let isStored = try insertion.update(own, row, content.values, links, skipsNil: options.conflict == .merge)
      if isStored { note(content, row, own, strays) }
    case .insert, .throw:
      try insertion.leaveOut(
        ImportFault(.duplicate, "\(own.type.name) \(row.number) is here already, or has the same unique values"))
    }
  }

  private func links(_ content: SnapshotContent, _ own: EntityMap, _ strays: inout Strays) -> ImageLinks {
    var links = ImageLinks()
    for (place, property) in content.form.links.enumerated() {
      switch content.links[place] {
      case .absent: continue
      // What the other side holds, that one says.
      case .one(let one):
        guard own.field(property) != nil else { continue }
        guard let one else {
          if options.conflict != .merge { links.references.append((property, nil)) }
          continue
        }
        if let row = row(of: one) { links.references.append((property, row)) } else { strays.append((property, one)) }
      case .many(let many):
        guard target.store.isByLinks(own, property), !many.isEmpty || options.conflict == .update else { continue }
        let found = many.compactMap { row(of: $0) }
        if found.count == many.count || !found.isEmpty { links.lists.append((property, found)) }
        for one in many where row(of: one) == nil { strays.append((property, one)) }
      }
    }
    return links
  }

  /// The map of a snapshot's class.
  private func own(_ content: SnapshotContent) -> EntityMap? {
    if content.type === map.type { return map }
    guard let found = target.store.map(of: content.type.model), found.isKind(of: map) else { return nil }
    return found
  }

  /// The row of a model of this store, or of a snapshot of this import.
  private func row(of identifier: PersistentIdentifier) -> UInt64? {
    if let rows, let known = rows[identifier] { return known }
    guard case .row(let row) = identifier.key, identifier.store == target.store.identifier else { return nil }
    return row
  }

  private func note(_ content: SnapshotContent, _ row: RowID, _ own: EntityMap, _ strays: Strays) {
    rows?[content.identifier] = row.number
    for stray in strays {
      if rows != nil, own.field(stray.property) != nil {
        open.append((row.number, own, stray.property, stray.target))
      } else {
        noteUnresolved(row.number, own, stray.property, stray.target)
      }
    }
  }
}
