public import Foundation
internal import RoostGraph
internal import RoostQuery

/// The rows of one class, for ``ModelContext/union(_:_:all:offset:limit:fileID:line:)``, intersect
/// and except.
///
///     try context.union(.rows(Bill.self, \.city, \.total), .rows(Refund.self, \.town, \.amount))
///
/// All sides have the same types, in the same order. If a property is optional on one side only,
/// ``Computed`` makes the other one optional.
public struct Selected<Row>: @unchecked Sendable {
  // Unchecked because key paths are not marked `Sendable`, although they never change.
  /// Selects the rows, or so many of them, each with its values as keys.
  let rows: (ContextState, Int?) throws -> [(keys: [AnyHashable], row: Row)]
  /// Runs a closure while the store shows one state, and counts its memory.
  let holding: (ContextState, () throws -> [Row]) throws -> [Row]

  /// The values of a property, for each model of a predicate.
  public static func rows<Model: PersistentModel>(
    _ model: Model.Type, _ keyPath: KeyPath<Model, Row>, where predicate: Predicate<Model>? = nil,
    sortBy: [SortDescriptor<Model>] = []
  ) -> Selected where Row: Hashable & Sendable {
    made(predicate, sortBy) {
      let column = SelectedColumn(keyPath)
      return (
        [column],
        { row in
          let value = try row.value(column)
          return ([NoNumber.alike(AnyHashable(value))], value)
        }
      )
    }
  }

  /// The values of several properties, for each model of a predicate.
  public static func rows<
    Model: PersistentModel, First: Hashable & Sendable, Second: Hashable & Sendable, each Value: Hashable & Sendable
  >(
    _ model: Model.Type, _ first: KeyPath<Model, First>, _ second: KeyPath<Model, Second>,
    _ others: repeat KeyPath<Model, each Value>, where predicate: Predicate<Model>? = nil,
    sortBy: [SortDescriptor<Model>] = []
  ) -> Selected where Row == (First, Second, repeat each Value) {
    made(predicate, sortBy) {
      let (head, next) = (SelectedColumn(first), SelectedColumn(second))
      let rest = (repeat SelectedColumn(each others))
      var columns: [AnySelectedColumn<Model>] = [head, next]
      for column in repeat each rest { columns.append(column) }
      return (
        columns,
        { row in
          var keys: [AnyHashable] = []
          func value<One: Hashable>(_ column: SelectedColumn<Model, One>) throws -> One {
            let value = try row.value(column)
            keys.append(NoNumber.alike(AnyHashable(value)))
            return value
          }
          let values = (try value(head), try value(next), repeat try value(each rest))
          return (keys, values)
        }
      )
    }
  }

  private typealias Reading<Model: PersistentModel> = (
    columns: [AnySelectedColumn<Model>], read: (SelectRun<Model>.Row) throws -> ([AnyHashable], Row)
  )

  private static func made<Model: PersistentModel>(
    _ predicate: Predicate<Model>?, _ sortBy: [SortDescriptor<Model>], reading: @escaping () -> Reading<Model>
  ) -> Selected {
    Selected { state, limit in
      // A limit of 0 would be none.
      if limit == 0 { return [] }
      state.queryMemory?.limitHelps = limit != nil
      var descriptor = FetchDescriptor(predicate: predicate, sortBy: sortBy)
      descriptor.fetchLimit = limit
      let (columns, read) = reading()
      var rows: [(keys: [AnyHashable], row: Row)] = []
      let bytes = QueryMemory.joinedRow + QueryMemory.joinedKey * columns.count + MemoryLayout<Row>.stride
      try SelectRun(descriptor, state, columns: columns).forEach { row in
        try state.queryMemory?.take(bytes, for: .rows)
        rows.append(try read(row))
        return true
      }
      return rows
    } holding: { state, body in
      let graph = state.graph(try state.stores.known(Model.self).store)
      return try graph.holdingSnapshot {
        if state.queryMemory != nil { return try body() }
        return try state.countingMemory(Model.self, body)
      }
    }
  }
}

/// Set operations on the rows of several classes.
extension ModelContext {
  /// Returns the rows of all sides, each once:
  ///
  ///     let known = try context.union(.rows(Client.self, \.address), .rows(Supplier.self, \.mail))
  ///
  /// The rows are in the order of the sides, and of each side's `sortBy`. With `all`, duplicates
  /// are kept. Texts are equal if they are equal in Swift, and NaN is equal to itself. The sides of
  /// one store are read from one state.
  ///
  /// - Throws: what the `select` functions throw.
  public func union<Row>(
    _ first: Selected<Row>, _ others: Selected<Row>..., all: Bool = false, offset: Int = 0, limit: Int? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [Row] {
    try combined([first] + others, offset, limit: limit, place: (fileID, line)) { sides, range in
      var (seen, results): (Set<[AnyHashable]>, [Row]) = ([], [])
      let enough = range.enough
      for side in sides where !range.isDone {
        // Equal rows of a side count once, so it may need any number of its rows.
        for (keys, row) in try side(all ? enough : nil) where all || seen.insert(keys).inserted {
          if range.takesNext() { results.append(row) }
        }
      }
      return results
    }
  }

  /// Returns the rows that both sides have, each once, in the order of the first side. With `all`,
  /// a row is repeated as often as both sides have it.
  ///
  /// - Throws: what the `select` functions throw.
  public func intersect<Row>(
    _ first: Selected<Row>, _ second: Selected<Row>, all: Bool = false, offset: Int = 0, limit: Int? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [Row] {
    try combined([first, second], offset, limit: limit, place: (fileID, line)) { sides, range in
      let rows = try sides[0](nil)
      var counts = Self.counted(try sides[1](nil))
      return rows.compactMap { keys, row in
        guard let count = counts[keys], count > 0 else { return nil }
        counts[keys] = all ? count - 1 : 0
        return range.takesNext() ? row : nil
      }
    }
  }

  /// Returns the rows of the first side that the second one does not have, each once, in the order
  /// of the first side. With `all`, each row of the second side removes one equal row.
  ///
  /// - Throws: what the `select` functions throw.
  public func except<Row>(
    _ first: Selected<Row>, _ second: Selected<Row>, all: Bool = false, offset: Int = 0, limit: Int? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [Row] {
    try combined([first, second], offset, limit: limit, place: (fileID, line)) { sides, range in
      let rows = try sides[0](nil)
      var counts = Self.counted(try sides[1](nil))
      return rows.compactMap { keys, row in
        let count = counts[keys] ?? 0
        if count > 0 {
          if all { counts[keys] = count - 1 }
          return nil
        }
        if !all { counts[keys] = 1 }
        return range.takesNext() ? row : nil
      }
    }
  }

  private static func counted<Row>(_ rows: [(keys: [AnyHashable], row: Row)]) -> [[AnyHashable]: Int] {
    var counts: [[AnyHashable]: Int] = [:]
    for (keys, _) in rows { counts[keys, default: 0] += 1 }
    return counts
  }

  /// Holds the states of all sides while a closure reads them.
  private func combined<Row>(
    _ sides: [Selected<Row>], _ offset: Int, limit: Int?, place: ContextState.CodePlace,
    body: ([(Int?) throws -> [(keys: [AnyHashable], row: Row)]], inout RowRange) throws -> [Row]
  ) throws -> [Row] {
    var range = try RowRange(offset, limit)
    state.notes?.forgetCall()
    let rows = try state.traced(.select, place, note: { $1.found = $0.count }) {
      try state.call(.fetching) {
        func hold(_ next: ArraySlice<Selected<Row>>) throws -> [Row] {
          if let first = next.first { return try first.holding(state) { try hold(next.dropFirst()) } }
          return try body(sides.map { side in { try side.rows(self.state, $0) } }, &range)
        }
        return try hold(sides[...])
      }
    }
    state.notes?.endCall { _ in }
    return rows
  }
}
