#if Postgres
  internal import Roost
  internal import RoostRecords

  /// The row in the table `roost_move` that records a finished push.
  struct MoveMark {
    private let store: PostgresStore
    private let source: String
    private var name: String { "\(store.namespace).\(OwnTable.moves)" }

    /// `sources` are the identifiers of the file's stores.
    init(_ store: PostgresStore, sources: Set<String>) {
      self.store = store
      source = sources.sorted().joined(separator: " ")
    }

    /// The time when the push of this file ended; nil if it has not ended yet. Throws if the tables
    /// have other rows.
    func time(_ keys: [MoveKeys]) throws -> String? {
      let bounds = keys.map(\.bounds)
      let answers = try store.run(
        [
          Statement(
            "CREATE TABLE IF NOT EXISTS \(name) (source text PRIMARY KEY, time timestamptz NOT NULL DEFAULT now())"),
          Statement(
            "SELECT to_char(time AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI UTC') FROM \(name) WHERE source = $1",
            [.text(source)]),
        ]
          + bounds.enumerated().flatMap { table, bounds in
            [
              Statement("SELECT EXISTS (SELECT 1 FROM \(store.full(table)))"),
              Statement(
                "SELECT EXISTS (SELECT 1 FROM \(store.full(table)) WHERE \(Table.key) < $1 OR \(Table.key) > $2)",
                [.uuid(bounds.least), .uuid(bounds.greatest)]),
            ]
          })
      let isEmpty = stride(from: 2, to: answers.count, by: 2).allSatisfy { !answers[$0].isTrue(0, 0) }
      if answers[1].count > 0 {
        if !isEmpty { return answers[1].text(0, 0) ?? "" }
        // The program emptied the tables to push again.
        _ = try store.run([Statement("DELETE FROM \(name) WHERE source = $1", [.text(source)])])
        return nil
      }
      let others = bounds.indices.filter { answers[2 + 2 * $0 + 1].isTrue(0, 0) }
      if others.isEmpty { return nil }
      throw MoveError(
        .notEmpty,
        "the tables of \(others.map { store.tables.tables[$0].root.name }.joined(separator: ", ")) in the namespace "
          + "\(store.namespace) have rows that are not of this file: push into another namespace, or empty them first")
    }

    func set() throws {
      _ = try store.run([
        Statement("INSERT INTO \(name) (source) VALUES ($1) ON CONFLICT DO NOTHING", [.text(source)])
      ])
    }
  }
#endif
