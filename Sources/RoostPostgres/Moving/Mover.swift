#if Postgres
  internal import Roost

  /// Moves all objects from one side to the other, and compares the two.
  ///
  /// 1. The objects, table by table, with their values and references. A reference to an object
  ///    that is not written yet is left out. If the reference is required, that object is written
  ///    in the same transaction.
  /// 2. The relationships: lists and their order, and the references that were left out.
  /// 3. The comparison. Both sides are read from a fresh snapshot of the target.
  ///
  /// Objects that exist already are not written again, so an interrupted move starts with step 1
  /// again.
  final class Mover {
    private let tables: TableMap
    private let numbers: MoveNumbers
    private let source: any MoveSide
    private let target: any MoveTarget
    private let chunk: Int
    private let progress: (MoveProgress) throws -> Void
    private let order: MoveOrder
    private var moved = 0
    /// The tally of the source; nil until all of it was read.
    private var here: MoveTally?

    init(
      _ tables: TableMap, _ numbers: MoveNumbers, from source: any MoveSide, to target: any MoveTarget, chunk: Int,
      progress: @escaping (MoveProgress) throws -> Void
    ) {
      (self.tables, self.numbers, self.source, self.target) = (tables, numbers, source, target)
      (self.chunk, self.progress) = (max(1, chunk), progress)
      order = MoveOrder(tables)
    }

    func moveObjects() throws { try forEachPage(of: source, .objects) { try insert($1, table: $0) } }

    func connect() throws {
      var tally = MoveTally(tables, numbers)
      try forEachPage(of: source, .relationships) { _, page in
        try target.connect(page, late: lateReferences)
        try tally.add(page)
      }
      here = tally
    }

    /// Throws if the two sides differ.
    func compare(or reason: String) throws -> MoveReport {
      try target.renew()
      var there = MoveTally(tables, numbers)
      if here == nil {
        var tally = there
        try forEachPage(of: source, .comparison) { try tally.add($1) }
        here = tally
      }
      try forEachPage(of: target, .comparison) { try there.add($1) }
      let report = MoveTally.report(here ?? there, there)
      if report.agrees { return report }
      throw MoveError(
        .differs,
        report.models.filter { !$0.agrees }.map(\.name).joined(separator: ", ")
          + " differ between the source and the target. \(reason)", report: report)
    }

    private func forEachPage(
      of side: any MoveSide, _ step: MoveProgress.Step, _ body: (Int, [SnapshotContent]) throws -> Void
    ) throws {
      moved = 0
      for table in order.tables {
        var last: PersistentIdentifier?
        while true {
          let page = try side.page(table, after: last, count: chunk)
          guard let end = page.last else { break }
          last = end.identifier
          try body(table, page)
          moved += page.count
          try progress(MoveProgress(step: step, model: tables.tables[table].root.name, objects: moved))
        }
      }
    }

    // MARK: Objects

    /// The references that the row of an object contains.
    private func references(of content: SnapshotContent) -> [(property: Int, target: PersistentIdentifier)] {
      guard let place = tables.places[content.type.name] else { return [] }
      return tables.tables[place.table].classes[place.place].members.enumerated().compactMap { property, member in
        guard case .reference? = member, case .one(let target?)? = content.link(property) else { return nil }
        return (property, target)
      }
    }

    private func table(_ identifier: PersistentIdentifier) -> Int { tables.places[identifier.entityName]?.table ?? 0 }

    private func lateReferences(of content: SnapshotContent) -> [Int] {
      references(of: content).filter { order.isLate(table(content.identifier), to: table($0.target)) }.map(\.property)
    }

    private func insert(_ page: [SnapshotContent], table: Int) throws {
      var there = try target.present(page.map(\.identifier))
      var chunk = page.filter { !there.contains($0.identifier) }
      there.formUnion(chunk.map(\.identifier))
      /// The objects that some contents reference and that may not exist yet.
      func unsure(_ contents: ArraySlice<SnapshotContent>, isNeeded: Bool) -> [PersistentIdentifier] {
        let all = contents.flatMap { content in
          references(of: content).filter { content.type.mayBeNil($0.property) != isNeeded }.map(\.target)
        }
        return Array(Set(all.filter { !order.isDone(self.table($0), before: table) && !there.contains($0) }))
      }
      var next = chunk[...]
      while !next.isEmpty {
        let wanted = unsure(next, isNeeded: true)
        there.formUnion(try target.present(wanted))
        let loaded = try source.load(wanted.filter { !there.contains($0) })
        there.formUnion(loaded.map(\.identifier))
        let start = chunk.count
        chunk += loaded
        next = chunk[start...]
      }
      if chunk.isEmpty { return }
      there.formUnion(try target.present(unsure(chunk[...], isNeeded: false)))
      for at in chunk.indices {
        for (property, other) in references(of: chunk[at])
        where !there.contains(other) && !order.isDone(self.table(other), before: table) {
          chunk[at].links[chunk[at].form.linkPlaces[property]] = .one(nil)
        }
      }
      try target.insert(chunk)
    }
  }
#endif
