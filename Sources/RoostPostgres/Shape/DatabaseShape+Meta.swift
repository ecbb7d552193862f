#if Postgres
  internal import Foundation
  internal import Roost
  internal import RoostRecords

  /// The stored shape, and its comparison with the program's models.
  extension DatabaseShape {
    /// The store's identifier, nil for a new one, with the stored shape. Creates the namespace, the
    /// meta table and the table of commits.
    mutating func readMeta(hasNamespace: Bool) throws -> (identifier: String?, shape: StoredShape) {
      // Not `IF NOT EXISTS`: for it the server requires the right to create even if there is
      // nothing to do.
      if !hasNamespace { add("CREATE SCHEMA \(namespace)") }
      let isNew = !there.names.contains(OwnTable.shape.text)
      if isNew {
        add(
          "CREATE TABLE \(namespace).\(OwnTable.shape) (name text PRIMARY KEY, format integer NOT NULL, shape jsonb NOT NULL)"
        )
      }
      if !there.names.contains(OwnTable.commits.text) {
        add(
          "CREATE TABLE \(namespace).\(OwnTable.commits) (zone text NOT NULL, id uuid NOT NULL, "
            + "time timestamptz NOT NULL DEFAULT now(), done boolean NOT NULL, PRIMARY KEY (zone, id))")
        // The first table with zones. All others are colocated with it.
        if stored.isDistributed == true {
          add(Table.distribution(of: OwnTable.commits, in: namespace, with: "default"))
        }
      } else if isNew {
        throw foreign(OwnTable.commits.text)
      }
      for column in ["name", "format", "shape"] where !isNew && there.column(OwnTable.shape.text, column) == nil {
        throw foreign(OwnTable.shape.text)
      }
      try send()
      if isNew { return (nil, stored) }
      let answer = try connection.run("SELECT name, format, shape FROM \(namespace).\(OwnTable.shape)")
      guard answer.count > 0 else { return (nil, stored) }
      let format = answer.integer(0, 1) ?? 0
      if format > Self.format {
        throw PostgresError(
          .newerModels,
          "a newer version of Roost made the tables (format \(format)): update the package in this program")
      }
      let shape = answer.read(0, 2) { bytes in
        bytes.flatMap { try? JSONDecoder().decode(StoredShape.self, from: Data($0.dropFirst())) }
      }
      guard let name = answer.text(0, 0), let shape else {
        throw PostgresError(
          .changedTables,
          "the row of \(OwnTable.shape) cannot be read: another program changed it. Restore it from a backup"
        )
      }
      return (name, shape)
    }

    /// The format of the JSON in the meta table.
    private static let format: Int64 = 1

    func writeMeta(_ known: String?) throws -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.withoutEscapingSlashes]
      let json = Statement.Parameter(type: ColumnType.jsonb.oid, bytes: [1] + Array(try encoder.encode(stored)))
      if let known {
        try connection.run(
          Statement(
            "UPDATE \(namespace).\(OwnTable.shape) SET shape = $1, format = $2", [json, .integer(Int32(Self.format))]))
        return known
      }
      var maker = KeyMaker()
      let name = maker.next().text
      try connection.run(
        Statement(
          "INSERT INTO \(namespace).\(OwnTable.shape) (name, format, shape) VALUES ($1, $2, $3)",
          [.text(name), .integer(Int32(Self.format)), json]))
      return name
    }

    /// Whether the role may write to the table with the shape.
    mutating func mayNote() throws -> Bool {
      try ask(
        "SELECT pg_catalog.has_table_privilege(($1::text)::regclass, 'UPDATE')",
        [.text("\(namespace).\(OwnTable.shape)")]
      ).isTrue(0, 0)
    }

    func foreign(_ table: String) -> PostgresError {
      PostgresError(
        .foreignTables,
        "the schema \(namespace) has a table \(quoted(table)) that another program made: give the configuration another "
          + "namespace, or rename the table")
    }

    // MARK: Versions

    /// Refuses models that are older than those that changed the tables last, and finds the tables
    /// for which they are older.
    ///
    /// A program knows only its own models. So it is older by one of two signs:
    ///
    /// 1. Its version has a lower number than the stored one, and its tables have another form. A program without a version has the
    ///    number 1.0.0. It is refused.
    /// 2. The numbers do not decide, and a table had the form of these models before, but has
    ///    another one now. Such a program changes nothing of the table. It works together with the
    ///    newer program, if it can: see ``isOlder``.
    ///
    /// Models that the table never had are treated as new ones. So a required property can be
    /// removed: the table never had the new form, while the program that still has the property
    /// finds its own form in the list.
    mutating func checkVersion() throws {
      // The plan has compared the versions.
      if stage != nil { return }
      let (version, isVersioned) = (self.version ?? schema.version, self.version != nil)
      for number in tables.tables.indices {
        guard let known = stored.table(of: tables.tables[number].root.name) else { continue }
        let forms = stored.tables[known].forms
        let form = tables.form(number)
        if form == forms.last { continue }
        if let newest = stored.version, version < newest {
          throw PostgresError(
            .newerModels,
            "version \(newest) of the models made the table \(quoted(stored.tables[known].name)), and this program has version "
              + "\(version)\(isVersioned ? "" : ", because it states none"): update the program")
        }
        let isNewer = isVersioned && (stored.version.map { $0 < version } ?? true)
        if !isNewer, forms.contains(form) { older.insert(number) }
      }
    }

    /// Whether the models are older than those that the table followed last.
    func isOlder(_ number: Int) -> Bool { older.contains(number) }

    func newer(_ number: Int, _ detail: String) -> PostgresError {
      PostgresError(
        .newerModels,
        "a program with newer models changed the table \(quoted(tables.tables[number].name.text)): \(detail). Update this program"
      )
    }

    /// The most forms that are stored.
    static let mostForms = 100

    mutating func noteForms() throws {
      // Incomplete tables are no version.
      if stage == .open { return }
      try noteOutlines()
      for number in tables.tables.indices {
        guard let known = stored.table(of: tables.tables[number].root.name), !isOlder(number) else { continue }
        let form = tables.form(number)
        if stored.tables[known].forms.last == form { continue }
        stored.tables[known].forms.removeAll { $0 == form }
        stored.tables[known].forms.append(form)
        stored.tables[known].forms = stored.tables[known].forms.suffix(Self.mostForms)
        stored.tables[known].classes = Set(stored.tables[known].classes).union(
          tables.tables[number].classes.map(\.type.name)
        ).sorted()
      }
      guard let version, stage != nil || stored.version.map({ $0 < version }) ?? true else { return }
      stored.version = version
    }

    /// Stores the outlines of the classes, so that a migration plan finds the version of the
    /// tables.
    ///
    /// A database without outlines gets them when something else changes: a role that only writes
    /// rows may open it.
    private mutating func noteOutlines() throws {
      if stage == nil, let newest = stored.version, (version ?? schema.version) < newest { return }
      let isWhole = version.map { stage != nil || stored.version != $0 } ?? false
      let changed = tables.tables.indices.filter { number in
        guard !isOlder(number), let known = stored.table(of: tables.tables[number].root.name) else { return false }
        return stored.tables[known].outlines != nil || stored.tables[known].forms.last != tables.form(number)
      }
      let outlines = changed.isEmpty && !isWhole ? [:] : try GraphStore.outlines(schema.plans)
      for number in isWhole ? Array(tables.tables.indices) : changed where !isOlder(number) {
        guard let known = stored.table(of: tables.tables[number].root.name) else { continue }
        var noted = stored.tables[known].outlines ?? [:]
        for kind in tables.tables[number].classes { noted[kind.type.name] = outlines[kind.type.name]?.properties }
        stored.tables[known].outlines = noted
      }
      if !isWhole { return }
      let wanted = Set(tables.tables.map(\.root.name))
      for known in stored.tables.indices {
        stored.tables[known].isParked = wanted.contains(stored.tables[known].entity) ? nil : true
      }
    }
  }
#endif
