/// Finds rows by the keys of waiting references.
package protocol ReferenceFinder {
  /// - Parameter relationship: the relationship of the reference.
  func row(_ key: String, _ relationship: Relationship, reader: RecordReader) throws -> RowID?
  /// The key by which another run finds a row; nil if the key of the waiting reference also finds
  /// it.
  func key(_ row: RowID, _ relationship: Relationship) -> String?
}

/// Looks up references that were stored until the import's end, some at a time.
struct ReferenceResolving {
  let kept: [ImportState.Kept]
  private let finder: any ReferenceFinder
  private var targets: [RowID?] = []

  init(_ kept: [ImportState.Kept], _ finder: any ReferenceFinder, reader: RecordReader) throws {
    (self.kept, self.finder) = (kept, finder)
    for one in kept {
      let relationship = reader.catalog.relationship(one.relationship)
      targets.append(try relationship.flatMap { try finder.row(one.key, $0, reader: reader) })
    }
  }

  /// One reference or one list, which is set as a whole.
  private struct Whole: Hashable {
    var row: RowID
    var relationship: RelationshipID

    init(_ kept: ImportState.Kept) { (row, relationship) = (kept.row, kept.relationship) }
  }

  /// A list with possibly missing members.
  private struct List {
    var relationship: Relationship
    var first: ImportState.Kept
    var members: [(kept: ImportState.Kept, target: RowID)] = []
  }

  /// Sets the references that can be set, and removes all from the store. Returns those that could
  /// not be set.
  ///
  /// - Parameter waits: whether a reference waits for the next run of the import, given its target
  ///   row if that exists.
  func store(_ setting: ReferenceSetting, waits: (RowID?) -> Bool) throws -> [UnresolvedReference] {
    let writer = setting.writer
    var unresolved: [UnresolvedReference] = []
    func tell(_ one: ImportState.Kept, _ relationship: Relationship, reason: UnresolvedReference.Reason) {
      unresolved.append(
        UnresolvedReference(row: one.row.number, property: relationship.name, key: one.key, reason: reason))
    }
    var waiting: Set<Whole> = []
    for (one, target) in zip(kept, targets) where waits(target) { waiting.insert(Whole(one)) }
    var lists: [List] = []
    for (one, target) in zip(kept, targets) {
      let table = try writer.table(ImportState.references)
      guard let relationship = writer.catalog.relationship(one.relationship) else {
        try table.delete(one.id)
        continue
      }
      if waiting.contains(Whole(one)) {
        // The key that was found now, so that the next run need not search again.
        if let target, let key = finder.key(target, relationship) { try table.update(one.id, ["key": .string(key)]) }
        continue
      }
      // A later record may have named the property again, which removed this one.
      guard try table.delete(one.id) else { continue }
      let isThere = try target.map { try writer.contains($0, relationship.target) } ?? false
      if !isThere { tell(one, relationship, reason: .missing) }
      guard case .one(let field) = relationship.shape else {
        let isBegun = lists.last.map { Whole($0.first) == Whole(one) } ?? false
        if !isBegun { lists.append(List(relationship: relationship, first: one)) }
        if let target, isThere { lists[lists.count - 1].members.append((one, target)) }
        continue
      }
      guard let target, isThere else { continue }
      do {
        if let reason = try setting.set(one, relationship, field: field, to: target) {
          tell(one, relationship, reason: reason)
        }
      } catch let fault as RecordFault { tell(one, relationship, reason: .refused(fault.detail)) }
    }
    for list in lists {
      do {
        if !list.members.isEmpty {
          try setting.set(list.relationship, list.first.row, targets: list.members.map(\.target))
        }
        let lack = try setting.lack(list.relationship, list.first.row)
        if let lack { tell(list.first, list.relationship, reason: .refused(lack.detail)) }
      } catch let fault as RecordFault {
        for member in list.members { tell(member.kept, list.relationship, reason: .refused(fault.detail)) }
      }
    }
    return unresolved
  }
}
