internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Looks whether rows, indexes, links and references agree: number 6 of the invariants.
///
/// Each row must have its entries; since an index has then as many entries as it should, it has no others. Of links both ends
/// must be there and all keys agree.
extension RecordReader {
  /// What does not agree, in sentences; none where all is well. Errors of the file are thrown.
  package func disagreements(most: Int = 100) throws -> [String] {
    var found: [String] = []
    func note(_ text: String) { if found.count < most { found.append(text) } }
    for entity in catalog.entities { try verify(try table(entity.id), note) }
    for one in catalog.relationships where Tables.hasTree(one) { try verify(one, note) }
    return found
  }

  private func verify(_ table: TableReader, _ note: (String) -> Void) throws {
    let keys = table.indexes.map { IndexKeys($0.index, table.layout) }
    var counts = [Int](repeating: 0, count: keys.count)
    var builder = RowBuilder(table.layout)
    var row = RowBytes()
    var key = ByteBuffer()
    let shift = LayoutShift(table.entity, table.layouts)
    var cursor = try table.cursor()
    var outside = 0
    while try cursor.next() {
      let found = try cursor.row()
      try shift.load(found.bytes, into: &builder)
      let memory = row.make(builder.byteCount)
      try builder.write(to: memory)
      let own = table.layouts[found.version]
      for (member, slot) in zip(own.members, own.slots) where slot.isVariable && !own.isNull(found.start, slot) {
        let (bytes, isOutside) = own.bytes(found.start, slot)
        guard isOutside else { continue }
        outside += 1
        if try table.large(member.id, found.id).count != Int(clamping: bytes.baseAddress?.u64(0) ?? 0) {
          note("row \(found.id.number) of \(table.entity.name) has a large value of another length")
        }
      }
      for (number, index) in table.indexes.enumerated() where index.index.builtBelow.map({ found.id < $0 }) ?? true {
        let stand = try keys[number].make(memory, table.layout, &key) { (slot) throws(StoreError) in
          let at = table.layout.slots.firstIndex { $0.isVariable && $0.position == slot.position }!
          return try table.large(table.layout.members[at].id, found.id)
        }
        if stand == .outside { continue }
        counts[number] += 1
        if stand != .alone { KeyCoding.append(row: found.id, to: &key) }
        if try index.row(key.bytes) != found.id {
          note("row \(found.id.number) of \(table.entity.name) is not in the index \(index.index.name)")
        }
      }
    }
    for (index, count) in zip(table.indexes, counts) where index.count != count {
      note("the index \(index.index.name) of \(table.entity.name) has \(index.count) entries for \(count) rows")
    }
    if table.largeCount != outside {
      note("\(table.entity.name) has \(table.largeCount) large values, and its rows name \(outside)")
    }
  }

  private func verify(_ one: Relationship, _ note: (String) -> Void) throws {
    let form = Tables.form(one, catalog)
    let tree = try linkTree(one.id)
    let (owners, targets) = (try table(one.entity), try table(one.target))
    var reference: FieldAccess?
    if case .manyByReference(_, let field) = one.shape { reference = targets.access(field) }
    var cursor = ByteCursor(tree)
    var counts = [0, 0, 0]
    var isThere = try cursor.first()
    var key = ByteBuffer()
    while isThere, let (bytes, value) = cursor.entry() {
      guard let kind = bytes.bytes.first, var link = form.link(bytes.bytes, value.bytes) else {
        throw LinkDraft.damaged(one)
      }
      counts[Int(kind)] += 1
      if kind == 0, form.hasPairs {
        // The forward key does not hold the other label.
        form.pair(link.owner, link.target, &key)
        key.append(big: link.forward)
        link.backward = try tree.withValue(of: ByteKey(key.bytes)) { LinkForm.label($0) ?? .max } ?? .max
      }
      form.key(link, kind != 0, &key)
      let other = try tree.withValue(of: ByteKey(key.bytes)) { value in form.link(key.bytes, value) }
      let isWhole = other.map { $0?.owner == link.owner && $0?.target == link.target } ?? false
      let name = "the link of \(one.name) from row \(link.owner.number) to row \(link.target.number)"
      if !isWhole { note("\(name) is not seen from both sides") }
      if kind == 0 {
        if let reference {
          let found = try targets.withRow(link.target) { (row) throws(StoreError) in try targets.value(reference, row) }
          if found != .reference(link.owner) { note("\(name) is not what the reference says") }
        } else if try !owners.contains(link.owner) || !targets.contains(link.target) {
          note("\(name) leads from or to nothing")
        }
      }
      isThere = try cursor.next()
    }
    if counts[0] != counts[1] || counts[2] != (form.hasPairs ? counts[0] : 0) {
      note("the links of \(one.name) are \(counts[0]) from one side, \(counts[1]) from the other")
    }
    guard let reference else { return }
    var references = 0
    var rows = try targets.cursor()
    while try rows.next() {
      if case .reference(let row) = try targets.value(reference, rows.row()), row.number != 0 { references += 1 }
    }
    if references != counts[0] { note("\(counts[0]) rows have a place by \(one.name), and \(references) refer to one") }
  }
}
