internal import RoostRecords

/// Rows of a working set whose values are not known.
extension GraphStore {
  /// Makes rows that have no values of their own, in the order of the list, and returns their numbers.
  package func insertUnloaded(_ classes: [EntityMap]) throws -> [UInt64] {
    if classes.isEmpty { return [] }
    var numbers: [UInt64] = []
    try records.write { writer in
      var entry = CommitFeed.Entry(number: writer.commitNumber, rows: [:], author: ObjectIdentifier(self))
      for map in classes {
        let number = try records.reserve(of: map.entity.id)
        var sink = _RowSink(map.newest)
        sink.clear()
        for (property, one) in map.type.properties.enumerated() {
          if case .value = one.storage { map.newest.coder(property).putAny(into: &sink, at: property) }
        }
        if let failure = sink.failure { throw failure }
        try writer.table(map.entity.id).insert(&sink.builder, as: number)
        entry.rows[map.home, default: []].append(number.number)
        numbers.append(number.number)
      }
      feed.add(entry)
    }
    listeners.tell()
    return numbers
  }

  /// Throws if this is a working set: its rows change through saves alone, so that the backing store hears of it.
  func refuseWorkingSet(_ what: String) throws {
    guard backing != nil else { return }
    throw GraphFault(
      .badValue, "\(what) does not work with a store of the program's own: change the models, and save")
  }
}
