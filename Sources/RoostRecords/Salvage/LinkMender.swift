internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Makes the entries of one tree of links agree again.
///
/// Each link has entries for both sides, so one side restores the other. If its position in a list
/// is lost too, it becomes the last one there.
final class LinkMender {
  private let forward: Relationship
  private let mender: TreeMender
  private let links: LinkDraft
  private let form: LinkForm
  private let owners: Shelf
  private let targets: Shelf
  /// The field that refers to the owner; nil for links.
  private let field: FieldID?
  private var key = ByteBuffer(capacity: 64)

  init(_ forward: Relationship, _ mender: TreeMender, links: LinkDraft) throws(StoreError) {
    self.forward = forward
    self.mender = mender
    self.links = links
    form = links.form
    guard let owner = mender.catalog.entity(forward.entity), let target = mender.catalog.entity(forward.target) else {
      throw LinkDraft.damaged(forward)
    }
    owners = try mender.shelf(owner)
    targets = try mender.shelf(target)
    if case .manyByReference(_, let id) = forward.shape { field = id } else { field = nil }
  }

  func run() throws(StoreError) {
    try joinHalves()
    try renewTangled()
    if field != nil { try completeOrders() }
  }

  // MARK: Halves

  /// Removes entries of missing rows, and restores the lost entries of a link from the others.
  private func joinHalves() throws(StoreError) {
    var dead: [[UInt8]] = []
    var halves: [Link] = []
    try each { (found, _, kind, link) throws(StoreError) in
      guard let kind, var link, try isAlive(link) else { return dead.append(found) }
      if kind == 0, form.hasPairs {
        guard let label = try backward(link) else { return }
        link.backward = label
      }
      if try !isWhole(link) { halves.append(link) }
    }
    try mender.remove(dead, from: links.draft)
    for link in halves { try links.put(link) }
  }

  /// Visits all entries in order, with their decoded links if they can be read.
  private func each(
    _ body: (_ key: [UInt8], _ value: StoredValue, _ kind: UInt8?, _ link: Link?) throws(StoreError) -> Void
  ) throws(StoreError) {
    var cursor = ByteCursor(links.draft.tree)
    var isThere = try cursor.first()
    while isThere, let (key, value) = cursor.entry() {
      let found = [UInt8](key.bytes)
      let link = value.isExtents ? nil : found.withUnsafeBytes { form.link($0, value.bytes) }
      try body(found, value, found.first, link)
      isThere = try cursor.next()
    }
  }

  private func isAlive(_ link: Link) throws(StoreError) -> Bool {
    if let field { return try targets.reference(field, of: link.target) == link.owner }
    guard try owners.contains(link.owner) else { return false }
    return try targets.contains(link.target)
  }

  /// The label in the target's list, from the entry of the pair or of that list.
  private func backward(_ link: Link) throws(StoreError) -> UInt64? {
    let tree = links.draft.tree
    form.pair(link.owner, link.target, key: &key)
    key.append(big: link.forward)
    if let label = try tree.withValue(of: ByteKey(key.bytes), { LinkForm.label($0) }) ?? nil { return label }
    form.prefix(link.target, false, key: &key)
    var cursor = ByteCursor(tree)
    var isThere = try cursor.seek(ByteKey(key.bytes))
    while isThere, let (found, value) = cursor.entry(), found.begins(with: key.bytes) {
      if !value.isExtents, let other = form.link(found.bytes, value.bytes), other.owner == link.owner,
        other.forward == link.forward
      {
        return other.backward
      }
      isThere = try cursor.next()
    }
    return nil
  }

  private func isWhole(_ link: Link) throws(StoreError) -> Bool {
    let tree = links.draft.tree
    for entry in form.entries {
      let label = form.key(link, entry: entry, &key)
      let isRight = try tree.withValue(of: ByteKey(key.bytes)) { LinkForm.holds(label, $0) }
      if isRight != true { return false }
    }
    return true
  }

  // MARK: Contradictions

  private struct Pair: Hashable {
    var owner: RowID
    var target: RowID
  }

  /// Entries from pages that no sound reference names may be old, or have a wrong byte. If the
  /// entries of two rows contradict each other, all of them are removed, and the link becomes the
  /// last one in both lists.
  private func renewTangled() throws(StoreError) {
    var tangled: [Pair: Int] = [:]
    var before: (kind: UInt8, link: Link)?
    let mayRepeat = forward.traits.contains(.repeating)
    try each { (_, _, kind, link) throws(StoreError) in
      guard let kind, var link else { return }
      var isRight = true
      if kind == 0, form.hasPairs {
        form.pair(link.owner, link.target, key: &key)
        key.append(big: link.forward)
        let label = try links.draft.tree.withValue(of: ByteKey(key.bytes)) { LinkForm.label($0) } ?? nil
        isRight = label != nil
        link.backward = label ?? 0
      }
      if isRight { isRight = try isWhole(link) }
      if isRight, let before, before.kind == kind {
        let isForward = kind != 1
        isRight =
          (mayRepeat || before.link.owner != link.owner || before.link.target != link.target)
          && !(kind < 2 && form.isOrdered(isForward) && before.link.row(isForward) == link.row(isForward)
            && before.link.label(isForward) == link.label(isForward))
      }
      before = (kind, link)
      if !isRight { tangled[Pair(owner: link.owner, target: link.target)] = 0 }
    }
    for pair in tangled.keys {
      let keys = try entries(of: pair)
      tangled[pair] = mayRepeat ? max(1, keys.count { $0.first == 0 }) : 1
      try mender.remove(keys, from: links.draft)
    }
    for (pair, count) in tangled.sorted(by: { ($0.key.owner, $0.key.target) < ($1.key.owner, $1.key.target) }) {
      for _ in 0..<count { try links.add(pair.owner, pair.target) }
    }
  }

  /// The keys of all entries of two rows.
  private func entries(of pair: Pair) throws(StoreError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    for kind in 0..<(form.hasPairs ? 3 : 2) {
      if kind == 2 { form.pair(pair.owner, pair.target, key: &key) }
      if kind < 2 { form.prefix(kind == 0 ? pair.owner : pair.target, kind == 0, key: &key) }
      var cursor = ByteCursor(links.draft.tree)
      var isThere = try cursor.seek(ByteKey(key.bytes))
      while isThere, let (found, value) = cursor.entry(), found.begins(with: key.bytes) {
        if let link = form.link(found.bytes, value.bytes), link.owner == pair.owner, link.target == pair.target {
          keys.append([UInt8](found.bytes))
        }
        isThere = try cursor.next()
      }
    }
    return keys
  }

  // MARK: Orders

  /// Adds the missing referring rows to each stored order.
  private func completeOrders() throws(StoreError) {
    guard let field else { return }
    var cursor = IntegerCursor(targets.rows)
    var isThere = try cursor.first()
    while isThere {
      let row = RowID(cursor.key)
      if let owner = try targets.reference(field, of: row), owner.number != 0, try links.find(owner, row) == nil,
        try LinkDraft.holds(owner, form, tree: links.draft.tree)
      {
        try links.add(owner, row)
        try mender.forest.transaction.relieve()
      }
      isThere = try cursor.next()
    }
  }
}
