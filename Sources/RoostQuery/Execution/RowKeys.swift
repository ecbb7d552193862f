internal import RoostBytes
package import RoostRecords

/// A place in an order: behind a row that has, or had, these values.
package struct SeekPoint: Sendable {
  /// One for each key.
  package var values: [Value]
  package var row: RowID

  package init(_ values: [Value], _ row: RowID) {
    self.values = values
    self.row = row
  }
}

/// The bytes by which rows are sorted, made of values.
package final class RowKeys {
  private let keys: SortKeys
  /// What stands for the value of each key outside of rows.
  package let types: [ElementType]

  package init(_ orders: [Order], _ ground: Ground, _ entity: EntityID) throws {
    let terms = try orders.map { (order) throws(ConditionFault) in
      var checker = Checker(ground, entity)
      return try checker.key(order)
    }
    keys = try SortKeys(terms, ground, entity)
    types = terms.map { term in
      guard case .plain(let type) = term.key.kind.whole else { return .optional(.plain(.bool)) }
      return .optional(.plain(type))
    }
  }

  /// Nil where the values are none that rows can have.
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
        append(cell, term.key.kind, term.collation)
      } else {
        guard (try? append(value, term.key.kind)) != nil else { return nil }
      }
      if term.isDescending { key.complement(from: start) }
    }
    number(point.row)
    return [UInt8](key.bytes)
  }
}

extension IndexAccess {
  /// The same without what stands in front of a place in the query's order, as far as the first key tells it.
  ///
  /// The place may be one of another condition: then keys in front of that one may have another value than all rows here, and nothing is
  /// left out.
  func behind(
    _ point: SeekPoint, _ order: [SortTerm], _ direction: Direction, _ entity: Entity, _ conjunction: Conjunction
  ) -> IndexAccess {
    guard fixedParts < index.index.parts.count, point.values.count == order.count else { return self }
    let part = index.index.parts[fixedParts]
    func bytes(_ place: Int, _ id: FieldID) -> KeyBytes? {
      entity.field(id).flatMap { KeyBytes(point.values[place], $0, cutBehind: index.index.textBytes) }
    }
    guard let place = order.firstIndex(where: { $0.field == part.field }), let own = bytes(place, part.field) else {
      return self
    }
    for (number, term) in order.prefix(place).enumerated() {
      guard let id = term.field, let fixed = conjunction.constraint(on: id)?.bounds, fixed.count == 1,
        fixed[0].isPoint, bytes(number, id) == fixed[0].point(isDescending: false)
      else { return self }
    }
    let key = fixedPrefix + (part.isDescending ? own.complement : own)
    var narrowed = self
    narrowed.ranges = ranges.compactMap {
      $0.clipped(direction == .forward ? key : nil, direction == .backward ? key.behind : nil)
    }
    return narrowed
  }
}

extension KeyRange {
  /// What of it lies from `start` on and before `end`; nil where that is nothing.
  func clipped(_ start: KeyBytes?, _ end: KeyBytes?) -> KeyRange? {
    var (from, to) = (low, high)
    if let start, from < start { from = start }
    if let end, to.map({ end < $0 }) ?? true { to = end }
    let range = KeyRange(from, to)
    return range.isEmpty ? nil : range
  }
}

extension KeyBytes {
  /// A value as it stands in an ascending part of an index.
  init?(_ value: Value, _ field: Field, cutBehind most: Int) {
    var key = ByteBuffer(capacity: 64)
    if field.isOptional { key.append(value.isNull ? 0 : 1) }
    if !value.isNull {
      do throws(RecordFault) { try KeyCoding.append(value, as: field.type, to: &key, cutBehind: most) } catch {
        return nil
      }
    }
    self.init(key.bytes)
  }
}
