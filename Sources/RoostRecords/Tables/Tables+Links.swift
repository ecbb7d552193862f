internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Links between rows while a transaction changes them, and their log records.
///
/// ## Layout
/// The tree `l7` holds the links of relationship 7 and of its inverse. For a list of references it
/// holds the order of the rows, if that is not the order of their numbers. Pieces in the log
/// follow; all numbers are varints. `place` is 0 for the end, or the position in the owner's list
/// plus 1.
/// ```
/// 38 link     relationship, owner, target, place
/// 39 unlink   relationship, owner, target, place (0: the first link of the two)
/// 40 move     relationship, owner, from, to: both places without 1, the second one counted without the link
/// 41 unlink all   relationship, owner
/// 42 arrange  relationship, owner, count, and the rows of the whole list in their new order
/// ```
extension Tables {
  static func links(_ id: RelationshipID) -> [UInt8] { name("l", id.number) }

  /// Whether this side of a relationship has a tree. It is the side whose rows are the owners, if
  /// there are links or an order.
  static func hasTree(_ one: Relationship) -> Bool { one.isForward && (one.shape == .links || one.isOrdered) }

  static func form(_ forward: Relationship, _ catalog: Catalog) -> LinkForm {
    LinkForm(
      isForwardOrdered: forward.isOrdered, isBackwardOrdered: catalog.inverse(of: forward)?.isOrdered ?? false)
  }

  /// The draft of the links that a relationship shares with its inverse.
  func links(_ one: Relationship) throws(StoreError) -> LinkDraft {
    guard let forward = one.isForward ? one : catalog.inverse(of: one) else { throw LinkDraft.damaged(one) }
    if let known = linkDrafts[forward.id] { return known }
    let links = LinkDraft(Self.form(forward, catalog), forward, draft: try bytes(Self.links(forward.id)))
    #if DEBUG
      links.omitsBack = forest.transaction.store.options.omission == .linkBack
    #endif
    linkDrafts[forward.id] = links
    return links
  }

  /// Notes a changed link for derived fields and the history, for both rows. Every change of a link
  /// calls this.
  func noteLink(_ forward: Relationship, _ owner: RowID, target: RowID) {
    noteDerivedLink(forward, owner, target: target)
    noteChange(of: owner, by: forward)
    if let inverse = catalog.inverse(of: forward) { noteChange(of: target, by: inverse) }
  }

  private func noteChange(of row: RowID, by relationship: Relationship) {
    linkChanges &+= 1
    history.note(update: relationship.entity, row, relationship: relationship.id.number)
  }

  // MARK: Changing

  func unlinkAll(_ row: RowID, _ links: LinkDraft, isForward: Bool) throws(StoreError) {
    while true {
      // In steps, so that a long list needs little memory.
      let some = try links.links(row, isForward, positions: 0..<1000)
      if some.isEmpty { return }
      for link in some {
        try links.remove(link)
        noteLink(links.relationship, link.owner, target: link.target)
      }
    }
  }

  /// Gives a whole list another order. `rows` must be the rows of the list.
  func arrange(_ row: RowID, _ rows: [RowID], links: LinkDraft, isForward: Bool) throws(StoreError) {
    var known: [RowID: [Link]] = [:]
    for link in try links.links(row, isForward).reversed() { known[link.row(!isForward), default: []].append(link) }
    var sorted: [Link] = []
    for other in rows {
      guard let link = known[other]?.popLast() else { throw LinkDraft.damaged(links.relationship) }
      sorted.append(link)
    }
    guard known.values.allSatisfy(\.isEmpty) else { throw LinkDraft.damaged(links.relationship) }
    try links.arrange(sorted, isForward)
    for link in sorted { noteLink(links.relationship, link.owner, target: link.target) }
  }

  /// Gives the rows that refer to one row another order.
  func arrange(_ row: RowID, _ rows: [RowID], order: ChildOrder) throws(StoreError) {
    try order.arrange(row, rows)
    for other in rows { noteLink(order.links.relationship, row, target: other) }
  }

  /// Moves one of the rows that refer to one row to another position, which is counted without it.
  /// Returns false if no row is at `place`.
  func moveChild(of owner: RowID, _ order: ChildOrder, from place: Int, to other: Int) throws(StoreError) -> Bool {
    try order.write(owner)
    guard place < .max, let link = try order.links.links(owner, true, positions: place..<place + 1).first else {
      return false
    }
    try moveLink(link, order.links, isForward: true, to: other)
    return true
  }

  func contains(_ row: RowID, _ entity: EntityID) throws -> Bool {
    let tree = try table(entity).rows.tree
    tree.view.slot.enter()
    defer { tree.view.slot.leave() }
    return try tree.find(row.number) != nil
  }

  // MARK: The end

  /// Throws if a noted reference still refers to a missing row.
  func closeReferences() throws {
    defer { openReferences = [:] }
    for (open, row) in openReferences.sorted(by: { $0.value < $1.value }) {
      guard let one = catalog.relationship(open.relationship), case .one(let id) = one.shape,
        try !contains(open.target, one.target), try isReferred(open.target, one)
      else { continue }
      let table = try table(one.entity)
      throw RecordFault(
        open.target.number == 0 ? .missing : .unknown,
        open.target.number == 0
          ? "row \(row.number) needs a reference, and none was set"
          : "row \(row.number) references row \(open.target.number), which does not exist",
        entity: table.entity.name, field: table.entity.field(id)?.name)
    }
  }

  /// Forgets noted references whose rows were inserted meanwhile. Without this a transaction that
  /// writes many would keep all of them.
  func forgetClosedReferences() throws {
    for open in openReferences.keys {
      if let one = catalog.relationship(open.relationship), try contains(open.target, one.target) {
        openReferences[open] = nil
      }
    }
  }

  /// Whether any row refers to this one.
  private func isReferred(_ target: RowID, _ one: Relationship) throws -> Bool {
    guard let inverse = catalog.inverse(of: one) else { return false }
    return try members(inverse).count(of: target) > 0
  }

  /// A to-many relationship's rows as they are at this moment.
  func members(_ one: Relationship) throws -> Members {
    let bond = ReadBond(scope)
    if case .manyByReference(let entity, let field) = one.shape {
      let table = try table(entity)
      guard let index = table.indexes.first(where: { $0.index.id == one.index }) else { throw LinkDraft.damaged(one) }
      let order = one.isOrdered ? try links(one) : nil
      return Members(
        one, rows: try index.tree(), isOptional: table.entity.field(field)?.isOptional ?? false,
        order: order.map { ($0.form, $0.draft.tree) }, bond)
    }
    let links = try links(one)
    return Members(one, links: links.draft.tree, links.form, bond: bond)
  }

  // MARK: The catalog

  /// Makes trees for relationships that are new or become ordered, and drops the trees of removed
  /// relationships and of those that lose their order. An order begins as that of the row numbers,
  /// for which nothing is written.
  func setTrees(_ old: Catalog, _ new: Catalog) throws {
    func hadTree(_ one: Relationship, in other: Catalog) -> Bool {
      other.relationship(one.id).map { Self.hasTree($0) } ?? false
    }
    for one in old.relationships where Self.hasTree(one) && !hadTree(one, in: new) {
      _ = try forest.drop(Self.links(one.id))
    }
    for one in new.relationships where Self.hasTree(one) && !hadTree(one, in: old) {
      _ = try forest.create(Self.links(one.id), .bytes)
    }
  }
}

extension LinkDraft {
  /// Gives all links of a list new labels, in this order.
  func arrange(_ links: [Link], _ isForward: Bool) throws(StoreError) {
    for link in links { try remove(link) }
    if links.isEmpty { return }
    var label = Labels.first
    let step = Labels.step(links.count)
    for link in links {
      var placed = link
      if isForward { placed.forward = label } else { placed.backward = label }
      try put(placed)
      label += step
    }
  }
}
