internal import RoostRecords

/// Handles rows whose derived values a save changed although their objects did not.
extension Saver {
  /// Computes the derived properties of new and changed objects.
  func computeDerived() {
    for object in changes.changed + changes.inserted {
      guard object._$state.flags.isDisjoint(with: [.deleted, .gone]), let map = object.entityMap else { continue }
      object.computeDerived(map.type)
    }
  }

  /// Computes the derived properties of a row again and checks its class's rules. Returns the
  /// errors.
  ///
  /// Such a row has values of two writers, because a merge or a policy chose between them. So no
  /// object has computed the derived values that fit.
  ///
  /// - Parameters:
  ///   - row: the row.
  ///   - map: the map of its class.
  ///   - tested: the bits of properties that are checked by rules even if they did not change.
  ///   - writer: the transaction.
  func settleMixed(
    _ row: RowID, _ map: EntityMap, tested: UInt64 = 0, writer: RecordWriter
  ) throws -> [GraphFault] {
    let type = map.type
    if type.computed.isEmpty { return [] }
    let table = try writer.table(map.entity.id)
    let (scratch, box) = (Scratch(map, links), SinkBox(map.newest))
    let name = ObjectName(type.name, row.number)
    let wasJudging = exchange(&isJudging, with: true)
    defer { isJudging = wasJudging }
    var faults: [GraphFault] = []
    let isChanged = try table.visit(row) { stored in
      scratch.begin(stored, table)
      defer { scratch.leave() }
      scratch.object.computeDerived(type)
      if let failure = scratch.failure { throw failure }
      let mask = scratch.changed | tested
      if mask == 0 { return false }
      box.sink.builder.load(admitted: stored.bytes)
      scratch.object._$encode(only: scratch.changed, into: &box.sink)
      if let failure = box.sink.failure { throw SaveRefusal(faults: [refusal(failure, name, writer: writer)]) }
      if hasChecks, validates, !isFilling { faults = breaches(box, map, mask: mask, name: name) }
      return scratch.changed != 0
    }
    guard isChanged == true else { return faults }
    do { try table.replace(row, with: &box.sink.builder) } catch let fault as RecordFault {
      throw SaveRefusal(faults: [refusal(fault, name, writer: writer)])
    }
    return faults
  }

  // MARK: Chains

  /// Computes the derived properties of rows whose counts, sums and other values from lists this
  /// transaction changed.
  ///
  /// A computed value may be part of another row's sum. So it repeats until no row changes.
  ///
  /// - Parameters:
  ///   - writer: the transaction.
  ///   - written: rows whose computed values are checked by rules even if they did not change.
  /// - Returns: the errors of rules.
  func settleChains(_ writer: RecordWriter, written: Set<RowName> = []) throws -> [GraphFault] {
    if !store.computes { return [] }
    var faults: [RowName: [GraphFault]] = [:]
    var done = 0
    for round in 0..<Self.mostChained {
      let all = try writingDerived(writer) { try writer.derivedRows() }
      var names = Set(all[done...])
      if round == 0 { names.formUnion(written) }
      if names.isEmpty { return faults.sorted { $0.key < $1.key }.flatMap(\.value) }
      done = all.count
      for name in names.sorted() {
        guard let map = try computing(name, writer) else { continue }
        let tested = written.contains(name) ? store.chainedBits[map.number] : 0
        faults[name] = try settleMixed(name.row, map, tested: tested, writer: writer)
      }
    }
    let last = try writer.derivedRows().last
    let map = try last.flatMap { try computing($0, writer) }
    throw SaveRefusal(faults: [
      GraphFault(
        .badValue,
        "its value still changes after \(Self.mostChained) rounds: the models derive it from each other in a circle, or in "
          + "a longer chain: break the circle", entity: map?.type.name, row: last?.row.number,
        property: map.flatMap { $0.type.computed.first.map($0.type.propertyName) })
    ])
  }

  private static var mostChained: Int { 1000 }

  /// The map of a row's class, if that has computed properties.
  private func computing(_ name: RowName, _ writer: RecordWriter) throws -> EntityMap? {
    guard let home = store.map(of: name.entity) else { return nil }
    guard let family = home.family else { return home.type.computed.isEmpty ? nil : home }
    let number = try writer.table(name.entity).visit(name.row) { family.map(of: $0) } ?? nil
    return number.map { store.maps[$0] }.flatMap { $0.type.computed.isEmpty ? nil : $0 }
  }

  /// Makes the objects of these rows read them again after the commit.
  func noteDerived(_ run: SaveRun) {
    if run.derived.isEmpty { return }
    objects.noteUnread(
      run.derived.compactMap { name in store.map(of: name.entity).flatMap { objects.registered($0, name.row) } })
  }
}
