internal import RoostFile
internal import RoostRecords

/// The values that the history kept of one row, by property. A value is made when it is read.
package final class HistoryValues: Sendable {
  private let store: GraphStore
  package var storeIdentifier: String { store.identifier }
  package let map: EntityMap
  private let kept: [FieldID: RowsChange.Kept]
  private let transaction: UInt64
  /// Whether references that do not identify the row are left out: they are kept only because of an
  /// index.
  private let isTombstone: Bool

  /// A row that a value refers to.
  package struct Reference: Sendable {
    package let map: EntityMap
    package let row: UInt64
  }

  package init(_ account: HistoryAccount, _ step: HistoryAccount.Step) {
    store = account.store
    transaction = account.transaction.number
    map = step.map
    kept = Dictionary(step.values.map { ($0.field, $0) }) { first, _ in first }
    isTombstone = step.kind == .delete
  }

  /// The numbers of the properties whose value was kept.
  package var properties: [Int] { map.type.properties.indices.filter { wanted($0) != nil } }

  private func wanted(_ property: Int) -> HistoryNames.Wanted? {
    let names = store.historyShelf.names(map, store)
    guard names.wanted.indices.contains(property), let wanted = names.wanted[property],
      wanted.fields.allSatisfy({ isThere($0) })
    else { return nil }
    if isTombstone, wanted.target != nil, !names.uniqueReferences.contains(property) { return nil }
    return wanted
  }

  private func isThere(_ field: FieldID) -> Bool {
    guard let kept = kept[field], case .value = kept.content else { return false }
    return map.entity.field(field)?.type == kept.type
  }

  /// The value of a property; nil if none was kept or the property's type rejects it. A reference
  /// is a ``Reference``, or nil in an optional if it was nil.
  package func value(_ property: Int) -> Any? {
    guard let wanted = wanted(property) else { return nil }
    if let target = wanted.target { return reference(wanted.fields[0], store.maps[target]) }
    guard case .value(let coder) = map.type.properties[property].storage, let known = try? coder.coder() else {
      return nil
    }
    let plan = map.newest
    var builder = RowBuilder(plan.layout)
    for field in wanted.fields {
      guard case .value(let value)? = kept[field]?.content,
        let place = plan.layout.members.firstIndex(where: { $0.id == field })
      else { return nil }
      let slot = plan.layout.slots[place]
      if value.isNull { builder.setNull(slot) } else if (try? builder.set(slot, value)) == nil { return nil }
    }
    return withUnsafeTemporaryAllocation(byteCount: max(builder.byteCount, 8), alignment: 8) { memory in
      guard let start = memory.baseAddress, (try? builder.write(to: start)) != nil else { return nil }
      var source = _RowSource(start, plan)
      let value = known.takeAny(from: &source, at: property)
      return source.failure == nil ? value : nil
    }
  }

  private func reference(_ field: FieldID, _ home: EntityMap) -> Any? {
    guard case .value(let value)? = kept[field]?.content else { return nil }
    guard case .reference(let row) = value, row.number != 0 else { return Reference?.none as Any }
    guard let family = home.family else { return Reference(map: home, row: row.number) }
    return try? store.records.read { reader in
      let standIn = store.maps[home.home]
      if let found = try store.map(of: row.number, standIn, family, reader: reader) {
        return found.map { Reference(map: store.maps[$0], row: row.number) }
      }
      let gone = try store.historyShelf.classNumber(of: row.number, standIn, behind: transaction, store, reader: reader)
      return gone.flatMap { family.map(ofClass: $0) }.map { Reference(map: store.maps[$0], row: row.number) }
    }
  }
}
