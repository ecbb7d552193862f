package import RoostGraph
package import RoostQuery
package import RoostRecords

/// The rows of a fetch at one moment, in its order, without their objects.
package struct FetchedRows {
  package enum Rows {
    /// The engine finds and sorts them.
    case query(Query)
    /// Memory has tested or sorted them.
    case known([UInt64])
  }

  package let map: EntityMap
  package let store: GraphStore
  package let reader: RecordReader
  package let rows: Rows
}

extension ModelContainer {
  /// Calls a closure with the stored rows of a fetch. The closure returns the number of rows that
  /// it used, for the trace.
  package func withRows<Model: PersistentModel>(
    of descriptor: FetchDescriptor<Model>, for kind: TraceEvent.Kind, _ place: (fileID: StaticString, line: UInt),
    _ body: (FetchedRows) throws -> Int
  ) throws -> Int {
    let state = ContextState(stores, isMain: false)
    // The context closes the snapshot that the closure reads.
    defer { withExtendedLifetime(state) {} }
    return try state.traced(kind, descriptor, place: place, note: { $1.found = $0 }) {
      try Doorway.pass {
        let run = FetchRun(descriptor, state)
        let place = try state.stores.known(Model.self)
        // References to rows that were not fetched would have no unique values.
        try stores.stores[place.store].refuseWorkingSet("an export", instead: "copy the models into a store file first")
        let part = try run.part()
        // A test or sort in memory runs before the snapshot is taken.
        let known = part.isEngines ? nil : try run.places().rows
        let reader = try part.graph.session.snapshot()
        let rows =
          known.map { FetchedRows.Rows.known($0) }
          ?? .query(part.query(isSorted: true, offset: run.offset, limit: run.limit))
        return try body(FetchedRows(map: part.map, store: part.graph.store, reader: reader, rows: rows))
      }
    }
  }
}
