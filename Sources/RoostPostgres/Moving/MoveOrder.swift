#if Postgres
  internal import RoostGraph

  /// The order in which the tables are moved, so that most references can be written at once.
  ///
  /// ## Invariants
  /// 1. A table comes after those that its objects must reference, except in a circle of such tables.
  /// 2. Objects of a circle are moved together with those that they must reference. So objects of a
  ///    table may be moved before its turn, at `earliest` at the earliest.
  /// 3. A reference may be written late, after all objects, unless the target's turn is before the
  ///    `earliest` of its own table.
  struct MoveOrder {
    let tables: [Int]
    /// By table, its place in the order.
    private var turns: [Int]
    private var earliest: [Int]

    init(_ map: TableMap) {
      var needed = map.tables.map { _ in Set<Int>() }
      var optional = needed
      for (table, shape) in map.tables.enumerated() {
        for column in shape.columns {
          guard case .reference(let target, _) = column.kind, target != table else { continue }
          if column.isNeeded { needed[table].insert(target) } else { optional[table].insert(target) }
        }
      }
      var order: [Int] = []
      var left = Array(map.tables.indices)
      while !left.isEmpty {
        let open = Set(left)
        let next =
          left.first { needed[$0].isDisjoint(with: open) && optional[$0].isDisjoint(with: open) }
          ?? left.first { needed[$0].isDisjoint(with: open) } ?? left[0]
        order.append(next)
        left.removeAll { $0 == next }
      }
      tables = order
      turns = Array(repeating: 0, count: order.count)
      for (turn, table) in order.enumerated() { turns[table] = turn }
      earliest = turns
      var isChanged = true
      while isChanged {
        isChanged = false
        for table in order {
          for target in needed[table] where earliest[target] > earliest[table] {
            earliest[target] = earliest[table]
            isChanged = true
          }
        }
      }
    }

    /// Whether all objects of one table are moved when it is the turn of another table.
    func isDone(_ table: Int, before other: Int) -> Bool { turns[table] < turns[other] }

    /// Whether a reference between objects of two tables may have to be written late.
    func isLate(_ table: Int, to target: Int) -> Bool { turns[target] >= earliest[table] }
  }
#endif
