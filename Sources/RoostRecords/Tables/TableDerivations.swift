internal import RoostFile

/// Updates derived fields when a row of a table changes: those of the row, and those of the rows
/// that have it as a member.
final class TableDerivations {
  /// A derived field of the table itself.
  struct Own {
    let field: FieldID
    let kind: Derivation.Kind
    let slot: Slot
    let empty: Value
    /// Whether other rows may refer to a row of the table before it exists.
    let mayPrecede: Bool
  }

  /// A derived field of the rows to which a reference of this table refers.
  private struct Feed {
    let parent: EntityID
    let field: FieldID
    let kind: Derivation.Kind
    let reference: Slot
    let value: Slot?
    let fields: FieldSet
  }

  /// A derived field of the rows that have links to a row of the table.
  private struct LinkFeed {
    let parent: EntityID
    let field: FieldID
    let links: LinkDraft
    let isForward: Bool
    let fields: FieldSet
  }

  let own: [Own]
  /// The fields that writers may change.
  let free: Set<FieldID>
  private let feeds: [Feed]
  private let linkFeeds: [LinkFeed]
  private let entity: EntityID
  private let tables: Tables

  /// Nil if no derived field belongs to the table or is computed from it.
  init?(_ entity: Entity, _ layout: Layout, tables: Tables) throws(StoreError) {
    self.tables = tables
    self.entity = entity.id
    let catalog = tables.catalog
    func place(_ field: FieldID?) -> Int? { layout.members.firstIndex { $0.id == field } }
    var own: [Own] = []
    var feeds: [Feed] = []
    var linkFeeds: [LinkFeed] = []
    for one in catalog.derivations where one.isKept {
      guard let relationship = one.relationship.flatMap({ catalog.relationship($0) }),
        let inverse = catalog.inverse(of: relationship)
      else { continue }
      if one.entity == entity.id, let at = place(one.field) {
        let type = layout.slots[at].type
        let isLoose = !inverse.traits.isDisjoint(with: [.unchecked, .torn]) || relationship.deleteRule == .noAction
        own.append(
          Own(
            field: one.field, kind: one.kind, slot: layout.slots[at], empty: DerivedFold.empty(one.kind, type),
            mayPrecede: isLoose))
      }
      guard relationship.target == entity.id else { continue }
      var fields = FieldSet()
      for field in [one.value, one.key] { if let at = place(field) { fields.insert(at) } }
      if case .manyByReference(_, let reference) = relationship.shape, let at = place(reference) {
        fields.insert(at)
        feeds.append(
          Feed(
            parent: one.entity, field: one.field, kind: one.kind, reference: layout.slots[at],
            value: place(one.value).map { layout.slots[$0] }, fields: fields))
      } else if relationship.shape == .links, !fields.isEmpty {
        linkFeeds.append(
          LinkFeed(
            parent: one.entity, field: one.field, links: try tables.links(relationship), isForward: inverse.isForward,
            fields: fields))
      }
    }
    if own.isEmpty, feeds.isEmpty, linkFeeds.isEmpty { return nil }
    self.own = own
    let derived = Set(own.map(\.field))
    free = Set(layout.members.map(\.id)).subtracting(derived)
    self.feeds = feeds
    self.linkFeeds = linkFeeds
  }

  // MARK: Members

  func inserted(_ id: RowID, _ new: UnsafeRawPointer, layout: Layout, isNewest: Bool) {
    for one in own where one.mayPrecede || !isNewest { forget(entity, id, field: one.field) }
    for feed in feeds { note(feed, new, layout: layout, isRemoved: false) }
  }

  func exchanged(
    _ id: RowID, _ changed: FieldSet, old: UnsafeRawPointer, new: UnsafeRawPointer, layout: Layout
  ) throws(StoreError) {
    for feed in feeds where !feed.fields.isDisjoint(with: changed) {
      note(feed, old, layout: layout, isRemoved: true)
      note(feed, new, layout: layout, isRemoved: false)
    }
    for feed in linkFeeds where !feed.fields.isDisjoint(with: changed) {
      for link in try feed.links.links(id, feed.isForward) {
        forget(feed.parent, link.row(!feed.isForward), field: feed.field)
      }
    }
  }

  func erased(_ id: RowID, _ old: UnsafeRawPointer, layout: Layout) {
    // A row that is inserted again under its old number counts its members again.
    for one in own { forget(entity, id, field: one.field) }
    for feed in feeds { note(feed, old, layout: layout, isRemoved: true) }
  }

  private func note(_ feed: Feed, _ row: UnsafeRawPointer, layout: Layout, isRemoved: Bool) {
    guard let parent = layout.reference(row, feed.reference) else { return }
    let place = DerivedChanges.Place(entity: feed.parent, row: parent, field: feed.field)
    let value = feed.value.flatMap { $0.isVariable ? nil : layout.value(row, $0) } ?? .null
    tables.derived.note(place, feed.kind, value: value, isRemoved: isRemoved)
  }

  private func forget(_ entity: EntityID, _ row: RowID, field: FieldID) {
    tables.derived.forget(DerivedChanges.Place(entity: entity, row: row, field: field))
  }
}

/// Keeps writers from setting derived fields.
extension TableWriter {
  /// Sets the derived fields of a new row to their empty values.
  func emptyDerived(_ builder: inout RowBuilder) throws(RecordFault) {
    guard let derived else { return }
    for one in derived.own { try builder.set(one.slot, one.empty) }
  }

  /// Resets the derived fields of a changed row to their values in `old`.
  func keepDerived(_ builder: inout RowBuilder) {
    guard let derived else { return }
    for one in derived.own {
      if layout.isNull(old.start, one.slot) {
        builder.setNull(one.slot)
      } else if one.slot.isVariable {
        let (bytes, isOutside) = layout.bytes(old.start, one.slot)
        builder.set(one.slot, bytes: bytes, isOutside: isOutside)
      } else {
        builder.set(one.slot, fixed: old.start + one.slot.position)
      }
    }
  }
}
