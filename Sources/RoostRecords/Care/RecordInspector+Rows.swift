internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Checks rows and their large values.
extension RecordInspector {
  /// Checks that every row can be read, and that its references are valid. Returns the expected sum
  /// of each index; nil for an index whose entries must be looked up one by one.
  func examineRows(_ shelf: Shelf, _ texts: [TextPrint]) -> [IndexPrint?] {
    let name = shelf.entity.name
    let references = References(shelf, self)
    var expected = [IndexPrint?](repeating: IndexPrint(), count: shelf.indexes.count)
    var isWhole = true
    var key = ByteBuffer()
    trying { () throws(StoreError) in
      try shelf.rows.survey(gap: { _ in isWhole = false }, reach: count) { (number, value) throws(StoreError) in
        let id = RowID(number)
        if number == 0 || number >= shelf.next {
          add(.counter, "the row number is not below the next number, \(shelf.next)", entity: name, row: id)
        }
        guard let values = try read(id, value, shelf: shelf) else {
          isWhole = false
          return
        }
        for (place, (index, _)) in shelf.indexes.enumerated() where index.builtBelow.map({ id < $0 }) ?? true {
          do throws(RecordFault) {
            try shelf.keys(index, id, values: values, key: &key) { standing, bytes in
              // Rows with equal keys, because a text was cut, are compared by their values.
              if standing.isCut { expected[place] = nil }
              expected[place]?.add(bytes, id, isAlone: standing.isAlone, valueBytes: standing.valueBytes)
            }
          } catch { expected[place] = nil }
        }
        for text in texts { text.add(id, values, shelf: shelf) }
        try references.examine(id, values)
      }
    }
    if !isWhole { for text in texts { text.isWhole = false } }
    return isWhole ? expected : expected.map { _ in nil }
  }

  /// Looks up the entry of every row in an index.
  func lookUpEntries(_ index: Index, _ tree: ByteTree, shelf: Shelf) {
    var expected: UInt64 = 0
    var isWhole = true
    var key = ByteBuffer()
    trying { () throws(StoreError) in
      try shelf.rows.survey(gap: { _ in isWhole = false }) { (number, value) throws(StoreError) in
        let id = RowID(number)
        guard index.builtBelow.map({ id < $0 }) ?? true else { return }
        // An unreadable row was already reported.
        guard let bytes = try? value.load(view), let values = try values(id, bytes, shelf: shelf) else {
          isWhole = false
          return
        }
        expected += UInt64(
          try entries(of: id, values, index: index, tree: tree, shelf: shelf, key: &key))
      }
    }
    if isWhole, tree.root.count != expected {
      add(
        .index, "the rows have \(expected) entries in the index, which has \(tree.root.count)",
        entity: shelf.entity.name,
        index: index.name)
    }
  }

  private func read(_ id: RowID, _ value: StoredValue, shelf: Shelf) throws(StoreError) -> Shelf.Values? {
    let bytes: [UInt8]
    do throws(StoreError) { bytes = try value.load(view) } catch {
      add(error)
      return nil
    }
    let result = bytes.withUnsafeBytes { bytes -> Result<Result<Shelf.Values, Shelf.Complaint>, StoreError> in
      do throws(StoreError) { return .success(try shelf.values(id, bytes)) } catch { return .failure(error) }
    }
    switch result {
    case .success(.success(let values)): return values
    case .success(.failure(let complaint)): add(.row, complaint.sentence, entity: shelf.entity.name, row: id)
    case .failure(let error): add(error)
    }
    return nil
  }

  /// The number of entries that the row must have. Reports errors in its entries.
  private func entries(
    of id: RowID, _ values: Shelf.Values, index: Index, tree: ByteTree, shelf: Shelf, key: inout ByteBuffer
  ) throws(StoreError) -> Int {
    let name = shelf.entity.name
    var wanted: [[UInt8]] = []
    do throws(RecordFault) {
      try shelf.keys(index, id, values: values, key: &key) { _, bytes in wanted.append([UInt8](bytes)) }
    } catch {
      add(.index, "the row has no key: \(error.detail)", entity: name, row: id, index: index.name)
      return 0
    }
    for own in wanted {
      do throws(StoreError) {
        key.clear()
        own.withUnsafeBytes { key.append(contentsOf: $0) }
        let found = try tree.withValue(of: ByteKey(key.bytes)) { IndexEntry.row(key.bytes, $0)?.row }
        guard let found else {
          add(.index, "the row is missing", entity: name, row: id, index: index.name)
          continue
        }
        if found != id {
          let other = found.map { "row \($0.number)" } ?? "none"
          add(.index, "the entry of the row references \(other)", entity: name, row: id, index: index.name)
        }
      } catch { add(error) }
    }
    return wanted.count
  }

  /// Checks that every large value is named by its row.
  func examineLarge(_ shelf: Shelf) {
    let name = shelf.entity.name
    var sum = LargeValueSum()
    /// The length that the row of the value in `sum` names.
    var named: UInt64?
    func compare() {
      if let named, named != sum.byteCount {
        add(
          .largeValue, "the large value of field \(sum.field.number) has another length", entity: name, row: sum.row)
      }
      named = nil
    }
    trying { () throws(StoreError) in
      try shelf.large.survey(gap: { _ in named = nil }, reach: count) { (bytes, value) throws(StoreError) in
        guard let key = LargeKey(bytes) else {
          return add(.largeValue, "the key of a large value is unreadable", entity: name)
        }
        let count = value.isExtents ? ExtentList(decoding: value.bytes)?.byteCount ?? 0 : UInt64(value.count)
        if key.piece == 0 { compare() }
        switch sum.add(key, byteCount: count) {
        case .next: return
        case .stray:
          return add(
            .largeValue, "a large value of field \(key.field.number) lacks its piece \(key.piece - 1)", entity: name,
            row: key.row)
        case .first: break
        }
        guard let row = try shelf.row(key.row) else {
          return add(
            .largeValue, "a large value of field \(key.field.number) has no row", entity: name, row: key.row)
        }
        named = row.withUnsafeBytes { shelf.largeLength(of: key.field, $0) }
        if named == nil {
          add(
            .largeValue, "the row does not name its large value of field \(key.field.number)", entity: name,
            row: key.row)
        }
      }
      compare()
    }
  }

}

/// The references in the rows of an entity.
struct References {
  private struct Way {
    var relationship: Relationship
    var field: FieldID
    /// The entity to which it refers, if the reference is checked.
    var target: Shelf?
    /// The order of the referring rows, if one is kept.
    var order: (form: LinkForm, tree: ByteTree, relationship: Relationship)?
  }

  private let ways: [Way]
  private let shelf: Shelf
  private let inspector: RecordInspector

  init(_ shelf: Shelf, _ inspector: RecordInspector) {
    self.shelf = shelf
    self.inspector = inspector
    let catalog = inspector.catalog
    var ways: [Way] = []
    for one in catalog.relationships(of: shelf.entity.id) {
      guard case .one(let field) = one.shape, let inverse = catalog.inverse(of: one) else { continue }
      var way = Way(relationship: one, field: field)
      // With `noAction`, and after a salvage, references to missing rows are allowed.
      if one.traits.isDisjoint(with: [.unchecked, .torn]), inverse.deleteRule != .noAction {
        way.target = inspector.shelves[one.target]
      }
      if inverse.isOrdered, let tree = inspector.bytes(Tables.links(inverse.id)) {
        way.order = (Tables.form(inverse, catalog), tree, inverse)
      }
      ways.append(way)
    }
    self.ways = ways
  }

  func examine(_ id: RowID, _ values: Shelf.Values) throws(StoreError) {
    for way in ways {
      guard case .reference(let target) = shelf.value(way.field, values) else { continue }
      let name = shelf.entity.name
      if let shelf = way.target, try !inspector.contains(target, shelf) {
        inspector.add(
          .reference, "the row references row \(target.number), which does not exist", entity: name, row: id,
          index: way.relationship.name)
      }
      guard let order = way.order, target.number != 0 else { continue }
      do throws(StoreError) {
        // A list in the order of its row numbers has no entries, any other list has one for each
        // row.
        if try LinkDraft.find(target, id, form: order.form, tree: order.tree, relationship: order.relationship) == nil,
          try LinkDraft.holds(target, order.form, tree: order.tree)
        {
          inspector.add(
            .link, "the row is missing in the list of row \(target.number)", entity: name, row: id,
            index: order.relationship.name)
        }
      } catch { inspector.add(error) }
    }
  }
}
