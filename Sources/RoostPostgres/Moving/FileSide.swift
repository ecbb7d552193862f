#if Postgres
  internal import Roost
  internal import RoostGraph

  /// The file in a move.
  final class FileSide: MoveTarget {
    private let rows: StoreRows
    private let tables: TableMap
    private let numbers: MoveNumbers

    init(_ rows: StoreRows, _ tables: TableMap, numbers: MoveNumbers) {
      (self.rows, self.tables, self.numbers) = (rows, tables, numbers)
    }

    func renew() throws { try rows.renew() }

    func page(_ table: Int, after last: PersistentIdentifier?, count: Int) throws -> [SnapshotContent] {
      try rows.page(of: tables.tables[table].root, after: last.flatMap { numbers.number($0) } ?? 0, count: count)
    }

    func load(_ identifiers: [PersistentIdentifier]) throws -> [SnapshotContent] {
      try Dictionary(grouping: identifiers) { tables.places[$0.entityName]?.table ?? 0 }.flatMap { table, all in
        try rows.load(tables.tables[table].root, rows: all.compactMap { numbers.number($0) })
      }
    }

    func present(_ identifiers: [PersistentIdentifier]) -> Set<PersistentIdentifier> {
      Set(identifiers.filter { numbers.number($0) != nil })
    }

    func insert(_ contents: [SnapshotContent]) throws {
      var new: [StoreRows.NewRow] = []
      for content in contents {
        let row = try rows.reserve(1, of: content.type)
        numbers.note(content.identifier, row: row)
        new.append(StoreRows.NewRow(content, row: row))
      }
      for at in new.indices { new[at].references = references(of: contents[at]) }
      try rows.insert(new, author: "")
    }

    private func references(of content: SnapshotContent, among wanted: [Int]? = nil) -> [(property: Int, row: UInt64?)]
    {
      (wanted ?? content.form.links).compactMap { property in
        guard case .one(let one)? = content.link(property) else { return nil }
        return (property, one.flatMap { numbers.number($0) })
      }
    }

    func connect(_ contents: [SnapshotContent], late: (SnapshotContent) -> [Int]) throws {
      let found = contents.compactMap { content -> StoreRows.NewRow? in
        guard let row = numbers.number(content.identifier) else { return nil }
        var one = StoreRows.NewRow(content, row: row)
        one.references = references(of: content, among: late(content))
        for property in content.form.links {
          guard case .many(let many)? = content.link(property) else { continue }
          one.lists.append((property, many.compactMap { numbers.number($0) }))
        }
        return one
      }
      try rows.connect(found, author: "")
    }
  }
#endif
