internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// The tree of a relationship's links while a transaction changes it. Both sides of the
/// relationship share it.
///
/// ## Invariants
/// 1. Each link has one entry for each of its keys, and they agree.
/// 2. Within a list no two links have one label.
final class LinkDraft {
  let form: LinkForm
  /// The side whose rows are the owners.
  let relationship: Relationship
  let draft: ByteTreeDraft
  @exclusivity(unchecked) private var key = ByteBuffer(capacity: 64)
  /// The label of the last link in the list of the last append.
  @exclusivity(unchecked) private var tails: (forward: Tail?, backward: Tail?) = (nil, nil)
  /// The number of entries put or removed so far. Tests measure the cost of appending and
  /// relabelling with it.
  @exclusivity(unchecked) private(set) var edits = 0

  struct Tail {
    var row: RowID
    var label: UInt64
  }

  #if DEBUG
    /// Leaves out the entry of the target's list: see ``Omission/linkBack``.
    var omitsBack = false
  #endif

  init(_ form: LinkForm, _ relationship: Relationship, draft: ByteTreeDraft) {
    self.form = form
    self.relationship = relationship
    self.draft = draft
  }

  static func damaged(_ relationship: Relationship) -> StoreError {
    StoreError(.damaged, "the links of the relationship \(relationship.name) do not agree")
  }

  private var damaged: StoreError { Self.damaged(relationship) }

  // MARK: Reading

  /// The first link between two rows.
  static func find(
    _ owner: RowID, _ target: RowID, form: LinkForm, tree: ByteTree, relationship: Relationship
  ) throws(StoreError) -> Link? {
    var key = ByteBuffer(capacity: 64)
    form.pair(owner, target, key: &key)
    var cursor = ByteCursor(tree)
    guard try cursor.seek(ByteKey(key.bytes)), let (found, value) = cursor.entry() else { return nil }
    guard found.begins(with: key.bytes) else { return nil }
    guard let link = form.link(found.bytes, value.bytes) else { throw damaged(relationship) }
    return link
  }

  /// Whether an owner has links.
  static func holds(_ owner: RowID, _ form: LinkForm, tree: ByteTree) throws(StoreError) -> Bool {
    var key = ByteBuffer(capacity: 64)
    form.prefix(owner, true, key: &key)
    var cursor = ByteCursor(tree)
    guard try cursor.seek(ByteKey(key.bytes)), let (found, _) = cursor.entry() else { return false }
    return found.begins(with: key.bytes)
  }

  func find(_ owner: RowID, _ target: RowID) throws(StoreError) -> Link? {
    try Self.find(owner, target, form: form, tree: draft.tree, relationship: relationship)
  }

  /// The range of a row's list in the tree.
  func bounds(_ row: RowID, _ isForward: Bool) throws(StoreError) -> (start: UInt64, end: UInt64) {
    form.prefix(row, isForward, key: &key)
    let start = try draft.tree.rank(of: ByteKey(key.bytes))
    key.goBehindPrefix()
    return (start, max(start, try draft.tree.rank(of: ByteKey(key.bytes))))
  }

  /// The links of a row's list at these positions.
  func links(
    _ row: RowID, _ isForward: Bool, positions: Range<Int>? = nil
  ) throws(StoreError) -> [Link] {
    let (start, end) = try bounds(row, isForward)
    let wanted = (positions ?? 0..<Int(clamping: end - start)).clamped(to: 0..<Int(clamping: end - start))
    var found: [Link] = []
    if wanted.isEmpty { return found }
    var cursor = ByteCursor(draft.tree)
    var isThere = try cursor.move(to: start + UInt64(wanted.lowerBound))
    while isThere, found.count < wanted.count, let (key, value) = cursor.entry() {
      guard let link = form.link(key.bytes, value.bytes) else { throw damaged }
      found.append(link)
      isThere = try cursor.next()
    }
    guard found.count == wanted.count else { throw damaged }
    if form.hasPairs, isForward { for index in found.indices { try complete(&found[index]) } }
    return found
  }

  /// Looks up the label that a forward key lacks.
  private func complete(_ link: inout Link) throws(StoreError) {
    form.pair(link.owner, link.target, key: &key)
    key.append(big: link.forward)
    let label = try draft.tree.withValue(of: ByteKey(key.bytes)) { LinkForm.label($0) }
    guard let label, let label else { throw damaged }
    link.backward = label
  }

  // MARK: Changing

  /// Links two rows, at a position in each list; nil means the end.
  func add(_ owner: RowID, _ target: RowID, forward: Int? = nil, backward: Int? = nil) throws(StoreError) {
    var link = Link(owner: owner, target: target)
    link.forward = try label(owner, true, position: forward)
    link.backward = try label(target, false, position: backward)
    try put(link)
  }

  func put(_ link: Link) throws(StoreError) {
    try put(link, isForward: true)
    #if DEBUG
      if !omitsBack { try put(link, isForward: false) }
    #else
      try put(link, isForward: false)
    #endif
    guard form.hasPairs else { return }
    form.pair(link.owner, link.target, key: &key)
    key.append(big: link.forward)
    try store(link.backward)
  }

  private func put(_ link: Link, isForward: Bool) throws(StoreError) {
    form.key(link, isForward, key: &key)
    try store(form.hasPairs && !isForward ? link.forward : nil)
  }

  /// Writes an entry under the key in `key`.
  private func store(_ label: UInt64?) throws(StoreError) {
    edits += 1
    var failure: StoreError?
    withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { memory in
      memory.baseAddress!.set64(0, label ?? 0)
      let value = UnsafeRawBufferPointer(rebasing: memory[..<(label == nil ? 0 : 8)])
      do throws(StoreError) { try draft.put(ByteKey(key.bytes), value) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  func remove(_ link: Link) throws(StoreError) {
    if tails.forward?.row == link.owner { tails.forward = nil }
    if tails.backward?.row == link.target { tails.backward = nil }
    form.key(link, true, key: &key)
    try drop()
    form.key(link, false, key: &key)
    try drop()
    guard form.hasPairs else { return }
    form.pair(link.owner, link.target, key: &key)
    key.append(big: link.forward)
    try drop()
  }

  private func drop() throws(StoreError) {
    edits += 1
    guard try draft.remove(ByteKey(key.bytes)) else { throw damaged }
  }

  /// Moves a link to another position in one of its lists. The position is counted without it.
  func move(_ link: Link, _ isForward: Bool, to position: Int) throws(StoreError) {
    try remove(link)
    var moved = link
    // Making room may give the other links of both lists new labels, but not this one, which is now
    // in no list.
    let label = try label(link.row(isForward), isForward, position: position)
    if isForward { moved.forward = label } else { moved.backward = label }
    try put(moved)
  }

  // MARK: Labels

  /// A label for a new link at a position in a list. Makes room if there is none.
  private func label(_ row: RowID, _ isForward: Bool, position: Int?) throws(StoreError) -> UInt64 {
    guard form.isOrdered(isForward) else { return 0 }
    let known = isForward ? tails.forward : tails.backward
    if position == nil, let known, known.row == row, let next = Labels.behind(known.label) {
      note(row, isForward, label: next)
      return next
    }
    for _ in 0..<2 {
      let (start, end) = try bounds(row, isForward)
      let count = Int(clamping: end - start)
      let at = min(position ?? count, count)
      let near = try links(row, isForward, positions: max(at - 1, 0)..<min(at + 1, count)).map { $0.label(isForward) }
      let before = at > 0 ? near.first : nil
      let behind = at < count ? near.last : nil
      if let label = Labels.between(before, behind) {
        if at == count { note(row, isForward, label: label) } else { forget(row, isForward) }
        return label
      }
      guard let crowded = before ?? behind else { throw damaged }
      try makeRoom(row, isForward, at: crowded)
    }
    throw damaged
  }

  private func note(_ row: RowID, _ isForward: Bool, label: UInt64) {
    if isForward { tails.forward = Tail(row: row, label: label) } else { tails.backward = Tail(row: row, label: label) }
  }

  private func forget(_ row: RowID, _ isForward: Bool) {
    if isForward, tails.forward?.row == row { tails.forward = nil }
    if !isForward, tails.backward?.row == row { tails.backward = nil }
  }

  /// Spreads the links around a label: the smallest range that leaves enough room.
  private func makeRoom(_ row: RowID, _ isForward: Bool, at label: UInt64) throws(StoreError) {
    tails = (nil, nil)
    let (listStart, _) = try bounds(row, isForward)
    for bits in Labels.leastBits...Labels.bits {
      let low = label & ~((1 << UInt64(bits)) - 1)
      let start = try rank(row, isForward, label: low)
      let end = try rank(row, isForward, label: low + (1 << UInt64(bits)))
      guard listStart <= start, start < end else { throw damaged }
      let count = Int(clamping: end - start)
      guard count < Labels.capacity(bits) else { continue }
      let first = Int(clamping: start - listStart)
      let crowded = try links(row, isForward, positions: first..<first + count)
      for link in crowded { try remove(link) }
      let step = (UInt64(1) << UInt64(bits)) / UInt64(count)
      for (index, link) in crowded.enumerated() {
        var spread = link
        let label = low + step * UInt64(index) + step / 2
        if isForward { spread.forward = label } else { spread.backward = label }
        try put(spread)
      }
      return
    }
    throw StoreError(.valueTooLarge, "the list of row \(row.number) by \(relationship.name) has too many links")
  }

  private func rank(_ row: RowID, _ isForward: Bool, label: UInt64) throws(StoreError) -> UInt64 {
    form.prefix(row, isForward, key: &key)
    key.append(big: label)
    return try draft.tree.rank(of: ByteKey(key.bytes))
  }
}

/// Labels number the positions in an order so that there is nearly always a free one between two.
///
/// New labels at either end keep a fixed distance. If two neighbours have no room between them, the
/// smallest aligned range of labels around them that is not too full is spread evenly. A range of
/// 2^b labels may hold (2 / 1.4)^b links: the wider, the emptier. So a range that was just spread
/// takes as many inserts as it has links before it is full again. Inserts at one position move
/// O(log n) other links each, over time.
enum Labels {
  static let bits = 62
  static let leastBits = 6
  static let distance: UInt64 = 1 << 32
  /// All labels are below this.
  static let end: UInt64 = 1 << 62
  /// The label of the first link of a list that is written at once, far from both ends.
  static let first = end / 2

  /// The distance between the links of such a list, which leaves room for as many again.
  static func step(_ count: Int) -> UInt64 { min(distance, end / 2 / UInt64(count + 1)) }

  static func capacity(_ bits: Int) -> Int {
    var capacity = 1.0
    for _ in 0..<bits { capacity *= 2 / 1.4 }
    return Int(capacity)
  }

  static func behind(_ label: UInt64) -> UInt64? { label < end - distance ? label + distance : nil }

  /// A label between two neighbours, which may be missing; nil if there is no room.
  static func between(_ before: UInt64?, _ behind: UInt64?) -> UInt64? {
    switch (before, behind) {
    case (nil, nil): return first
    case (let before?, nil):
      if let far = Self.behind(before) { return far }
      return before + 1 < end ? before + (end - before) / 2 : nil
    case (nil, let behind?):
      if behind > distance { return behind - distance }
      return behind > 0 ? behind / 2 : nil
    case (let before?, let behind?):
      return behind > before && behind - before > 1 ? before + (behind - before) / 2 : nil
    }
  }
}
