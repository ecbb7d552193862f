#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostQuery
  internal import RoostRecords

  /// Writes sort orders as SQL.
  extension ConditionWriter {
    /// The keys of an order; nil if SQL sorts differently from the engine.
    ///
    /// | Values | Ascending |
    /// |---|---|
    /// | nil | first |
    /// | NaN | last; of decimal numbers first, after nil |
    /// | false | before true |
    /// | texts | as the bytes of their normal form C |
    func keys(_ orders: [Order]) -> [String]? {
      var keys: [String] = []
      for order in orders {
        var checker = Checker(question.catalog, question.map.entity.id)
        guard order.collation == .plain, let term = try? checker.term(order.key),
          case .plain(let type) = term.kind.whole,
          let written = value(term), written.doubts.isEmpty
        else { return nil }
        let direction = order.isDescending ? "DESC NULLS LAST" : "ASC NULLS FIRST"
        if type == .decimal { keys.append("(\(written.text) <> 'NaN'::numeric) \(direction)") }
        if keys.isEmpty, let indexed = written.indexed { keys.append("\(indexed) \(direction)") }
        keys.append("\(key(written, type)) \(direction)")
      }
      // Rows with equal keys follow the direction of the first key.
      if orders.first?.isDescending == true { keys.append("\(Table.key.of("t")) DESC") }
      return keys
    }
  }
#endif
