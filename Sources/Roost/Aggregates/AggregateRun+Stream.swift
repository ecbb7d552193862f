internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// Groups that are made one after another, along an index in the order of their keys.
extension AggregateRun {
  /// A plan that streams the groups, and the values that it computes for each.
  struct Streaming {
    let groups: GroupStream
    let query: Query
    let keys: [PlacedKey]
    /// The measures for the engine; nil if it cannot compute all of them.
    let measures: [Measure]?
    /// The values that are read from each row if the engine cannot compute the measures.
    let values: [Condition]
  }

  /// Returns nil if no index has the order of the keys, or if models must be read.
  func stream(
    _ part: FetchPart<Model>, _ asked: [AskedMeasure<Model>.Placed?], by: [PlacedKey?], read: [PlacedPath?]
  ) throws -> Streaming? {
    guard !keys.isEmpty, part.tests.isEmpty, !part.isBlind, !part.isChanged, part.graph.source == nil,
      keys.allSatisfy({ $0.isSortedAsStored }), by.allSatisfy({ $0 != nil }), read.allSatisfy({ $0 != nil })
    else { return nil }
    let query = part.query(isSorted: false)
    let placed = by.compactMap { $0 }
    guard let groups = try part.graph.planner().groupStream(query, by: placed.map { $0.condition }) else { return nil }
    let measures = asked.compactMap { $0?.measure }
    return Streaming(
      groups: groups, query: query, keys: placed, measures: measures.count == asked.count ? measures : nil,
      values: read.compactMap { $0?.condition })
  }

  /// Whether the stream costs less than a table of all groups.
  func prefers(_ stream: Streaming, limit: Int?) throws -> Bool {
    if let forced = ForcedWay.streamsGroups { return forced }
    let graph = state.graph(try state.stores.known(Model.self).store)
    return try graph.planner().prefers(stream.groups, to: stream.query, measures: stream.measures, limit: limit)
  }

  /// Streams the groups to a closure until it returns false.
  func streamed(_ stream: Streaming, in graph: GraphContext, take: @escaping (Group) throws -> Bool) throws -> Found {
    var found = Found()
    // The closure is code of the program, and may save. The pin keeps the state in which the stream
    // began.
    let pin = try graph.session.pin()
    let memory = state.queryMemory
    try graph.holdingSnapshot {
      var (gatherings, mark) = (make(), memory?.mark ?? 0)
      for gathering in gatherings { gathering.memory = memory }
      func end(_ values: [Value]) throws -> Bool {
        let heap = values.reduce(0) { $0 + $1.heapBytes }
        let bytes = QueryMemory.value * (2 + values.count + gatherings.count) + heap
        let group = Group(keys: try PlacedKey.decoded(values, by: stream.keys), gatherings: gatherings, bytes: bytes)
        // The next group uses the memory of this one.
        memory?.giveBack(to: mark)
        found.streamed += 1
        let wantsMore = try take(group)
        (gatherings, mark) = (make(), memory?.mark ?? 0)
        for gathering in gatherings { gathering.memory = memory }
        return wantsMore
      }
      if let measures = stream.measures {
        try stream.groups.forEach(measures) { measure, decimal in
          guard let decimal = ValueDecoding.decoded(.decimal(decimal), as: Decimal.self) else { return }
          gatherings[measure].add(decimal)
        } body: { group in
          for (gathering, tally) in zip(gatherings, group.tallies) { try gathering.add(tally) }
          return try end(group.keys)
        }
      } else {
        for (number, column) in columns.flatMap({ $0 }).enumerated() { column.number = number }
        let width = stream.values.count
        try stream.groups.forEach(stream.values) { values in
          for start in Swift.stride(from: 0, to: values.count, by: width) {
            let row = SelectRun<Model>.Row.stored(values[start..<start + width])
            for (gathering, columns) in zip(gatherings, columns) { try gathering.add(row, columns) }
          }
        } end: {
          try end($0)
        }
      }
    }
    withExtendedLifetime(pin) {}
    note(stream, groups: found.streamed)
    return found
  }

  /// Reports the index of the stream to ``ModelContext/explain(call:)``.
  private func note(_ stream: Streaming, groups: Int) {
    guard let notes = state.notes else { return }
    var told = FetchExplanation()
    let plan = stream.groups.facts
    (told.found, told.rowsRead, told.entriesRead) = (plan.found, plan.rowsRead, plan.entriesRead)
    (told.rowCount, told.indexes, told.testedOnRows) = (plan.rowCount, [stream.groups.indexName], plan.test)
    (told.makesModels, told.grouping, told.description) = (false, .stream, stream.groups.explanation)
    told.noteSelected(keys.map { $0.keyPath } + measures.compactMap { $0.keyPath })
    told.addLine("streams over index \(stream.groups.indexName): \(Self.text(groups))")
    told.addLine("no models are made")
    notes.add(told)
  }
}
