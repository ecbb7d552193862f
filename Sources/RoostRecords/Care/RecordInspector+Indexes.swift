internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Checks indexes, beginning with their entries.
extension RecordInspector {
  /// Whether an index has exactly the expected entries.
  func has(_ expected: IndexPrint, _ tree: ByteTree) -> Bool {
    var found = IndexPrint()
    var isWhole = true
    trying { () throws(StoreError) in
      try tree.survey(gap: { _ in isWhole = false }, reach: count) { (key, value) in
        guard isWhole, !value.isExtents else { return isWhole = false }
        key.withUnsafeBytes { bytes in
          guard let (row, valueBytes) = IndexEntry.row(bytes, value.bytes) else { return isWhole = false }
          found.add(bytes, row, isAlone: value.bytes.first == 0, valueBytes: valueBytes)
        }
      }
    }
    return isWhole && found == expected && found.count == tree.root.count
  }

  /// Checks that every entry names a row with this key, and that no two rows of a unique index have
  /// the same values.
  func examine(_ index: Index, _ tree: ByteTree, shelf: Shelf) {
    let name = shelf.entity.name
    var key = ByteBuffer()
    // Rows whose keys are equal because a text was cut.
    var twins: (prefix: [UInt8], rows: [(row: RowID, values: [Value])]) = ([], [])
    trying { () throws(StoreError) in
      try tree.survey(gap: { _ in }, reach: count) { (found, value) throws(StoreError) in
        guard !value.isExtents, let (row, valueBytes) = found.withUnsafeBytes({ IndexEntry.row($0, value.bytes) })
        else { return add(.index, "an entry is unreadable", entity: name, index: index.name) }
        if let end = index.builtBelow, row >= end {
          return add(
            .index, "the row has an entry, although the index is not built that far", entity: name, row: row,
            index: index.name)
        }
        guard let bytes = try shelf.row(row) else {
          return add(.index, "an entry references a row that does not exist", entity: name, row: row, index: index.name)
        }
        // An unreadable row was already reported.
        guard let values = try values(row, bytes, shelf: shelf) else { return }
        var standing: Shelf.Standing?
        do throws(RecordFault) {
          try shelf.keys(index, row, values: values, key: &key) { one, bytes in
            if bytes.elementsEqual(found) { standing = one }
          }
        } catch { return }
        guard let standing else {
          return add(.index, "an entry has other values than its row", entity: name, row: row, index: index.name)
        }
        guard standing.isAlone == (value.bytes.first == 0), standing.valueBytes == valueBytes else {
          return add(.index, "an entry has the wrong form", entity: name, row: row, index: index.name)
        }
        if standing.isCut {
          examineTwins(row, Array(found.prefix(valueBytes)), values: values, index: index, shelf: shelf, twins: &twins)
        }
      }
    }
  }

  func values(_ row: RowID, _ bytes: [UInt8], shelf: Shelf) throws(StoreError) -> Shelf.Values? {
    let result = bytes.withUnsafeBytes { bytes -> Result<Shelf.Values?, StoreError> in
      do throws(StoreError) {
        if case .success(let values) = try shelf.values(row, bytes) { return .success(values) }
        return .success(nil)
      } catch { return .failure(error) }
    }
    // An unreadable value was reported when the rows were read.
    if case .success(let values) = result { return values }
    return nil
  }

  /// The most rows of one key that are compared with each other.
  private static let mostTwins = 100

  private func examineTwins(
    _ row: RowID, _ prefix: [UInt8], values: Shelf.Values, index: Index, shelf: Shelf,
    twins: inout (prefix: [UInt8], rows: [(row: RowID, values: [Value])])
  ) {
    let own = index.parts.map { shelf.value($0.field, values) }
    if twins.prefix != prefix { twins = (prefix, []) }
    if let other = twins.rows.first(where: { $0.values == own }) {
      add(
        .index, "row \(other.row.number) has the same values in a unique index", entity: shelf.entity.name, row: row,
        index: index.name)
    }
    if twins.rows.count < Self.mostTwins { twins.rows.append((row, own)) }
  }
}
