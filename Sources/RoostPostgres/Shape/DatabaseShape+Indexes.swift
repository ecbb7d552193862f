#if Postgres
  internal import RoostGraph
  internal import RoostRecords

  /// Indexes for `#Index`. Comparisons use them, and sorting with a limit.
  extension DatabaseShape {
    mutating func bringIndexes(_ number: Int) throws {
      let table = tables.tables[number]
      // The code of a stage may have to fill columns first.
      guard !isOlder(number), stage != .open, let known = stored.table(of: table.root.name) else { return }
      let wanted = table.indexes.map { (columns: $0, paths: tables.indexPaths($0, table)) }
      // The models before the first ones with an index had none.
      let noted = stored.tables[known].indexForms ?? (created.contains(number) ? [] : [form([])])
      guard let forms = newForms(wanted.map(\.paths), noted) else { return }
      // A database works without an index, so a role that may not create it works without it.
      guard try created.contains(number) || isOwner(of: stored.tables[known].name) else { return }
      stored.tables[known].indexForms = forms
      let (before, named) = (stored.tables[known].indexes ?? [], fields(number))
      // An index over a property that the models do not have stays.
      let left = before.filter { index in
        !wanted.contains { $0.paths == index.paths } && index.paths.allSatisfy(named.contains)
      }
      for index in left {
        add("DROP INDEX IF EXISTS \(full(index.index))")
        there.names.remove(index.index)
      }
      // If the models want other indexes now, indexes that another program dropped are created
      // again.
      var now = before.filter { !left.contains($0) && there.names.contains($0.index) }
      for (columns, paths) in wanted where !now.contains(where: { $0.paths == paths }) {
        let index = there.name(table.name.text, columns.map { table.columns[$0].name.text }, kind: "idx")
        // The first texts of a row fill the index entry.
        let texts = columns.filter(table.hasIndexedTexts).dropFirst(IndexedText.most)
        let keys = columns.filter { !texts.contains($0) }.map { column in
          let name = "\(table.columns[column].name)"
          return "(\(table.hasIndexedTexts(column) ? IndexedText.key(name) : name)) NULLS FIRST"
        }
        add(
          "CREATE INDEX \(index) ON \(full(table.name.text)) "
            + "(\(([Table.zone.description] + keys + [Table.key.description]).joined(separator: ", ")))")
        now.append(StoredIndex(index: index.text, paths: paths))
      }
      stored.tables[known].indexes = now
    }

    /// The list of forms with that of these models at its end; nil if there is nothing to do,
    /// because the table has this form or a newer one.
    private func newForms(_ wanted: [[String]], _ forms: [String]) -> [String]? {
      if wanted.isEmpty, forms.isEmpty { return nil }
      let form = form(wanted)
      return forms.contains(form) ? nil : (forms + [form]).suffix(Self.mostForms)
    }

    private func form(_ wanted: [[String]]) -> String {
      Fingerprint.text(wanted.map { $0.joined(separator: ", ") }.sorted())
    }

    /// Whether the role has the rights of a table's owner.
    mutating func isOwner(of table: String) throws -> Bool {
      let answer = try ask(
        """
        SELECT pg_catalog.pg_has_role(c.relowner, 'USAGE') FROM pg_catalog.pg_class AS c
        JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2
        """, [.text(namespace.text), .text(table)])
      return answer.count > 0 && answer.isTrue(0, 0)
    }
  }

  /// A text in an index: its first characters, because an entry has at most 2,700 bytes.
  ///
  /// A condition on whole texts also has a condition on these characters, so that the planner uses
  /// the index.
  enum IndexedText {
    static let length = 160
    /// The most texts that fit into an entry, with a zone and a few numbers.
    static let most = 3

    /// The indexed part of a text in normal form C.
    static func prefix(_ normal: String) -> String { "left(\(normal), \(length)) COLLATE \"C\"" }
    /// The indexed part of a constant.
    static func first(_ value: Value) -> Value? {
      let text: String
      switch value {
      case .string(let known), .url(let known): text = known
      default: return nil
      }
      let scalars = String(decoding: text.composedBytes, as: UTF8.self).unicodeScalars
      return .string(String(scalars.prefix(length)))
    }

    static func key(_ text: String) -> String { prefix("normalize(\(text), NFC)") }
  }
#endif
