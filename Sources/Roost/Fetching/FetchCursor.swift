internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// The end of a page of a fetch: the sort values of its last model, and the model's identity.
///
/// You can store it, or send it to a client that requests the next page later: see
/// ``ModelContext/fetchPage(_:after:fileID:line:)``. It stays valid if that model is deleted.
public struct FetchCursor: Codable, Hashable, Sendable {
  let entity: String
  let store: String
  /// The order of the fetch, as text.
  let sort: [String]
  /// The sort values, as rows store them.
  let values: [[UInt8]]
  /// The number of the row; 0 if the model has the key of another store.
  let row: UInt64
  /// The key that the model has in a store of the program's own.
  let key: String?
}

/// One page of a fetch, and the cursor of the next page.
public struct FetchPage<Model: PersistentModel> {
  /// The models of the page, in the order of the descriptor. A page has `fetchLimit` models, 100
  /// without a limit, and fewer on the last page.
  public let models: [Model]
  /// The cursor of the next page; nil on the last page.
  public let next: FetchCursor?
}

extension FetchRun {
  /// The size of a page without a limit.
  private static var defaultSize: Int { 100 }

  /// Returns the models after a cursor, in the order of the descriptor.
  func page(after cursor: FetchCursor?) throws -> FetchPage<Model> {
    guard offset == 0 else {
      throw RoostError(
        .badValue, "a page begins after the previous page, not at offset \(offset): leave fetchOffset out")
    }
    let size = min(limit ?? Self.defaultSize, 1 << 30)
    let place = try state.stores.known(Model.self)
    let (map, graph) = (place.map, state.graph(place.store))
    if !descriptor.includePendingChanges, graph.hasPending(map) {
      throw RoostError(
        .pendingChanges,
        "\(Model._$type.name): a page without pending changes cannot be computed while models have unsaved changes: save first, or keep includePendingChanges true"
      )
    }
    try rules.check()
    guard let ordering = rules.orders(map, graph.store) else {
      throw SwiftDataError.unsupportedSortDescriptor.about(
        "a page needs an order of stored properties, and \(rules.words(map, graph.store)) is computed: sort by stored properties, or fetch with fetchOffset"
      )
    }
    let orders = ordering.orders.isEmpty ? [Order(.row)] : ordering.orders
    let keys = try RowKeys(orders, graph.session.ground(), entity: map.entity.id)
    let point = try cursor.map { try self.point($0, keys, map: map, store: graph.store) }
    var models =
      try graph.source.map { source in
        try fetched(after: cursor, point, orders, keys: keys, size: size + 1, source: source)
      } ?? after(point, orders, keys: keys, size: size + 1)
    let hasMore = models.count > size
    models = Array(models.prefix(size))
    let next = try hasMore ? models.last.map { try self.cursor($0, keys, map: map, graph: graph) } : nil
    return FetchPage(models: models, next: next)
  }

  private func after(_ point: SeekPoint?, _ orders: [Order], keys: RowKeys, size: Int) throws -> [Model] {
    let part = try part()
    let start = point.flatMap { keys.bytes($0) }
    func isBehind(_ model: Model) throws -> Bool {
      guard let start else { return true }
      guard let own = keys.bytes(try self.point(of: model, keys)) else { return false }
      return start.lexicographicallyPrecedes(own)
    }
    let pending = try part.pending.filter(isBehind).sorted(by: rules.precedes)
    guard part.orders != nil else {
      // A sort value has unsaved changes, so only memory knows the order.
      let all = try stored(part).filter(isBehind).sorted(by: rules.precedes)
      return Array(rules.merged(all, pending).prefix(size))
    }
    let asked = part.excluded.isEmpty ? part : part.withoutExcluded
    var found: [Model] = []
    var from = point
    var portion = part.tests.isEmpty ? size : 4 * size
    while found.count < size {
      var query = asked.query(isSorted: false, limit: portion)
      query.order = orders
      query.after = from
      let some = try part.graph.fetch(query, part.map, as: Model.self)
      found += try some.filter { model in try part.tests.allSatisfy { try $0.passes(model) } }
      guard some.count == portion, let last = some.last else { break }
      from = try self.point(of: last, keys)
      // Without an index each portion reads all rows, so the portions grow quickly.
      portion = min(2 * portion, 1 << 20)
    }
    return Array(rules.merged(Array(found.prefix(size)), pending).prefix(size))
  }

  // MARK: Cursors

  func point(of model: Model, _ keys: RowKeys) throws -> SeekPoint {
    let row = RowID(model._$state.row)
    if rules.isEmpty { return SeekPoint([.reference(row)], row) }
    return SeekPoint(
      try rules.rules.map { rule in
        if let value = rule.value(model) { return value }
        throw RoostError(.unreadable, "the sort values of row \(row.number) of \(Model._$type.name) could not be read")
      }, row)
  }

  private func cursor(
    _ model: Model, _ keys: RowKeys, map: EntityMap, graph: GraphContext
  ) throws -> FetchCursor {
    let point = try point(of: model, keys)
    let key = graph.source == nil ? nil : model.persistentModelID.key
    return FetchCursor(
      entity: map.type.name, store: graph.store.identifier, sort: rules.rules.map(\.words),
      values: try zip(keys.types, point.values).map { try $1.elementBytes(as: $0) },
      row: key.map { $0.number ?? 0 } ?? point.row.number, key: key?.text)
  }

  private func point(
    _ cursor: FetchCursor, _ keys: RowKeys, map: EntityMap, store: GraphStore
  ) throws -> SeekPoint {
    func wrong(_ detail: String) -> RoostError {
      RoostError(
        .badValue, "\(detail): use the cursor with the descriptor that it came from, or begin again without a cursor")
    }
    let sort = rules.rules.map(\.words)
    func text(_ sort: [String]) -> String { sort.isEmpty ? "nothing" : sort.joined(separator: ", ") }
    guard cursor.entity == map.type.name else {
      throw wrong("the cursor is from a fetch of \(cursor.entity), and this fetch is of \(map.type.name)")
    }
    guard cursor.sort == sort else {
      throw wrong("the cursor's fetch was sorted by \(text(cursor.sort)), this one is sorted by \(text(sort))")
    }
    guard cursor.store == store.identifier else { throw wrong("the cursor is from another store") }
    guard cursor.values.count == keys.types.count else { throw wrong("the cursor has \(cursor.values.count) values") }
    let values = zip(keys.types, cursor.values).map { type, bytes in
      bytes.withUnsafeBytes { Value(element: $0, as: type) }
    }
    let point = SeekPoint(values.compactMap { $0 }, RowID(cursor.row))
    guard point.values.count == values.count, keys.bytes(point) != nil else {
      throw wrong("the cursor's values are not those of \(text(sort))")
    }
    return point
  }
}

extension SortRule {
  /// Describes the sort key.
  var words: String {
    guard let path else { return "something that is computed" }
    let change = path.change == .localized || path.change == .localizedStandard ? " \(path.change)" : ""
    return path.names.joined(separator: ".") + (path.names.isEmpty ? "persistentModelID" : "") + change
      + (isDescending ? " descending" : "")
  }
}

extension SortRules {
  /// Describes the first rule that the engine cannot express.
  func words(_ map: EntityMap, _ store: GraphStore) -> String {
    rules.first { $0.order(map, store) == nil }?.words ?? "it"
  }
}
