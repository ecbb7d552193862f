package import RoostFile
package import RoostPages

extension Forest {
  /// Moves pages of all trees, and of the catalog, from the end of the file to lower places.
  package func relocate(_ job: inout Relocation) throws(StoreError) {
    // Large values need places in a row, so they choose first.
    let trees = try reading.all().sorted { $0.descriptor.extents > $1.descriptor.extents }
    for (name, _) in trees {
      guard job.goesOn, let tree = try find(name) else { continue }
      switch tree.trunk {
      case .bytes(let draft): try draft.relocate(&job)
      case .integers(let draft): try draft.relocate(&job)
      }
    }
    try catalog.relocate(&job)
  }
}
