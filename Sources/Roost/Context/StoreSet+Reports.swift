internal import RoostGraph

extension StoreSet {
  /// Returns the error for a refused save, with one fault for each model.
  func error(_ refusal: SaveRefusal) -> RoostError {
    let faults = self.faults(refusal.faults)
    var detail = faults.prefix(Self.mostTold).map(\.description).joined(separator: "; ")
    if refusal.count > Self.mostTold { detail += "; and \(refusal.count - Self.mostTold) more" }
    return RoostError(
      faults.first?.code ?? .conflict, detail, underlyingError: refusal, faults: faults, faultCount: refusal.count)
  }

  /// The largest number of faults in the sentence of an error.
  private static var mostTold: Int { 100 }

  /// Converts faults: the result has the identifiers that programs know.
  func faults(_ faults: [GraphFault]) -> [SaveFault] {
    faults.map { fault in
      SaveFault(
        fault, model: fault.entity.flatMap { identifier($0, fault.row) },
        others: fault.others.compactMap { identifier($0.entity, $0.row) })
    }
  }

  private func identifier(_ entity: String, _ row: UInt64?) -> PersistentIdentifier? {
    guard let row, row != 0, let place = place(named: entity) else { return nil }
    return stores[place.store].identifier(entity, row)
  }
}

extension StoreSet {
  /// Whether any of the stores has a tracer. Most have none.
  var isTraced: Bool { tracers != nil }

  /// Returns the tracer of a model's store.
  func tracer(of model: any _ModelObject.Type) -> Tracer? {
    guard let tracers else { return nil }
    return place(of: model).flatMap { tracers[$0.store] }
  }

  func tracer(of store: GraphStore) -> Tracer? {
    guard let tracers, let place = stores.firstIndex(where: { $0 === store }) else { return nil }
    return tracers[place]
  }
}
