package import RoostRecords

extension GraphStore {
  /// A store of the same models that shows the state of this one at a place of its history: see
  /// ``RecordStore/rewound(to:)``.
  package func past(at place: HistoryPlace, _ models: [ModelPlan]) throws -> GraphStore {
    let records = try records.rewound(to: place)
    do { return try GraphStore(records, models) } catch {
      try? records.close()
      throw error
    }
  }

  /// Throws unless another store is an earlier state of this one: see
  /// ``RecordStore/checkDescent(from:)``.
  package func checkDescent(from other: GraphStore) throws {
    try other.records.read { try records.checkDescent(from: $0) }
  }
}
