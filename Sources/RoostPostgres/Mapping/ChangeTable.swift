#if Postgres
  internal import Foundation
  internal import RoostGraph
  internal import RoostRecords

  /// The table of changes. Each save adds its changes in its own transaction.
  ///
  /// Readers read its rows in the order of the transactions' numbers. A transaction gets its number
  /// before it commits, so one with a smaller number may commit later. So a reading ends before the
  /// oldest transaction that is still open. A reader that continues from its last place misses
  /// nothing.
  struct ChangeTable {
    let namespace: SQLName
    /// Whether Citus distributes it.
    var isDistributed = false
    var name: String { "\(namespace).\(OwnTable.changes)" }
    /// The channel of the notices that listeners wait for.
    var channel: String { "roost_\(namespace.text)" }

    var creation: [Statement] {
      [
        Statement(
          """
          CREATE TABLE IF NOT EXISTS \(name) (zone text NOT NULL, xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
            number integer NOT NULL, id uuid NOT NULL, client uuid NOT NULL, time timestamptz NOT NULL DEFAULT now(),
            author text, class text NOT NULL, kind text NOT NULL, keys uuid[] NOT NULL, properties text[] NOT NULL, kept jsonb,
            PRIMARY KEY (zone, xid, number))
          """),
        Statement("CREATE INDEX IF NOT EXISTS roost_change_xid_idx ON \(name) (xid, number)"),
        Statement("CREATE INDEX IF NOT EXISTS roost_change_time_idx ON \(name) (time)"),
      ]
    }

    // MARK: Writing

    /// Writes notes of one save. The transaction has `count` notes already.
    func insertion(
      _ notes: [ChangeNote], id: UUIDNumber, client: UUIDNumber, author: String?, after count: Int
    ) -> Statement {
      var statement = Statement("")
      let identity = statement.add(.uuid(id))
      let writer = statement.add(.uuid(client))
      let name = statement.add(Statement.Parameter(type: ColumnType.text.oid, bytes: author.map { Array($0.utf8) }))
      let lines = notes.enumerated().map { number, note in
        let values: [Statement.Parameter] = [
          .text(note.zone), .text(note.className), .text(note.kind.rawValue), .uuids(note.keys),
          .texts(note.properties),
          Statement.Parameter(type: ColumnType.jsonb.oid, bytes: note.kept.map { [1] + $0 }),
        ]
        let names = values.map { statement.add($0) }
        return "(\(count + number + 1), \(identity), \(writer), \(name), \(names.joined(separator: ", ")))"
      }
      statement.text =
        "INSERT INTO \(self.name) (number, id, client, author, zone, class, kind, keys, properties, kept) "
        + "VALUES \(lines.joined(separator: ", "))"
      return statement
    }

    /// Makes readers wait until the transaction is committed on all workers.
    ///
    /// If a save writes to several workers, Citus commits in two phases: the coordinator's
    /// transaction ends before those of the workers. A reader in between would continue after notes
    /// that it cannot see yet. The server releases this lock after both phases, and readers wait
    /// for it. If a machine fails between the phases, the notes appear after the recovery, and a
    /// reader may have missed them.
    var holding: Statement { Statement("SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))", [.text(name)]) }
    private var waiting: Statement { Statement("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [.text(name)]) }

    /// Wakes the listeners. It is not part of the transaction, because the server commits
    /// transactions that notify one after the other.
    func notification(_ client: UUIDNumber) -> Statement {
      Statement("SELECT pg_notify($1, $2)", [.text(channel), .text(client.text)])
    }

    // MARK: Reading

    /// The number of the newest transaction that has ended together with all older ones.
    var newest: Statement { Statement("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1") }

    /// Statements that read the notes after a place, in the order of transactions. The first one
    /// returns ``newest``: later notes do not count yet.
    ///
    /// Citus reads the notes on the workers, whose transactions have their own numbers. So the
    /// coordinator determines ``newest`` in an earlier statement. A transaction that had ended then
    /// has ended for the next statement too.
    func reading(after place: ChangePlace, atMost count: Int) -> [Statement] {
      let notes = Statement(
        """
        SELECT xid::text::bigint, number, id, client, extract(epoch FROM time)::float8 - 978307200, author, zone, class, kind, keys,
          properties, kept
        FROM \(name) WHERE (xid, number) > ($1::text::xid8, $2::int)
        ORDER BY xid, number LIMIT \(count)
        """, [.text("\(place.transaction)"), .text("\(place.number)")])
      return [newest] + (isDistributed ? [waiting] : []) + [notes]
    }

    /// The notes in the answers to a reading. Notes of transactions after ``newest`` are left out
    /// until a later reading.
    func read(_ answers: [Answer]) -> [StoredNote] {
      let newest = answers[0].integer(0, 0) ?? 0
      return notes(answers[answers.count - 1]).filter { Int64(clamping: $0.place.transaction) <= newest }
    }

    private func notes(_ answer: Answer) -> [StoredNote] {
      (0..<answer.count).compactMap { row in
        guard let transaction = answer.integer(row, 0), let number = answer.integer(row, 1),
          let id = answer.uuid(row, 2),
          let client = answer.uuid(row, 3), let zone = answer.text(row, 6), let className = answer.text(row, 7),
          let kind = answer.text(row, 8).flatMap(ChangeNote.Kind.init), let keys = answer.uuids(row, 9),
          let properties = answer.texts(row, 10)
        else { return nil }
        let seconds = answer.read(row, 4) { bytes -> Double in
          var reader = bytes.map { WireReader($0) }
          return Double(bitPattern: reader?.take(UInt64.self) ?? 0)
        }
        let kept = answer.read(row, 11) { bytes in bytes.map { [UInt8]($0.dropFirst()) } }
        return StoredNote(
          place: ChangePlace(transaction: UInt64(clamping: transaction), number: Int(number)), id: id, client: client,
          time: Date(timeIntervalSinceReferenceDate: seconds), author: answer.text(row, 5),
          note: ChangeNote(
            zone: zone, className: className, kind: kind, keys: keys, properties: properties, kept: kept))
      }
    }

    // MARK: Removing

    /// The condition for notes that are older than a number of days.
    static func isOlder(than days: Int) -> Condition {
      Condition { "time < now() - make_interval(days => \($0.add(.text("\(days)")))::int)" }
    }

    /// The notes of transactions by their identifiers.
    static func isOne(of transactions: [UUIDNumber]) -> Condition {
      Condition { "id = ANY(\($0.add(.uuids(transactions))))" }
    }

    static var isAny: Condition { Condition { _ in "true" } }

    /// A condition on notes. It adds its values to a statement, and returns the text.
    struct Condition { let write: (inout Statement) -> String }

    /// Whether there are notes for which a condition is true, after one place and up to another.
    func existence(
      _ condition: Condition, after first: ChangePlace? = nil, through last: ChangePlace? = nil
    ) -> Statement {
      var statement = Statement("")
      let text = restricted(condition, after: first, through: last, in: &statement)
      statement.text = "SELECT EXISTS (SELECT 1 FROM \(name) WHERE \(text))"
      return statement
    }

    /// Removes notes up to a place, and returns the greatest place among them.
    func removal(_ condition: Condition, through last: ChangePlace) -> Statement {
      var statement = Statement("")
      let text = restricted(condition, after: nil, through: last, in: &statement)
      statement.text = """
        WITH gone AS (DELETE FROM \(name) WHERE \(text) RETURNING xid, number)
        SELECT xid::text::bigint, number FROM gone ORDER BY gone.xid DESC, gone.number DESC LIMIT 1
        """
      return statement
    }

    private func restricted(
      _ condition: Condition, after first: ChangePlace?, through last: ChangePlace?, in statement: inout Statement
    ) -> String {
      var parts = [condition.write(&statement)]
      for (place, sign) in [(first, ">"), (last, "<=")] {
        guard let place else { continue }
        let (xid, number) = (statement.add(.text("\(place.transaction)")), statement.add(.text("\(place.number)")))
        parts.append("(xid, number) \(sign) (\(xid)::text::xid8, \(number)::int)")
      }
      return parts.joined(separator: " AND ")
    }
  }

  /// Changes of one kind that a save made to objects of one class in one zone.
  struct ChangeNote: Sendable {
    enum Kind: String, Sendable { case insert, update, delete }

    var zone: String
    var className: String
    var kind: Kind
    var keys: [UUIDNumber]
    /// The properties that changed.
    var properties: [String] = []
    /// For deleted objects, a list of JSON objects with the preserved values.
    var kept: [UInt8]?
  }

  /// A place among the notes of all transactions.
  struct ChangePlace: Hashable, Comparable, Sendable {
    var transaction: UInt64
    /// The number of the note in its transaction.
    var number: Int

    static func < (one: ChangePlace, other: ChangePlace) -> Bool {
      (one.transaction, one.number) < (other.transaction, other.number)
    }
  }

  struct StoredNote: Sendable {
    var place: ChangePlace
    var id: UUIDNumber
    /// The container that saved.
    var client: UUIDNumber
    var time: Date
    var author: String?
    var note: ChangeNote
  }
#endif
