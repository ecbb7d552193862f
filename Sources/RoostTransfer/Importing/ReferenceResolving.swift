package import RoostRecords

/// Finds rows by the words with which references wait.
package protocol ReferenceFinder {
  /// - Parameter relationship: the one that is to lead there.
  func row(_ key: String, _ relationship: Relationship, _ reader: RecordReader) throws -> RowID?
}

/// Looks references up that were kept until the import's end, some at a time.
struct ReferenceResolving {
  let kept: [ImportState.Kept]
  private var targets: [RowID?] = []

  init(_ kept: [ImportState.Kept], _ finder: any ReferenceFinder, _ reader: RecordReader) throws {
    self.kept = kept
    for one in kept {
      let relationship = reader.catalog.relationship(one.relationship)
      targets.append(try relationship.flatMap { try finder.row(one.key, $0, reader) })
    }
  }

  /// One reference, or one list: it is dealt with as a whole.
  private struct Whole: Hashable {
    var row: RowID
    var relationship: RelationshipID

    init(_ kept: ImportState.Kept) { (row, relationship) = (kept.row, kept.relationship) }
  }

  /// Sets what can be set, and forgets all of them, but for those that wait on. Returns those that lead nowhere, or may not lead where they
  /// should.
  func store(
    _ writer: RecordWriter, _ mutual: Set<String>, _ waits: ((RowID, Relationship) -> String)?,
    _ watch: (any ImportWatch)?
  ) throws -> [UnresolvedReference] {
    var unresolved: [UnresolvedReference] = []
    func tell(_ one: ImportState.Kept, _ relationship: Relationship, _ reason: UnresolvedReference.Reason) {
      unresolved.append(
        UnresolvedReference(row: one.row.number, property: relationship.name, key: one.key, reason: reason))
    }
    var waiting: Set<Whole> = []
    if waits != nil { for (one, target) in zip(kept, targets) where target == nil { waiting.insert(Whole(one)) } }
    var lists: [(relationship: Relationship, members: [(kept: ImportState.Kept, target: RowID)])] = []
    for (one, target) in zip(kept, targets) {
      let table = try writer.table(ImportState.references)
      guard let relationship = writer.catalog.relationship(one.relationship) else {
        try table.delete(one.id)
        continue
      }
      if let waits, waiting.contains(Whole(one)) {
        // What is known of a list now the next run would have to find out again.
        if let target { try table.update(one.id, ["key": .string(waits(target, relationship))]) }
        continue
      }
      // A later record may have had its own say, and then this one is gone.
      guard try table.delete(one.id) else { continue }
      guard let target, try writer.contains(target, relationship.target) else {
        tell(one, relationship, .missing)
        continue
      }
      guard case .one(let field) = relationship.shape else {
        if let last = lists.last?.members.last, Whole(last.kept) == Whole(one) {
          lists[lists.count - 1].members.append((one, target))
        } else {
          lists.append((relationship, [(one, target)]))
        }
        continue
      }
      do {
        let isMutual = mutual.contains(relationship.name)
        let reason = try set(relationship, field, one, target, writer, isMutual, watch)
        if let reason { tell(one, relationship, reason) }
      } catch let fault as RecordFault { tell(one, relationship, .refused(fault.detail)) }
    }
    for (relationship, members) in lists {
      do {
        try set(relationship, members[0].kept.row, members.map(\.target), writer, mutual, watch)
      } catch let fault as RecordFault {
        for member in members { tell(member.kept, relationship, .refused(fault.detail)) }
      }
    }
    return unresolved
  }

  /// Why it does not lead there; nil where it does.
  private func set(
    _ relationship: Relationship, _ field: FieldID, _ kept: ImportState.Kept, _ target: RowID, _ writer: RecordWriter,
    _ isMutual: Bool, _ watch: (any ImportWatch)?
  ) throws -> UnresolvedReference.Reason? {
    // Somebody may have deleted the row meanwhile.
    guard try writer.contains(kept.row, relationship.entity) else { return nil }
    let table = try writer.table(relationship.entity)
    guard let name = table.entity.field(field)?.name else { return .missing }
    let slot = try table.slot(name)
    let now = try table.reference(slot, of: kept.row)
    if now == target { return nil }
    // Who has set it meanwhile knows better.
    guard now == kept.former else { return .changed }
    func set() throws { try table.update(kept.row) { $0.set(slot, reference: target) } }
    if isMutual {
      // All of it, or nothing.
      try writer.savepoint {
        try set()
        try writer.agree(mutual: relationship, of: kept.row) { watch?.changed($0, of: relationship.entity) }
      }
    } else {
      try set()
    }
    watch?.changed(kept.row, of: relationship.entity)
    for other in [kept.former, target] {
      if let other { watch?.led(other, of: relationship.target, by: relationship.id) }
    }
    return nil
  }

  /// Makes a list what its record said; who came into it meanwhile stands behind.
  private func set(
    _ relationship: Relationship, _ row: RowID, _ targets: [RowID], _ writer: RecordWriter, _ mutual: Set<String>,
    _ watch: (any ImportWatch)?
  ) throws {
    guard try writer.contains(row, relationship.entity) else { return }
    let links = try writer.links(relationship)
    let former = try links.rows(of: row)
    if relationship.traits.contains(.repeating) {
      for target in targets { try links.append(target, to: row) }
    } else {
      // Two keys may have come to be those of one row.
      var seen: Set<RowID> = []
      try links.replace((targets + former).filter { seen.insert($0).inserted }, of: row)
    }
    if mutual.contains(relationship.name) {
      try writer.agree(mutual: relationship, of: row, former: []) { watch?.changed($0, of: relationship.entity) }
    }
    watch?.changed(row, of: relationship.entity)
    for target in targets { watch?.led(target, of: relationship.target, by: relationship.id) }
  }
}

/// Finds rows by their keys.
struct KeyFinder: ReferenceFinder {
  /// Nil too where the key is none any more, because the field has another type now.
  func row(_ key: String, _ relationship: Relationship, _ reader: RecordReader) throws -> RowID? {
    let way = FieldBinding.way(relationship.target, reader.catalog)
    do { return try KeyText.value(key, way).flatMap { try RowFinder(reader).row($0, way) } } catch is ValueFault {
      return nil
    } catch is RecordFault { return nil }
  }
}

/// Keys as they are kept until their rows are there.
enum KeyText {
  static func text(_ key: Value, _ way: FieldBinding.KeyWay) -> [UInt8] {
    var text: [UInt8] = []
    if case .reference = key {
      // A text may look like a row's number.
      ValueWriter.appendJSON(way.isText ? .array([key]) : key, as: .reference(way.entity), to: &text)
    } else {
      ValueWriter.appendJSON(key, as: way.type, to: &text)
    }
    return text
  }

  static func value(_ text: String, _ way: FieldBinding.KeyWay) throws -> Value? {
    let batch = try RecordBatch()
    try Array(text.utf8).withUnsafeBytes { try batch.text.append($0) }
    // So that a number is known to be whole.
    try batch.text.append(Byte.newline)
    var parser = JSONParser(batch, 0..<batch.text.count, TransferLimits())
    _ = try parser.parse()
    return try ValueReader(batch).key(at: 0, way).value
  }
}
