/// Finds rows by the words with which references wait.
package protocol ReferenceFinder {
  /// - Parameter relationship: the one that is to lead there.
  func row(_ key: String, _ relationship: Relationship, reader: RecordReader) throws -> RowID?
  /// By which words another run finds a row; nil where it finds it by those with which the reference waits.
  func key(_ row: RowID, _ relationship: Relationship) -> String?
}

/// Looks references up that were kept until the import's end, some at a time.
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

  /// One reference, or one list: it is dealt with as a whole.
  private struct Whole: Hashable {
    var row: RowID
    var relationship: RelationshipID

    init(_ kept: ImportState.Kept) { (row, relationship) = (kept.row, kept.relationship) }
  }

  /// A list of which some members may be missing.
  private struct List {
    var relationship: Relationship
    var first: ImportState.Kept
    var members: [(kept: ImportState.Kept, target: RowID)] = []
  }

  /// Sets what can be set, and forgets all of them. Returns those that lead nowhere, or may not lead where they should.
  ///
  /// - Parameter waits: whether one waits on for the run that goes on with the import, by the row to which it should lead.
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
        // What is known of a list now the next run would have to find out again.
        if let target, let key = finder.key(target, relationship) { try table.update(one.id, ["key": .string(key)]) }
        continue
      }
      // A later record may have had its own say, and then this one is gone.
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
