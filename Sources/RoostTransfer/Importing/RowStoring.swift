internal import RoostRecords

/// Stores the rows of one piece in its transaction. A row that cannot be stored leaves no changes.
final class RowStoring {
  private let importer: Importer
  private let writer: RecordWriter
  private var table: TableWriter
  private var openReferences: OpenReferences
  /// The unique indexes that decide whether a row already exists.
  private let deciding: [IndexID]
  /// The relationships of the entity's references, by field.
  private let relationships: [RelationshipID?]
  /// Relationships that are their own inverse.
  private let mutual: Set<String>
  /// The last reference target that was found to exist.
  private var sure: (target: EntityID, row: RowID)?
  /// The field that stores the class of a row.
  private let kind: Slot?
  /// Whether the last row already existed: then the next one is looked up before it is inserted.
  private var meetsRows = false

  private var options: TextImportOptions { importer.options }

  init(_ importer: Importer, _ writer: RecordWriter) throws {
    self.importer = importer
    self.writer = writer
    table = try writer.table(importer.options.entity)
    kind = try? table.slot(FieldNames.kind)
    openReferences = try importer.keeper.references(writer)
    deciding = importer.options.deciding(writer.catalog)
    let all = writer.catalog.relationships(of: table.entity.id)
    relationships = table.entity.fields.map { field in all.first { $0.shape == .one(field.id) }?.id }
    mutual = importer.options.shape?.mutual ?? []
  }

  func store(_ row: BuiltRow, _ next: inout ImportCounts) throws {
    let watch = importer.watch.flatMap { $0.judges ? $0 : nil }
    if watch == nil, mutual.isEmpty {
      _ = try put(row, &next)
      return
    }
    // Checks look at the stored row, and a partner may refuse to be released. Then the row must be
    // rolled back.
    var then = next
    do {
      try writer.savepoint {
        watch?.beginRow()
        guard let id = try put(row, &then), let watch else { return }
        let open = Set(row.open.map(\.relationship))
        if let fault = try watch.fault(of: id, but: open) { throw fault }
      }
      next = then
    } catch {
      table = try writer.table(options.entity)
      openReferences = try importer.keeper.references(writer)
      throw error
    }
  }

  /// The row's number; nil if an existing row was kept.
  private func put(_ row: BuiltRow, _ next: inout ImportCounts) throws -> RowID? {
    try lead(row)
    for sought in row.soughtLists { try seek(sought, row) }
    row.soughtLists.removeAll(keepingCapacity: true)
    for (one, rows) in row.lists {
      for target in rows where try !writer.contains(target, one.target) {
        throw RecordFault(
          .unknown, "it references a row that does not exist any more", entity: table.entity.name, field: one.name)
      }
    }
    let (id, outcome) = try parting(row) { try place(row) }
    if outcome == .kept {
      next.kept += 1
      return nil
    }
    if let watch = importer.watch {
      if outcome == .updated { watch.changed(id, of: table.entity.id) }
      for lead in row.leads {
        if let one = relationships[lead.field] { watch.led(lead.row, of: lead.target, by: one) }
      }
    }
    let isNew = outcome == .inserted
    if !isNew { try dropOpen(id, row) }
    for (one, rows) in row.lists { try link(id, one, rows: rows, isNew: isNew) }
    if !row.open.isEmpty { try keepOpen(id, row, isNew: isNew) }
    if !mutual.isEmpty { try agree(id, row) }
    // Counted after all parts were stored.
    if isNew { next.inserted += 1 } else { next.updated += 1 }
    return id
  }

  // MARK: References

  private func relationship(_ field: Int) -> Relationship? {
    relationships[field].flatMap { writer.catalog.relationship($0) }
  }

  /// Checks the targets of references again: rows may be deleted or inserted while a record waits.
  private func lead(_ row: BuiltRow) throws {
    for sought in row.sought { try seek(sought, row) }
    row.sought.removeAll(keepingCapacity: true)
    var gone = false
    for lead in row.leads {
      if let sure, sure == (lead.target, lead.row) { continue }
      if try writer.contains(lead.row, lead.target) {
        sure = (lead.target, lead.row)
      } else {
        gone = true
        try giveUp(lead.field, lead.row, row: row)
      }
    }
    if gone { try row.leads.removeAll { try !writer.contains($0.row, $0.target) } }
  }

  /// Finds a target that an earlier record may have added. If it is missing, the reference waits
  /// for the end of the import, if that is allowed.
  private func seek(_ sought: SoughtReference, _ row: BuiltRow) throws {
    if let target = try find(sought.key, sought.way) {
      row.builder.set(table.layout.slots[sought.field], reference: target)
      row.leads.append((sought.field, sought.way.entity, target))
      return
    }
    let field = table.entity.fields[sought.field]
    guard field.isOptional, let one = relationships[sought.field] else {
      throw RecordFault(
        .unknown, "the reference is required, and no row has this key", entity: table.entity.name,
        field: field.name)
    }
    row.open.append(WaitingReference(relationship: one, place: 0, key: KeyText.text(sought.key, sought.way)))
  }

  /// Finds the members of a list. If one is missing, all of them wait, so that their order stays.
  private func seek(_ sought: SoughtList, _ row: BuiltRow) throws {
    let one = sought.relationship
    let rows = try sought.keys.compactMap { try find($0, sought.way) }
    if rows.count == sought.keys.count {
      // Two keys may mean the same row.
      var seen: Set<RowID> = []
      row.lists.append((one, one.traits.contains(.repeating) ? rows : rows.filter { seen.insert($0).inserted }))
      return
    }
    for (place, key) in sought.keys.enumerated() {
      row.open.append(WaitingReference(relationship: one.id, place: place, key: KeyText.text(key, sought.way)))
    }
  }

  private func find(_ key: Value, _ way: KeyWay) throws -> RowID? {
    if case .reference(let row) = key { return try writer.contains(row, way.entity) ? row : nil }
    guard let index = way.index else { return nil }
    return try writer.table(way.entity).row(unique: index, [key])
  }

  /// Handles a reference whose target was deleted after the record was read.
  private func giveUp(_ number: Int, _ target: RowID, row: BuiltRow) throws {
    let field = table.entity.fields[number]
    guard field.isOptional, let one = relationship(number) else {
      throw RecordFault(
        .unknown, "it references a row that does not exist any more", entity: table.entity.name, field: field.name)
    }
    row.builder.setNull(table.layout.slots[number])
    let key = KeyText.text(.reference(target), KeyWay(one.target, writer.catalog))
    row.open.append(WaitingReference(relationship: one.id, place: 0, key: key))
  }

  /// Removes waiting references of an earlier record that this record names again.
  private func dropOpen(_ id: RowID, _ row: BuiltRow) throws {
    for number in row.references { if let one = relationship(number) { try openReferences.drop(one.id, of: id) } }
    for (one, _) in row.lists { try openReferences.drop(one.id, of: id) }
    for open in row.open where open.place == 0 { try openReferences.drop(open.relationship, of: id) }
  }

  private func keepOpen(_ id: RowID, _ row: BuiltRow, isNew: Bool) throws {
    for open in row.open {
      guard let one = writer.catalog.relationship(open.relationship) else { continue }
      var former: RowID?
      if !isNew {
        if case .one(let field) = one.shape {
          if let name = table.entity.field(field)?.name { former = try table.reference(table.slot(name), of: id) }
        } else if open.place == 0 {
          // The list is replaced by that of the record.
          try link(id, one, rows: [], isNew: false)
        }
      }
      try openReferences.keep(open, of: id, former: former)
    }
  }

  /// Makes the targets of mutual references refer back.
  private func agree(_ id: RowID, _ row: BuiltRow) throws {
    for number in row.references {
      guard let one = relationship(number), mutual.contains(one.name) else { continue }
      try writer.agree(mutual: one, of: id) { [self] other in importer.watch?.changed(other, of: one.entity) }
    }
  }

  private func link(_ id: RowID, _ one: Relationship, rows: [RowID], isNew: Bool) throws {
    let links = try writer.links(one)
    let isMutual = mutual.contains(one.name)
    let former = isNew || (importer.watch == nil && !isMutual) ? [] : try links.rows(of: id)
    if let watch = importer.watch, former != rows {
      for row in rows { watch.led(row, of: one.target, by: one.id) }
      let staying = Set(rows)
      for row in former where !staying.contains(row) { watch.left(row, of: one.target, by: one.id) }
      watch.changed(id, of: one.entity)
    }
    try links.replace(rows, of: id)
    if isMutual {
      try writer.agree(mutual: one, of: id, former: former) { [self] other in
        importer.watch?.changed(other, of: one.entity)
      }
    }
  }

  /// Writes a row. If it names a partner that another row has, it takes that partner, as a save
  /// does.
  private func parting<Result>(_ row: BuiltRow, _ write: () throws -> Result) throws -> Result {
    do { return try write() } catch let fault as RecordFault {
      guard let one = try writer.partnership(fault, table.entity.id), one.isOneToOne else { throw fault }
      // Nothing of the row is written yet.
      do {
        return try writer.savepoint {
          guard try part(fault) else { throw fault }
          return try parting(row, write)
        }
      } catch {
        table = try writer.table(options.entity)
        openReferences = try importer.keeper.references(writer)
        throw error
      }
    }
  }

  /// Returns false if the former row must reference its partner.
  private func part(_ fault: RecordFault) throws -> Bool {
    try writer.part(fault, of: table.entity.id) { _ in
      let kinds = options.shape?.kinds ?? []
      return kinds.contains { kind in kind.required.contains { $0 == fault.field } } ? nil : .takes
    } clear: { _ in
    } changed: { one in
      importer.watch?.changed(one.former.row, of: one.former.entity)
      importer.watch?.left(one.former.row, of: one.former.entity, by: one.relationship.inverse)
    } == .parted
  }

  private func place(_ row: BuiltRow) throws -> (RowID, UpsertOutcome) {
    if options.conflict == .insert || options.conflict == .throw {
      try checkMissing(row)
      return (try table.insert(&row.builder), .inserted)
    }
    if !meetsRows, row.missing == nil {
      // An insertion looks up unique values once, an upsert twice.
      do { return (try table.insert(&row.builder), .inserted) } catch let fault as RecordFault
        where fault.code == .notUnique
      { meetsRows = true }
    }
    let named = Set(row.named.map { table.entity.fields[$0].id })
    let policy: UpsertPolicy =
      switch options.conflict {
      case .skip: .keepExisting
      case .merge: .fields(named, skipsNil: true)
      default: .fields(named)
      }
    let new = kind.map { slot in
      UInt32(littleEndian: row.builder.memory.loadUnaligned(fromByteOffset: slot.position, as: UInt32.self))
    }
    let (id, outcome) = try table.upsert(
      &row.builder, among: deciding,
      .byRow { [self] existing in
        try checkKind(existing, new)
        try checkParts(existing, row)
        tellLeaving(existing, row)
        return policy
      })
    meetsRows = outcome != .inserted
    if outcome == .inserted, row.missing != nil {
      try table.delete(id)
      try checkMissing(row)
    }
    return (id, outcome)
  }

  /// Throws if a row would change its class.
  private func checkKind(_ existing: Row, _ new: UInt32?) throws {
    guard let kind, let new else { return }
    let old = UInt32(littleEndian: existing.start.loadUnaligned(fromByteOffset: kind.position, as: UInt32.self))
    if old == new { return }
    let names = [old, new].map { writer.catalog.name(of: EntityID($0)) ?? "class \($0)" }
    throw RecordFault(
      .notUnique, "a row of class \(names[0]) already has this unique value, and this record is of class \(names[1])",
      entity: table.entity.name)
  }

  /// Throws if a struct that begins to exist lacks required parts.
  private func checkParts(_ existing: Row, _ row: BuiltRow) throws {
    if options.conflict == .skip { return }
    for (presence, part) in row.incomplete where table.layout.isNull(existing.start, table.layout.slots[presence]) {
      throw missing(part)
    }
  }

  /// Reports the rows that a row no longer references.
  private func tellLeaving(_ existing: Row, _ row: BuiltRow) {
    guard let watch = importer.watch, options.conflict != .skip else { return }
    for number in row.references {
      guard let one = relationships[number], case .reference(let target) = table.entity.fields[number].type else {
        continue
      }
      let slot = table.layout.slots[number]
      if table.layout.isNull(existing.start, slot) { continue }
      let word = UInt64(littleEndian: existing.start.loadUnaligned(fromByteOffset: slot.position, as: UInt64.self))
      if word != 0 { watch.left(RowID(word), of: target, by: one) }
    }
  }

  private func checkMissing(_ row: BuiltRow) throws {
    if let part = row.missing { throw missing(part) }
  }

  private func missing(_ field: Int) -> RecordFault {
    RecordFault(
      .missing, "the record has no value for it, and it is required", entity: table.entity.name,
      field: table.entity.fields[field].name)
  }
}
