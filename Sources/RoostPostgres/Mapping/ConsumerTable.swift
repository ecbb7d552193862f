#if Postgres
  internal import RoostRecords

  /// The table of consumers: readers of the history that have a name, each with the place up to
  /// which it has read.
  ///
  /// ## Layout
  /// | Column | Content |
  /// |---|---|
  /// | `name` | the consumer's name. The row with the empty name is the *horizon*: the greatest place from which a note was removed |
  /// | `xid`, `number` | the place up to which it has acknowledged everything |
  /// | `start` | for a consumer that started at the latest change: a snapshot; it does not read the snapshot's transactions |
  /// | `time` | when it acknowledged last |
  ///
  /// ## Invariants
  /// 1. No note after the place of a consumer is removed while the consumer can continue.
  /// 2. No note after the horizon was removed. A consumer whose place is before it cannot continue.
  /// 3. Places never move back, except in an erase: it moves consumers whose unread notes are gone
  ///    to a place before the horizon.
  ///
  /// A lock of the server guarantees the first: no consumer begins while notes are removed. Places
  /// that move forward need no lock.
  struct ConsumerTable {
    let namespace: SQLName
    var name: String { "\(namespace).\(OwnTable.consumers)" }

    /// File stores have the same limit.
    static let mostNameBytes = 256
    private static let horizon = ""
    /// In SQL, the newest transaction of the snapshot `s` that has ended together with all older
    /// ones.
    private static let newest = "(pg_snapshot_xmin(s)::text::bigint - 1)::text::xid8"

    /// On Citus the table stays on the coordinator.
    var creation: Statement {
      Statement(
        """
        CREATE TABLE \(name) (name text PRIMARY KEY, xid xid8 NOT NULL, number integer NOT NULL, start text,
          time timestamptz NOT NULL DEFAULT now())
        """)
    }

    // MARK: Locks, until the end of the transaction

    /// Held while notes are removed.
    var lock: Statement { Statement("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [.text(name)]) }
    /// Takes ``lock`` without waiting. The answer is false if another program has it.
    var lockIfFree: Statement {
      Statement("SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))", [.text(name)])
    }
    /// Held while a consumer begins.
    private var sharedLock: Statement {
      Statement("SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))", [.text(name)])
    }

    // MARK: Reading

    /// Reads one consumer and the horizon; without a name, all consumers.
    func reading(_ consumer: String? = nil) -> [Statement] {
      let text = "SELECT name, xid::text::bigint, number, start FROM \(name)"
      return [
        // Read first, so that the number of the next transaction is greater than every place.
        consumer.map { Statement(text + " WHERE name = $1 OR name = ''", [.text($0)]) }
          ?? Statement(text + " ORDER BY name COLLATE \"C\""),
        Statement("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint"),
      ]
    }

    /// Reads the answers to a reading, which are the last of some answers.
    func read(_ answers: [Answer]) -> KnownConsumers {
      let (rows, next) = (answers[answers.count - 2], answers[answers.count - 1])
      var known = KnownConsumers(next: UInt64(clamping: next.integer(0, 0) ?? 0))
      for row in 0..<rows.count {
        guard let name = rows.text(row, 0), let transaction = rows.integer(row, 1), let number = rows.integer(row, 2)
        else { continue }
        let place = ChangePlace(transaction: UInt64(clamping: transaction), number: Int(number))
        if name == Self.horizon {
          known.horizon = place
        } else {
          known.consumers.append(
            KnownConsumer(name: name, place: place, start: rows.text(row, 3).flatMap(StartSnapshot.init)))
        }
      }
      return known
    }

    // MARK: Writing

    /// Adds a consumer, if it is new.
    ///
    /// If `startsLatest`, it reads nothing that is committed now. A place alone cannot express
    /// that, because an older transaction may be open. So the row has a snapshot too.
    func beginning(_ consumer: String, startsLatest: Bool) -> [Statement] {
      let values =
        startsLatest
        ? "SELECT $1, \(Self.newest), \(Int32.max), s::text FROM pg_current_snapshot() AS s"
        : "VALUES ($1, '0'::xid8, 0, NULL)"
      return [
        sharedLock,
        Statement(
          "INSERT INTO \(name) (name, xid, number, start) \(values) ON CONFLICT DO NOTHING", [.text(consumer)]),
      ]
    }

    /// Moves a known consumer forward, if it can continue. A place before the horizon changes
    /// nothing, nor does one that the server does not have yet.
    func acknowledgement(_ consumer: String, _ place: ChangePlace) -> Statement {
      Statement(
        """
        UPDATE \(name) AS known SET xid = $2::text::xid8, number = $3::int, time = now()
        WHERE name = $1 AND (xid, number) < ($2::text::xid8, $3::int)
          AND $2::text::xid8 < pg_snapshot_xmax(pg_current_snapshot())
          AND NOT EXISTS (SELECT 1 FROM \(name) AS horizon
            WHERE horizon.name = '' AND ((horizon.xid, horizon.number) > ($2::text::xid8, $3::int)
              OR known.xid <> '0' AND (horizon.xid, horizon.number) > (known.xid, known.number)))
        """, [.text(consumer)] + Self.parameters(place))
    }

    /// Adds a consumer at a place, or moves it forward to this place.
    func beginning(_ consumer: String, at place: ChangePlace) -> [Statement] {
      [sharedLock, raising(consumer, "VALUES ($1, $2::text::xid8, $3::int)", with: Self.parameters(place))]
    }

    /// Records that notes up to a place may have been removed.
    func raisingHorizon(to place: ChangePlace) -> Statement {
      raising(Self.horizon, "VALUES ($1, $2::text::xid8, $3::int)", with: Self.parameters(place))
    }

    /// Records that all notes were removed. The caller has the lock.
    ///
    /// The horizon cannot be after an older transaction that is still open. A consumer that started
    /// at the latest change while that transaction was open may already be after the horizon, and
    /// its unread notes are gone too. So it is moved before the horizon, and its next reading
    /// throws.
    var raisingHorizonToNewest: [Statement] {
      [
        raising(Self.horizon, "SELECT $1, \(Self.newest), \(Int32.max) FROM pg_current_snapshot() AS s"),
        Statement(
          """
          UPDATE \(name) AS known SET xid = horizon.xid, number = horizon.number - 1 FROM \(name) AS horizon
          WHERE horizon.name = '' AND known.name <> '' AND (known.xid, known.number) >= (horizon.xid, horizon.number)
          """),
      ]
    }

    private func raising(_ consumer: String, _ values: String, with parameters: [Statement.Parameter] = [])
      -> Statement
    {
      Statement(
        """
        INSERT INTO \(name) AS known (name, xid, number) \(values)
        ON CONFLICT (name) DO UPDATE SET xid = excluded.xid, number = excluded.number, time = now()
        WHERE (known.xid, known.number) < (excluded.xid, excluded.number)
        """, [.text(consumer)] + parameters)
    }

    func removal(_ consumer: String) -> Statement {
      Statement("DELETE FROM \(name) WHERE name = $1", [.text(consumer)])
    }

    static func parameters(_ place: ChangePlace) -> [Statement.Parameter] {
      [.text("\(place.transaction)"), .text("\(place.number)")]
    }
  }

  /// The content of the table of consumers.
  struct KnownConsumers {
    /// The number that the next transaction gets.
    let next: UInt64
    var horizon = ChangePlace(transaction: 0, number: 0)
    var consumers: [KnownConsumer] = []

    init(next: UInt64) { self.next = next }

    /// Whether all notes after a place exist. Otherwise they were removed, or the place belongs to
    /// another server.
    func hasAll(after place: ChangePlace) -> Bool { place >= horizon && place.transaction < next }

    func canGoOn(_ consumer: KnownConsumer) -> Bool { consumer.hasReadNothing || hasAll(after: consumer.place) }

    /// The consumer with the earliest place. Its unread notes are kept.
    var slowest: KnownConsumer? { consumers.filter(canGoOn).min { $0.place < $1.place } }
  }

  struct KnownConsumer {
    let name: String
    let place: ChangePlace
    let start: StartSnapshot?

    /// Whether it has acknowledged nothing. Then it begins with the oldest note that is left.
    var hasReadNothing: Bool { place.transaction == 0 }

    /// Whether a transaction was committed when the consumer started at the latest change.
    func skips(_ transaction: UInt64) -> Bool { start?.contains(transaction) == true }
  }

  /// A snapshot of the server, as it writes it: `xmin:xmax:xip,xip`.
  struct StartSnapshot {
    private let end: UInt64
    private let open: Set<UInt64>

    init?(_ text: String) {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 3, let end = UInt64(parts[1]) else { return nil }
      self.end = end
      open = Set(parts[2].split(separator: ",").compactMap { UInt64($0) })
    }

    /// Whether a transaction was committed or aborted before the snapshot.
    func contains(_ transaction: UInt64) -> Bool { transaction < end && !open.contains(transaction) }
  }
#endif
