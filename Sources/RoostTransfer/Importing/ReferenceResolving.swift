internal import RoostRecords

/// Looks references up that were kept until the import's end, some at a time.
struct ReferenceResolving {
  let kept: [ImportState.Kept]
  private var targets: [RowID?] = []

  init(_ kept: [ImportState.Kept], _ reader: RecordReader) throws {
    self.kept = kept
    let finder = RowFinder(reader)
    for one in kept {
      guard let relationship = reader.catalog.relationship(one.relationship) else {
        targets.append(nil)
        continue
      }
      targets.append(try Self.target(one, FieldBinding.way(relationship.target, reader.catalog), finder))
    }
  }

  /// - Returns: nil too where the key is none any more, because the field has another type now.
  private static func target(
    _ one: ImportState.Kept, _ way: FieldBinding.KeyWay, _ finder: RowFinder
  ) throws -> RowID? {
    do { return try KeyText.value(one.key, way).flatMap { try finder.row($0, way) } } catch is ValueFault {
      return nil
    } catch is RecordFault { return nil }
  }

  /// Sets what can be set, and forgets all of them. Returns those that lead nowhere, or may not lead where they should.
  func store(_ writer: RecordWriter, _ watch: (any ImportWatch)?) throws -> [UnresolvedReference] {
    var unresolved: [UnresolvedReference] = []
    let table = try writer.table(ImportState.references)
    for (one, target) in zip(kept, targets) {
      // A later record may have had its own say, and then this one is gone.
      guard try table.delete(one.id), let relationship = writer.catalog.relationship(one.relationship) else { continue }
      var open = UnresolvedReference(row: one.row.number, property: relationship.name, key: one.key)
      guard let target, try writer.contains(target, relationship.target) else {
        unresolved.append(open)
        continue
      }
      do { try set(relationship, one, target, writer, watch) } catch let fault as RecordFault {
        open.reason = fault.detail
        unresolved.append(open)
      }
    }
    return unresolved
  }

  private func set(
    _ relationship: Relationship, _ kept: ImportState.Kept, _ target: RowID, _ writer: RecordWriter,
    _ watch: (any ImportWatch)?
  ) throws {
    // Somebody may have deleted the row meanwhile.
    guard try writer.contains(kept.row, relationship.entity) else { return }
    guard case .one(let field) = relationship.shape else {
      try writer.links(relationship).append(target, to: kept.row)
      watch?.changed(kept.row, of: relationship.entity)
      watch?.led(target, of: relationship.target)
      return
    }
    let table = try writer.table(relationship.entity)
    guard let name = table.entity.field(field)?.name else { return }
    let slot = try table.slot(name)
    // Who has set it meanwhile knows better.
    guard try table.reference(slot, of: kept.row) == kept.former else { return }
    try table.update(kept.row) { $0.set(slot, reference: target) }
    guard let watch else { return }
    watch.changed(kept.row, of: relationship.entity)
    for other in [kept.former, target] { if let other { watch.led(other, of: relationship.target) } }
  }
}

/// Keys as they are kept until their rows are there.
enum KeyText {
  static func value(_ text: String, _ way: FieldBinding.KeyWay) throws -> Value? {
    let batch = try RecordBatch()
    try Array(text.utf8).withUnsafeBytes { try batch.text.append($0) }
    // So that a number is known to be whole.
    try batch.text.append(Byte.newline)
    var parser = JSONParser(batch, 0..<batch.text.count, TransferLimits())
    _ = try parser.parse()
    let type = RowFinder.type(way, batch.bytes(batch.tokens[0]))
    return try ValueReader(batch).value(at: 0, as: type, isOptional: false).value
  }
}
