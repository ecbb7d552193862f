package import RoostRecords

/// A position in an order: after a row that has, or had, these values.
package struct SeekPoint: Sendable {
  /// One value for each key.
  package var values: [Value]
  package var row: RowID

  package init(_ values: [Value], _ row: RowID) {
    self.values = values
    self.row = row
  }
}

extension IndexAccess {
  /// This access without the entries before a position in the query's order, if the first key
  /// decides that.
  ///
  /// The position may come from a query with another condition. If the fixed keys then have other
  /// values than the position, no entry is left out.
  func behind(
    _ point: SeekPoint, _ order: [SortTerm], direction: Direction, entity: Entity, conjunction: Conjunction
  ) -> IndexAccess {
    guard fixedParts < index.index.parts.count, point.values.count == order.count else { return self }
    let part = index.index.parts[fixedParts]
    if part.form != .value { return self }
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
  /// The part of the range from `start` on and before `end`; nil if it is empty.
  func clipped(_ start: KeyBytes?, _ end: KeyBytes?) -> KeyRange? {
    var (from, to) = (low, high)
    if let start, from < start { from = start }
    if let end, to.map({ end < $0 }) ?? true { to = end }
    let range = KeyRange(from, to)
    return range.isEmpty ? nil : range
  }
}

extension KeyBytes {
  /// A value as an ascending index part stores it.
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
