internal import RoostPages
internal import RoostQuery
internal import RoostRecords

extension GraphStore {
  /// Computes the derived properties of stored objects if the properties are new or their version
  /// changed. If it is interrupted, the next opening repeats it.
  package func fillComputed() throws {
    if !computes || records.store.options.readOnly { return }
    let waiting = try records.read { reader in
      reader.catalog.derivations.filter(\.isWaiting)
    }
    let entities = Set(waiting.map(\.entity))
    for map in maps where map.isHome && entities.contains(map.entity.id) {
      let graph = GraphContext(self)
      defer { graph.close() }
      graph.saver.isFilling = true
      // A bulk update computes the derived properties.
      _ = try graph.updateRows(RowChoice(map, Query(map.entity.name, where: map.condition()))) { _ in }
    }
    if waiting.isEmpty { return }
    try records.write { writer in
      try writer.change { catalog in
        for one in waiting where catalog.derivation(of: one.field, in: one.entity) == one {
          var filled = one
          filled.text = one.computation
          catalog.remove(derivationOf: one.field, in: one.entity)
          try catalog.add(filled)
        }
      }
    }
  }
}
