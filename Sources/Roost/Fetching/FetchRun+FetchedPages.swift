internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// Pages of a working set's models.
///
/// Rows have other numbers in another container. So models with equal sort values follow the order
/// of their identifiers.
extension FetchRun {
  /// The place of a model in the order.
  private struct Place {
    /// The bytes of the sort values.
    let values: [UInt8]
    let key: IdentifierKey

    func precedes(_ other: Place, isDescending: Bool) -> Bool {
      if values != other.values { return values.lexicographicallyPrecedes(other.values) }
      return isDescending ? other.key.precedes(key) : key.precedes(other.key)
    }
  }

  /// Returns the models after a cursor.
  ///
  /// A store that sorts as the engine does returns only as many rows as a page needs. If too few of
  /// them are after the cursor, it is asked for more. Other stores return all rows.
  func fetched(
    after cursor: FetchCursor?, _ seek: SeekPoint?, _ orders: [Order], keys: RowKeys, size: Int,
    source: any FetchSource
  ) throws -> [Model] {
    func place(_ point: SeekPoint, _ key: IdentifierKey) -> Place? {
      if rules.isEmpty { return Place(values: [], key: key) }
      return keys.bytes(SeekPoint(point.values, RowID(0))).map { Place(values: $0, key: key) }
    }
    let isDescending = rules.rules.first?.isDescending == true
    var start: Place?
    if let cursor, let seek { start = place(seek, cursor.key.map { IdentifierKey(text: $0) } ?? .row(cursor.row)) }
    // The store may return the last row of the page before too.
    var reach = FetchReach(limit: source.sortsAsEngine && !rules.isEmpty ? size + (cursor == nil ? 0 : 1) : nil)
    if !rules.isEmpty, let seek { reach.start = Self.start(orders[0], seek.values[0], kind: keys.kinds[0]) }
    while true {
      var part = try part(reaching: reach)
      // The places are compared below.
      part.orders = nil
      let isCut = reach.limit.map { (part.answered?.count ?? 0) >= $0 } ?? false
      func placed(_ models: [Model]) throws -> [(place: Place, model: Model)] {
        try models.compactMap { model in
          try place(point(of: model, keys), model.persistentModelID.key).map { (place: $0, model: model) }
        }
      }
      let stored = try placed(stored(part))
      let end = stored.map(\.place).max { $0.precedes($1, isDescending: isDescending) }
      // After the last row of a cut answer there may be rows that the store did not return.
      let unsaved = try placed(part.pending).filter { one in
        !isCut || end.map { one.place.precedes($0, isDescending: isDescending) } ?? false
      }
      var models = stored + unsaved
      if let start { models = models.filter { start.precedes($0.place, isDescending: isDescending) } }
      models.sort { $0.place.precedes($1.place, isDescending: isDescending) }
      if !isCut || models.count >= size { return models.prefix(size).map(\.model) }
      reach.limit = reach.limit.map { $0 > Int.max / 4 ? .max : 4 * $0 }
    }
  }

  /// Returns a condition that all models after a value of the first sort key fulfil; nil if a store
  /// might compare the values in another way.
  private static func start(_ order: Order, _ value: Value, kind: Kind) -> RoostQuery.Expression? {
    guard order.collation == .plain, case .plain = kind else { return nil }
    switch value {
    case .int, .uint, .string, .uuid: break
    case .date(let seconds) where seconds.isFinite: break
    default: return nil
    }
    return .compare(order.isDescending ? .lessOrEqual : .greaterOrEqual, order.key, .constant(value, kind))
  }
}

extension IdentifierKey {
  /// The number of a key that is one.
  var number: UInt64? {
    switch self {
    case .row(let number), .temporary(let number): number
    case .text, .uuid: nil
    }
  }

  /// Whether it precedes another key. Keys of another store precede numbers, which unsaved models
  /// have there.
  func precedes(_ other: IdentifierKey) -> Bool {
    if case .uuid(let one, let zone) = self, case .uuid(let two, let otherZone) = other {
      return one == two ? zone.text.utf8.lexicographicallyPrecedes(otherZone.text.utf8) : one < two
    }
    switch (number, other.number) {
    case (let one?, let two?): return one < two
    case (nil, _?): return true
    case (_?, nil): return false
    case (nil, nil): return (text ?? "").utf8.lexicographicallyPrecedes((other.text ?? "").utf8)
    }
  }
}
