internal import RoostCare
internal import RoostFile
internal import RoostPages
internal import RoostText
internal import RoostTrees

/// The expected content of a full text index, computed from the rows.
final class TextPrint {
  let index: FullTextIndex
  let tree: ByteTree
  /// False if rows cannot be read. Then the index is not compared with them.
  var isWhole = true
  private(set) var expected = TextDigest()
  private let scanner: TextScanner

  init(_ index: FullTextIndex, _ tree: ByteTree) {
    self.index = index
    self.tree = tree
    scanner = TextScanner(index.analyzer)
  }

  /// Adds the texts of a row, if the index covers it.
  func add(_ id: RowID, _ values: Shelf.Values, shelf: Shelf) {
    guard index.builtBelow.map({ id < $0 }) ?? true else { return }
    let texts = index.fields.map { field -> String? in
      if case .string(let text) = shelf.value(field, values) { text } else { nil }
    }
    expected.add(row: id.textNumber, texts: texts, scanner: scanner)
  }
}

/// Checks full text indexes.
extension RecordInspector {
  /// The full text indexes of an entity whose trees exist.
  func textTrees(_ shelf: Shelf) -> [TextPrint] {
    catalog.textIndexes(of: shelf.entity.id).compactMap { index in
      bytes(Tables.words(index.id)).map { TextPrint(index, $0) }
    }
  }

  /// Checks that an index is sound, and has exactly the texts of the rows that it covers.
  func examine(_ print: TextPrint, _ shelf: Shelf) {
    let (name, index) = (shelf.entity.name, print.index)
    func complain(_ sentence: String) { add(.index, sentence, entity: name, index: index.name) }
    do throws(StoreError) {
      // The page walk reports damaged pages and large values.
      try print.tree.survey(gap: { _ in }, reach: count) { (_, _) in }
      let reader = try TextIndexReader(index.definition(shelf.entity), TextTree(print.tree, nil))
      let complaints = reader.verify()
      for complaint in complaints { complain(complaint.sentence) }
      guard complaints.isEmpty, print.isWhole else { return }
      let found = try reader.digest()
      if found.rowCount != print.expected.rowCount {
        complain("\(print.expected.rowCount) rows belong in the full text index, which has \(found.rowCount)")
      } else if found != print.expected {
        complain("the full text index has other words than its rows")
      }
    } catch {
      // A damaged page was already reported. An unreadable entry may be on a sound page.
      if verification.pages.isSound { complain(error.detail) }
    }
  }
}
