package import RoostRecords

/// Makes the bytes by which rows are sorted, from values.
package final class RowKeys {
  private let keys: SortKeys
  /// The type of each key's value outside of rows.
  package let types: [ElementType]
  /// The kind of each key.
  package let kinds: [Kind]

  package init(_ orders: [Order], _ ground: Ground, entity: EntityID) throws {
    let terms = try orders.map { (order) throws(ConditionFault) in
      var checker = Checker(ground, entity)
      return try checker.key(order)
    }
    keys = try SortKeys(terms, ground, entity: entity)
    kinds = terms.map(\.key.kind)
    types = terms.map { term in
      guard case .plain(let type) = term.key.kind.whole else { return .optional(.plain(.bool)) }
      return .optional(.plain(type))
    }
  }

  /// The key of a row with these values; nil if no row can have them.
  package func bytes(_ point: SeekPoint) -> [UInt8]? { keys.bytes(point) }
}

extension SortKeys {
  /// The key of a row with these values.
  func bytes(_ point: SeekPoint) -> [UInt8]? {
    guard point.values.count == order.count else { return nil }
    let arena = Arena()
    key.clear()
    for (term, value) in zip(order, point.values) {
      guard term.key.kind.holds(value) else { return nil }
      let start = key.count
      if CellCoding(term.key.kind) != nil, let cell = arena.cell(value) {
        append(cell, term.key.kind, collation: term.collation)
      } else {
        guard (try? append(value, term.key.kind)) != nil else { return nil }
      }
      if term.isDescending { key.complement(from: start) }
    }
    number(point.row)
    return [UInt8](key.bytes)
  }
}
