public import Foundation
internal import RoostGraph
internal import RoostQuery

/// Values of models, without the models.
extension ModelContext {
  /// Returns the values of a property, for each model of a predicate:
  ///
  /// ```swift
  /// let titles = try context.select(Track.self, \.title, where: #Predicate { $0.year > 1977 })
  /// ```
  ///
  /// No models are made, so the call is faster than a fetch, and the result can be sent to another actor.
  ///
  /// The key path may end at a stored property, at a property of a stored struct (`\.home.town`), or at a property of a referenced model
  /// (`\.album?.artist?.name`, `\.album?.persistentModelID`). A computed property and a whole struct can be selected too, but they are read
  /// from models, which is as slow as a fetch.
  ///
  /// Models with unsaved changes have their new values, unless `includePendingChanges` is false.
  ///
  /// - Throws: ``SwiftDataError/unsupportedPredicate`` or ``SwiftDataError/unsupportedKeyPath`` if
  ///   a predicate or key path cannot be evaluated. ``RoostError`` with one of these codes:
  ///   `badValue` if the offset or limit is negative, `tooLarge` if the selection needs more memory
  ///   than ``ModelConfiguration/queryBytes``, `unreadable` if a property's type does not accept a
  ///   stored value, and `pendingChanges` if stored values must be read from models with unsaved
  ///   changes.
  public func select<Model, Value: Sendable>(
    _ model: Model.Type, _ keyPath: KeyPath<Model, Value>, where predicate: Predicate<Model>? = nil,
    matching matches: [Match<Model>] = [], sortBy: [SortDescriptor<Model>] = [], offset: Int = 0, limit: Int? = nil,
    includePendingChanges: Bool = true, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [Value] where Model: PersistentModel {
    let selection = try Selection(
      predicate, matches, sortBy: sortBy, includePendingChanges: includePendingChanges, place: (fileID, line))
    let column = SelectedColumn(keyPath)
    return try selection.rows(state, [column], in: RowRange(offset, limit)) { try $0.value(column) }
  }

  /// Returns the values of several properties, for each model of a predicate:
  ///
  /// ```swift
  /// let rows = try context.select(Track.self, \.title, \.album?.title, sortBy: [SortDescriptor(\.title)])
  /// for (title, album) in rows { print(title, album ?? "") }
  /// ```
  ///
  /// To convert the rows to a type of your own, append `.map(TrackRow.init)`.
  ///
  /// - Throws: what the form with one property throws.
  public func select<Model, First: Sendable, Second: Sendable, each Value: Sendable>(
    _ model: Model.Type, _ first: KeyPath<Model, First>, _ second: KeyPath<Model, Second>,
    _ others: repeat KeyPath<Model, each Value>, where predicate: Predicate<Model>? = nil,
    matching matches: [Match<Model>] = [], sortBy: [SortDescriptor<Model>] = [], offset: Int = 0, limit: Int? = nil,
    includePendingChanges: Bool = true, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [(First, Second, repeat each Value)] where Model: PersistentModel {
    let selection = try Selection(
      predicate, matches, sortBy: sortBy, includePendingChanges: includePendingChanges, place: (fileID, line))
    let (head, next) = (SelectedColumn(first), SelectedColumn(second))
    let rest = (repeat SelectedColumn(each others))
    var columns: [AnySelectedColumn<Model>] = [head, next]
    for column in repeat each rest { columns.append(column) }
    return try selection.rows(state, columns, in: RowRange(offset, limit)) { row in
      (try row.value(head), try row.value(next), repeat try row.value(each rest))
    }
  }

  /// Returns the values of properties, joined with values of matching models of another class:
  ///
  /// ```swift
  /// let rows = try context.select(
  ///   Order.self, \.number, \.total,
  ///   joining: .left(Customer.self, on: .equal(\.email, \.address), select: \.name, \.city))
  /// for (number, total, customer) in rows { print(number, total, customer?.0 ?? "unknown") }
  /// ```
  ///
  /// A model has one row for each matching model: see ``Join``. `offset` and `limit` count these
  /// rows.
  ///
  /// - Throws: what the form with one property throws. ``RoostError`` with the code `badValue` if
  ///   the join has no key or makes too many pairs.
  public func select<Model, First: Sendable, each Value: Sendable, Joined>(
    _ model: Model.Type, _ first: KeyPath<Model, First>, _ others: repeat KeyPath<Model, each Value>,
    joining join: Join<Model, Joined>, where predicate: Predicate<Model>? = nil, matching matches: [Match<Model>] = [],
    sortBy: [SortDescriptor<Model>] = [], offset: Int = 0, limit: Int? = nil, includePendingChanges: Bool = true,
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [(First, repeat each Value, Joined)] where Model: PersistentModel {
    var selection = try Selection(
      predicate, matches, sortBy: sortBy, includePendingChanges: includePendingChanges, place: (fileID, line))
    var range = try RowRange(offset, limit)
    let run = try JoinRun(join)
    let head = SelectedColumn(first)
    let rest = (repeat SelectedColumn(each others))
    var columns: [AnySelectedColumn<Model>] = run.keys + [head]
    for column in repeat each rest { columns.append(column) }
    if range.isDone { return [] }
    // Each row has at least one result if it keeps rows without a match.
    if join.keepsAll || join.side.isAll { selection.limit(to: range) }
    return try selection.traced(state) { select in
      let (own, whole) = (select(columns), range)
      var results: [(First, repeat each Value, Joined)] = []
      func take(_ row: SelectRun<Model>.Row?, _ joined: Joined?) throws -> Bool {
        if let row, let joined = joined ?? join.absent.first, range.takesNext() {
          results.append((try row.value(head), repeat try row.value(each rest), joined))
        }
        return !range.isDone
      }
      let merge = try MergeJoin(join, run.keys, of: own, includePendingChanges: includePendingChanges)
      if let merge, try merge.isPreferred(limit: range.enough) {
        try merge.forEach { try take($0, $1) }
        return results
      }
      do {
        var rows: [SelectRun<Model>.Row] = []
        try own.forEach { row in
          rows.append(row)
          return true
        }
        try run.forEach(
          rows, state, includePendingChanges: includePendingChanges, enough: range.enough, body: take)
      } catch let fault as ConditionFault where fault.code == .tooLarge {
        // A merge join keeps only the pairs in memory.
        guard let merge, ForcedWay.mergesJoins != false else { throw fault }
        state.queryMemory?.giveBack(to: 0)
        state.notes?.forgetCall()
        (range, results) = (whole, [])
        try merge.forEach { try take($0, $1) }
      }
      return results
    }
  }

  /// Returns the values of properties, joined with values of models of another class, including the
  /// models of both classes without a match: see ``FullJoin``.
  ///
  ///     let rows = try context.select(
  ///       Bill.self, \.number, \.total,
  ///       joining: .full(Client.self, on: .equal(\.email, \.address), select: \.name))
  ///     for (bill, name) in rows { print(bill?.0 ?? 0, name ?? "nobody") }
  ///
  /// - Throws: what the form with one property throws. ``RoostError`` with the code `badValue` if
  ///   the join has no key or makes too many pairs.
  public func select<Model, First: Sendable, each Value: Sendable, Joined>(
    _ model: Model.Type, _ first: KeyPath<Model, First>, _ others: repeat KeyPath<Model, each Value>,
    joining full: FullJoin<Model, Joined>, where predicate: Predicate<Model>? = nil,
    matching matches: [Match<Model>] = [],
    sortBy: [SortDescriptor<Model>] = [], offset: Int = 0, limit: Int? = nil, includePendingChanges: Bool = true,
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [((First, repeat each Value)?, Joined?)] where Model: PersistentModel {
    let selection = try Selection(
      predicate, matches, sortBy: sortBy, includePendingChanges: includePendingChanges, place: (fileID, line))
    var range = try RowRange(offset, limit)
    let run = try JoinRun(full.join, keepsOthers: true)
    let head = SelectedColumn(first)
    let rest = (repeat SelectedColumn(each others))
    var columns: [AnySelectedColumn<Model>] = run.keys + [head]
    for column in repeat each rest { columns.append(column) }
    if range.isDone { return [] }
    return try selection.traced(state) { select in
      var (rows, results): ([SelectRun<Model>.Row], [((First, repeat each Value)?, Joined?)]) = ([], [])
      try select(columns).forEach { row in
        rows.append(row)
        return true
      }
      try run.forEach(rows, state, includePendingChanges: includePendingChanges, enough: range.enough) { row, joined in
        if range.takesNext() {
          results.append(
            (try row.map { row in (try row.value(head), repeat try row.value(each rest)) }, joined))
        }
        return !range.isDone
      }
      return results
    }
  }

  /// Returns the values of properties, with a rank, a position or a running total:
  ///
  /// ```swift
  /// let best = try context.select(
  ///   Track.self, \.album?.title, \.title, over: .position(per: \.album?.title), atMost: 3,
  ///   sortBy: [SortDescriptor(\.plays, order: .reverse)])
  /// ```
  ///
  /// The rows are in the order of `sortBy`. With `atMost`, each group has at most that many rows,
  /// the first ones in the order, even if later rows have the same rank. See ``Window``.
  ///
  /// - Throws: what the form with one property throws. ``RoostError`` with the code `badValue` if
  ///   `sortBy` is empty or `atMost` is less than 1.
  public func select<Model, First: Sendable, each Value: Sendable, Result: Sendable>(
    _ model: Model.Type, _ first: KeyPath<Model, First>, _ others: repeat KeyPath<Model, each Value>,
    over window: Window<Model, Result>, atMost most: Int? = nil, where predicate: Predicate<Model>? = nil,
    matching matches: [Match<Model>] = [], sortBy: [SortDescriptor<Model>], offset: Int = 0, limit: Int? = nil,
    includePendingChanges: Bool = true,
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [(First, repeat each Value, Result)] where Model: PersistentModel {
    if let most, most < 1 { throw RoostError(.badValue, "atMost is \(most): omit it, or give 1 or more") }
    let selection = try Selection(
      predicate, matches, sortBy: sortBy, includePendingChanges: includePendingChanges, place: (fileID, line))
    var range = try RowRange(offset, limit)
    var run = try WindowRun(window, sortBy, in: state)
    let head = SelectedColumn(first)
    let rest = (repeat SelectedColumn(each others))
    var columns: [AnySelectedColumn<Model>] = run.columns + [head]
    for column in repeat each rest { columns.append(column) }
    if range.isDone { return [] }
    return try selection.traced(state, window: window.text) { select in
      var results: [(First, repeat each Value, Result)] = []
      try select(columns).forEach { row in
        if let own = try run.next(row, atMost: most), range.takesNext() {
          results.append((try row.value(head), repeat try row.value(each rest), own))
        }
        return !range.isDone
      }
      return results
    }
  }

  /// Returns each different value of a property once, sorted:
  ///
  /// ```swift
  /// let genres = try context.selectDistinct(Track.self, \.album?.genre)
  /// ```
  ///
  /// Texts that are equal in Swift are one value, however their accents are encoded.
  ///
  /// - Throws: what ``aggregate(_:where:includePendingChanges:_:fileID:line:)`` throws.
  public func selectDistinct<Model, Value: Hashable & Sendable>(
    _ model: Model.Type, _ keyPath: KeyPath<Model, Value>, where predicate: Predicate<Model>? = nil,
    limit: Int? = nil, includePendingChanges: Bool = true, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [Value] where Model: PersistentModel {
    try aggregate(
      model, where: predicate, includePendingChanges: includePendingChanges, by: keyPath, limit: limit, fileID: fileID,
      line: line
    ).map { $0.key }
  }

  /// Returns each different combination of values of several properties once, sorted.
  ///
  /// - Throws: what ``aggregate(_:where:includePendingChanges:_:fileID:line:)`` throws.
  public func selectDistinct<
    Model, First: Hashable & Sendable, Second: Hashable & Sendable, each Value: Hashable & Sendable
  >(
    _ model: Model.Type, _ first: KeyPath<Model, First>, _ second: KeyPath<Model, Second>,
    _ others: repeat KeyPath<Model, each Value>, where predicate: Predicate<Model>? = nil, limit: Int? = nil,
    includePendingChanges: Bool = true, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [(First, Second, repeat each Value)] where Model: PersistentModel {
    try aggregate(
      model, where: predicate, includePendingChanges: includePendingChanges, by: first, second, repeat each others,
      limit: limit, fileID: fileID, line: line
    )
    // `map(\.key)` would end the program: the runtime makes no key path of a type with a parameter
    // pack.
    .map { $0.key }
  }
}

/// The common part of the selections of ``ModelContext``.
private struct Selection<Model: PersistentModel> {
  private var descriptor: FetchDescriptor<Model>
  private let matches: [MatchRun<Model>]
  private let place: ContextState.CodePlace

  init(
    _ predicate: Predicate<Model>?, _ matches: [Match<Model>], sortBy: [SortDescriptor<Model>],
    includePendingChanges: Bool, place: ContextState.CodePlace
  ) throws {
    descriptor = FetchDescriptor(predicate: predicate, sortBy: sortBy)
    descriptor.includePendingChanges = includePendingChanges
    self.matches = try matches.map { try MatchRun($0) }
    self.place = place
  }

  /// This many rows suffice, because each one gives at least one result.
  mutating func limit(to range: RowRange) {
    if matches.isEmpty, range.limit != nil { descriptor.fetchLimit = range.enough }
  }

  func rows<Row>(
    _ state: ContextState, _ columns: [AnySelectedColumn<Model>], in range: RowRange,
    make: (SelectRun<Model>.Row) throws -> Row
  ) throws -> [Row] {
    var (own, range) = (self, range)
    if matches.isEmpty, !range.isDone {
      // The engine skips the offset, and stops at the limit.
      (own.descriptor.fetchOffset, own.descriptor.fetchLimit) = (range.offset, range.limit)
      range = RowRange()
    }
    return try own.traced(state, limitHelps: true) { select in
      var rows: [Row] = []
      if range.isDone { return rows }
      try select(columns).forEach { row in
        if range.takesNext() { rows.append(try make(row)) }
        return !range.isDone
      }
      return rows
    }
  }

  /// Calls a closure with the run that selects columns.
  ///
  /// - Parameter limitHelps: whether a smaller limit reads fewer rows.
  func traced<Row>(
    _ state: ContextState, window: String? = nil, limitHelps: Bool = false,
    _ body: (([AnySelectedColumn<Model>]) -> SelectRun<Model>) throws -> [Row]
  ) throws -> [Row] {
    state.notes?.forgetCall()
    let rows = try state.traced(.select, descriptor, place: place, note: { $1.found = $0.count }) {
      try state.call(.fetching) {
        let graph = state.graph(try state.stores.known(Model.self).store)
        return try state.countingMemory(Model.self) {
          try graph.holdingSnapshot {
            state.queryMemory?.limitHelps = limitHelps && matches.isEmpty
            return try body { columns in
              for column in columns { column.memory = state.queryMemory }
              return SelectRun(descriptor, state, columns: columns, matching: matches)
            }
          }
        }
      }
    }
    state.notes?.endCall { if let window { $0.addLine(window) } }
    return rows
  }
}
