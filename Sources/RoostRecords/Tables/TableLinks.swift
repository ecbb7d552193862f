internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Updates relationships when a row of a table changes.
///
/// The reference in a row decides whose child it is. The order of a parent's children follows: a
/// new child comes last, see ``ChildOrder``. A deleted row loses its links. Both happen wherever a
/// row is written, so they need no log records.
final class TableLinks {
  /// A reference whose inverse is an ordered list.
  private struct Order {
    let slot: Slot
    let children: ChildOrder
  }

  /// A reference that must refer to an existing row.
  struct Checked {
    let slot: Slot
    let relationship: Relationship
    /// The row of the last successful check.
    var last = RowID(0)
    var deletions = -1
  }

  /// A reference whose inverse is visible to users: the row to which it refers gains or loses a
  /// member.
  private struct Told {
    let slot: Slot
    let entity: EntityID
    /// The number of the other side's relationship.
    let inverse: UInt32
    /// The last noted row, which needs no second note.
    var last = RowID(0)
  }

  private let orders: [Order]
  @exclusivity(unchecked) private var told: [Told]
  private let own: [(links: LinkDraft, isForward: Bool)]
  @exclusivity(unchecked) private var checked: [Checked]
  private let tables: Tables

  init(_ entity: Entity, _ layout: Layout, indexes: [IndexWriter], tables: Tables) throws(StoreError) {
    self.tables = tables
    var orders: [Order] = []
    var own: [(LinkDraft, Bool)] = []
    var checked: [Checked] = []
    var told: [Told] = []
    for one in tables.catalog.relationships(of: entity.id) {
      switch one.shape {
      case .links: own.append((try tables.links(one), one.isForward))
      case .manyByReference: continue
      case .one(let field):
        guard let at = layout.members.firstIndex(where: { $0.id == field }) else { continue }
        if !one.traits.contains(.unchecked) { checked.append(Checked(slot: layout.slots[at], relationship: one)) }
        guard let inverse = tables.catalog.inverse(of: one) else { continue }
        if tables.history.isOn, !inverse.isHidden, !one.traits.contains(.unchecked) {
          told.append(Told(slot: layout.slots[at], entity: inverse.entity, inverse: inverse.id.number))
        }
        guard inverse.isOrdered else { continue }
        guard let index = indexes.first(where: { $0.index.id == one.index }) else { throw LinkDraft.damaged(one) }
        let children = ChildOrder(
          try tables.links(inverse), index, isOptional: layout.members[at].isOptional)
        orders.append(Order(slot: layout.slots[at], children: children))
      }
    }
    self.orders = orders
    self.own = own
    self.checked = checked
    self.told = told
  }

  /// Begins the next transaction: forgets which rows the last one noted.
  func begin() {
    for index in told.indices { told[index].last = RowID(0) }
    for index in checked.indices { checked[index].deletions = -1 }
    for order in orders { order.children.begin() }
  }

  /// The ordered list with this relationship number; nil if no reference of the table belongs to
  /// one.
  func order(of id: RelationshipID) -> ChildOrder? {
    orders.first { $0.children.links.relationship.id == id }?.children
  }

  // MARK: Following

  @inline(__always)
  func inserted(_ id: RowID, _ new: UnsafeRawPointer, layout: Layout, isNewest: Bool) throws(StoreError) {
    if !told.isEmpty {
      for index in told.indices { tell(index, layout.reference(new, told[index].slot)) }
    }
    if orders.isEmpty { return }
    for order in orders {
      if let parent = layout.reference(new, order.slot) {
        try append(id, to: parent, order.children, isNewest: isNewest)
      }
    }
  }

  func exchanged(
    _ id: RowID, old: UnsafeRawPointer, new: UnsafeRawPointer, layout: Layout
  ) throws(StoreError) {
    for index in told.indices {
      let slot = told[index].slot
      let (before, after) = (layout.reference(old, slot), layout.reference(new, slot))
      if before == after { continue }
      tell(index, before)
      tell(index, after)
    }
    for order in orders {
      let (before, after) = (
        layout.reference(old, order.slot), layout.reference(new, order.slot)
      )
      if before == after { continue }
      if let before { try take(id, from: before, order.children) }
      if let after { try append(id, to: after, order.children, isNewest: false) }
    }
  }

  func erased(_ id: RowID, _ old: UnsafeRawPointer, layout: Layout) throws(StoreError) {
    for index in told.indices { tell(index, layout.reference(old, told[index].slot)) }
    for order in orders {
      if let parent = layout.reference(old, order.slot) { try take(id, from: parent, order.children) }
    }
    for (links, isForward) in own where !links.draft.root.isEmpty {
      try tables.unlinkAll(id, links, isForward: isForward)
    }
  }

  /// Notes in the history that the members of a row changed because of a reference to it.
  private func tell(_ index: Int, _ row: RowID?) {
    guard let row, row != told[index].last else { return }
    told[index].last = row
    tables.history.note(update: told[index].entity, row, relationship: told[index].inverse)
  }

  private func append(_ id: RowID, to parent: RowID, _ order: ChildOrder, isNewest: Bool) throws(StoreError) {
    if try order.came(id, to: parent, isNewest: isNewest) {
      tables.noteLink(order.links.relationship, parent, target: id)
    }
  }

  private func take(_ id: RowID, from parent: RowID, _ order: ChildOrder) throws(StoreError) {
    if try order.left(id, from: parent) { tables.noteLink(order.links.relationship, parent, target: id) }
  }

  // MARK: Checking

  /// Notes references to rows that do not exist yet. They must exist at the end of the transaction.
  @inline(__always)
  func check(_ id: RowID, _ new: UnsafeRawPointer, old: UnsafeRawPointer?, layout: Layout) throws {
    if checked.isEmpty { return }
    for index in checked.indices {
      let slot = checked[index].slot
      if layout.isNull(new, slot) { continue }
      let row = RowID(new.u64(slot.position))
      if let old, !layout.isNull(old, slot), old.u64(slot.position) == row.number { continue }
      if row == checked[index].last, checked[index].deletions == tables.deletions { continue }
      let relationship = checked[index].relationship
      if row.number != 0, try tables.contains(row, relationship.target) {
        checked[index].last = row
        checked[index].deletions = tables.deletions
      } else {
        tables.openReferences[OpenReference(relationship: relationship.id, target: row)] = id
      }
    }
  }
}

/// A reference to a row that did not exist when the reference was written.
struct OpenReference: Hashable {
  var relationship: RelationshipID
  var target: RowID
}
