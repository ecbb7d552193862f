internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Checks links, from both sides.
extension RecordInspector {
  func examineLinks(_ forward: Relationship) {
    guard let tree = bytes(Tables.links(forward.id)), let inverse = catalog.inverse(of: forward) else { return }
    // In an order of references the referring rows are the targets.
    let examiner = LinkExaminer(forward, inverse, form: Tables.form(forward, catalog), tree: tree, inspector: self)
    trying { () throws(StoreError) in
      try tree.survey(gap: { _ in }, reach: count) { (key, value) throws(StoreError) in
        do throws(StoreError) { try examiner.examine(key, value) } catch { add(error) }
      }
    }
    verification.links += examiner.count
  }
}

/// Checks the entries of one tree of links in order.
final class LinkExaminer {
  private let forward: Relationship
  private let form: LinkForm
  private let tree: ByteTree
  private let inspector: RecordInspector
  private let owners: Shelf?
  private let targets: Shelf?
  /// The field that refers to the owner; nil for links.
  private let field: FieldID?
  private let name: String
  private var key = ByteBuffer(capacity: 64)
  private var before: (kind: UInt8, link: Link)?
  /// The number of links, each counted once.
  private(set) var count: UInt64 = 0

  init(
    _ forward: Relationship, _ inverse: Relationship, form: LinkForm, tree: ByteTree, inspector: RecordInspector
  ) {
    self.forward = forward
    self.form = form
    self.tree = tree
    self.inspector = inspector
    owners = inspector.shelves[forward.entity]
    targets = inspector.shelves[forward.target]
    if case .manyByReference(_, let id) = forward.shape { field = id } else { field = nil }
    name = inspector.catalog.entity(forward.entity)?.name ?? ""
  }

  private func add(_ sentence: String, _ link: Link?) {
    inspector.add(.link, sentence, entity: name, row: link?.owner, index: forward.name)
  }

  func examine(_ found: [UInt8], _ value: StoredValue) throws(StoreError) {
    guard !value.isExtents, let kind = found.first,
      var link = found.withUnsafeBytes({ form.link($0, value.bytes) })
    else { return add("a link is unreadable", nil) }
    if kind == 0, form.hasPairs {
      guard let label = try backward(link) else { return add("a link has no pair", link) }
      link.backward = label
    }
    compare(kind, link)
    before = (kind, link)
    guard try isWritten(link, found, value: value, kind: kind) else { return }
    if kind != 0 { return }
    count += 1
    if let targets, try !inspector.contains(link.target, targets) {
      add("a link references row \(link.target.number), which does not exist", link)
    }
    guard let field else {
      if let owners, try !inspector.contains(link.owner, owners) { add("the row has a link, but does not exist", link) }
      return
    }
    if try reference(link.target, field) != link.owner {
      add("row \(link.target.number) is in the list, but does not reference the row", link)
    }
  }

  /// Compares neighbours in the tree, which are neighbours in a list. They must have different
  /// labels, and different rows unless links may repeat.
  private func compare(_ kind: UInt8, _ link: Link) {
    guard let before, before.kind == kind else { return }
    let isForward = kind != 1
    if kind < 2, form.isOrdered(isForward), before.link.row(isForward) == link.row(isForward),
      before.link.label(isForward) == link.label(isForward)
    {
      add("two links of a list have the same position", link)
    }
    // With references a row is in one list, and once.
    let mayRepeat = forward.traits.contains(.repeating)
    if !mayRepeat, before.link.owner == link.owner, before.link.target == link.target {
      add("row \(link.target.number) is linked twice", link)
    }
  }

  private func backward(_ link: Link) throws(StoreError) -> UInt64? {
    form.pair(link.owner, link.target, key: &key)
    key.append(big: link.forward)
    return try tree.withValue(of: ByteKey(key.bytes)) { LinkForm.label($0) } ?? nil
  }

  /// Whether every entry of the link exists, with the right value. This one must have the right
  /// key.
  private func isWritten(
    _ link: Link, _ found: [UInt8], value: StoredValue, kind: UInt8
  ) throws(StoreError) -> Bool {
    for other in form.entries {
      let label = form.key(link, entry: other, &key)
      if other == kind, !key.bytes.elementsEqual(found) {
        add("the key of a link is malformed", link)
        return false
      }
      let isRight = try tree.withValue(of: ByteKey(key.bytes)) { LinkForm.holds(label, $0) }
      if isRight != true {
        add("the two sides of the link to row \(link.target.number) do not agree", link)
        return false
      }
    }
    return true
  }

  private func reference(_ row: RowID, _ field: FieldID) throws(StoreError) -> RowID? {
    guard let targets, let bytes = try targets.row(row) else { return nil }
    let result = bytes.withUnsafeBytes { bytes -> Result<RowID?, StoreError> in
      do throws(StoreError) {
        guard case .success(let values) = try targets.values(row, bytes),
          case .reference(let owner) = targets.value(field, values)
        else { return .success(nil) }
        return .success(owner)
      } catch { return .failure(error) }
    }
    return try result.get()
  }
}
