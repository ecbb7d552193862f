internal import RoostGraph

extension StoreSet {
  /// The error for a refused save, with one fault for each model.
  func error(_ refusal: SaveRefusal) -> RoostError {
    let faults = refusal.faults.map { fault in
      SaveFault(
        code: Doorway.code(fault.code), model: fault.entity.flatMap { identifier($0, fault.row) },
        property: fault.property, others: fault.others.compactMap { identifier($0.entity, $0.row) },
        detail: fault.detail)
    }
    return RoostError(
      faults.first?.code ?? .conflict, faults.map(\.description).joined(separator: "; "), underlyingError: refusal,
      faults: faults)
  }

  private func identifier(_ entity: String, _ row: UInt64?) -> PersistentIdentifier? {
    guard let row, row != 0, let place = place(named: entity) else { return nil }
    return stores[place.store].identifier(entity, row)
  }
}

extension StoreSet {
  /// Whether any of the stores has a tracer. Mostly none has.
  var isTraced: Bool { tracers != nil }

  /// The tracer of a model's store.
  func tracer(of model: any _ModelObject.Type) -> Tracer? {
    guard let tracers else { return nil }
    return place(of: model).flatMap { tracers[$0.store] }
  }

  func tracer(of store: GraphStore) -> Tracer? {
    guard let tracers, let place = stores.firstIndex(where: { $0 === store }) else { return nil }
    return tracers[place]
  }
}
