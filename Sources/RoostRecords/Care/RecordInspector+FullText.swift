internal import RoostFile
internal import RoostPages
internal import RoostText
internal import RoostTrees

/// Full text indexes.
extension RecordInspector {
  /// The trees of an entity's full text indexes.
  func textTrees(_ entity: Entity) -> [(FullTextIndex, ByteTree)] {
    catalog.textIndexes(of: entity.id).compactMap { index in
      bytes(Tables.words(index.id)).map { (index, $0) }
    }
  }

  /// An index is sound in itself, and has exactly the rows that it covers.
  func examine(_ index: FullTextIndex, _ tree: ByteTree, shelf: Shelf) {
    let name = shelf.entity.name
    let before = verification.findings.count
    trying { () throws(StoreError) in
      // The walk reads each page once, so damaged pages are told.
      try tree.survey(gap: { _ in }, reach: count) { (_, _) in }
      let reader = try TextIndexReader(index.definition(shelf.entity), TextTree(tree, nil))
      for complaint in reader.verify() {
        add(.index, complaint.sentence, entity: name, index: index.name)
      }
      if verification.findings.count > before { return }
      let covered = try shelf.rows.count(from: 0, to: index.builtBelow?.number)
      if covered != reader.statistics.rowCount {
        add(
          .index, "\(covered) rows belong in the full text index, which has \(reader.statistics.rowCount)",
          entity: name, index: index.name)
      }
    }
  }
}
