#if Postgres
  internal import Foundation
  internal import Roost
  internal import RoostFile
  internal import RoostRecords

  /// Consumers of the history. Also removes old history that all consumers have read.
  extension PostgresStore: ConsumedHistory {
    package typealias Transaction = PostgresHistoryTransaction

    private var consumers: ConsumerTable { ConsumerTable(namespace: namespace) }

    /// Most transactions have at most this many notes, so a request for a few transactions reads no
    /// more.
    private static let notesPerTransaction = 4
    private static let mostAtOnce = 1000

    package func position(of consumer: String) throws -> PostgresHistoryToken? {
      let consumer = try checked(consumer)
      let known = consumers.read(try asking(consumers.reading(consumer)))
      return known.consumers.first.map { PostgresHistoryToken(identifier, $0.place) }
    }

    package func changes(
      for consumer: String, atMost limit: Int, startsLatest: Bool
    ) throws -> [PostgresHistoryTransaction] {
      let known = try begin(consumer, startsLatest: startsLatest)
      var found: [PostgresHistoryTransaction] = []
      let most = limit < Self.mostAtOnce / Self.notesPerTransaction ? Self.notesPerTransaction * limit : Self.mostAtOnce
      try eachTransaction(after: known.place, notesAtOnce: most) { transaction in
        if !known.skips(transaction.token.place.transaction) { found.append(transaction) }
        return found.count < limit
      }
      return found
    }

    /// Returns the state of a consumer that can continue. Adds the consumer if it is new.
    private func begin(_ consumer: String, startsLatest: Bool) throws -> KnownConsumer {
      let consumer = try checked(consumer)
      var all = consumers.read(try asking(consumers.reading(consumer)))
      if all.consumers.isEmpty {
        let statements = consumers.beginning(consumer, startsLatest: startsLatest) + consumers.reading(consumer)
        all = consumers.read(try asking(statements))
      }
      guard let known = all.consumers.first else {
        throw RoostError(.conflict, "another program removed the consumer \"\(consumer)\" meanwhile: read again")
      }
      if all.canGoOn(known) { return known }
      throw expired(
        "changes that the consumer \"\(consumer)\" has not read were removed, or its place is on another server")
    }

    package func acknowledge(_ token: PostgresHistoryToken, by consumer: String) throws {
      let consumer = try checked(consumer)
      guard token.store == identifier else {
        throw SwiftDataError.historyTokenExpired.about(
          "the token belongs to another store: acknowledge a transaction of this container")
      }
      let place = token.place
      let all = consumers.read(
        try asking([consumers.acknowledgement(consumer, place)] + consumers.reading(consumer)))
      let known = all.consumers.first
      // A place before the position is no error, even if it is unknown.
      if let known, known.place > place { return }
      guard all.hasAll(after: place) else {
        throw expired("changes after the token were removed, or the token belongs to another server")
      }
      if let known, !all.canGoOn(known) {
        throw expired("changes that the consumer \"\(consumer)\" had not acknowledged were removed")
      }
      if known == nil { _ = try asking(consumers.beginning(consumer, at: place)) }
    }

    package func forget(_ consumer: String) throws -> Bool {
      let consumer = try checked(consumer)
      return try asking([consumers.removal(consumer)])[0].changedRows > 0
    }

    package var consumerNames: [String] {
      get throws {
        try checkHistory()
        return consumers.read(try asking(consumers.reading())).consumers.map(\.name)
      }
    }

    // MARK: Errors

    /// A consumer's name in normal form C, so that each spelling of it names the same one.
    private func checked(_ consumer: String) throws -> String {
      try checkHistory()
      let consumer = String(decoding: consumer.composedBytes, as: UTF8.self)
      let fault: String
      if consumer.isEmpty {
        fault = "the consumer's name is empty: give it a name"
      } else if consumer.utf8.count > ConsumerTable.mostNameBytes {
        fault = "a consumer's name has at most \(ConsumerTable.mostNameBytes) bytes of UTF-8"
      } else if consumer.utf8.contains(0) {
        fault = "a consumer's name has a NUL character, which PostgreSQL cannot store: give it another name"
      } else {
        return consumer
      }
      throw RoostError(.badValue, fault)
    }

    func checkHistory() throws {
      try CallInterrupt.check()
      if configuration.historyDays != nil { return }
      throw RoostError(
        .historyOff, "the configuration keeps no history: set PostgresConfiguration.historyDays to a number of days")
    }

    private func expired(_ what: String) -> any Error {
      SwiftDataError.historyTokenExpired.about(
        "\(what). Call remove(), then changes() of a consumer that starts at .latest, and then fetch the models again")
    }

    private func asking(_ statements: [Statement]) throws -> [Answer] {
      do { return try run(statements) } catch let error as PostgresError { throw explained(error) }
    }

    private func explained(_ error: PostgresError) -> PostgresError {
      // The table does not exist.
      if error.state == "42P01" {
        return PostgresError(
          .noRights,
          "\(error.detail). An earlier version of Roost made the tables: start a program once as the role that owns them, which makes "
            + "this one", state: error.state)
      }
      guard error.code == .noRights else { return error }
      return PostgresError(
        .noRights,
        "\(error.detail). A consumer needs SELECT on \(consumers.name) to read, and INSERT and UPDATE for its first reading and to "
          + "acknowledge", state: error.state)
    }

    // MARK: Removing

    /// Removes notes, except those that a consumer has not read. Returns the name of the slowest
    /// consumer if some notes are kept for it.
    ///
    /// If `waits`, it waits for another program that is removing notes. Otherwise it returns and
    /// leaves the work to that program.
    func removeNotes(_ condition: ChangeTable.Condition, waits: Bool = true) throws -> [String] {
      do throws(ServerFault) {
        let answers = try ask(
          [
            Statement("BEGIN ISOLATION LEVEL READ COMMITTED"), waits ? consumers.lock : consumers.lockIfFree,
            changes.newest,
          ] + consumers.reading())
        if !waits, !answers[1].isTrue(0, 0) {
          connection?.rollback()
          return []
        }
        let slowest = consumers.read(answers).slowest
        let newest = ChangePlace(
          transaction: UInt64(clamping: answers[2].integer(0, 0) ?? 0), number: Int(Int32.max))
        let limit = min(slowest?.place ?? newest, newest)
        let removed = try ask([
          changes.removal(condition, through: limit),
          changes.existence(condition, after: limit, through: newest),
        ])
        var end: [Statement] = []
        if let transaction = removed[0].integer(0, 0), let number = removed[0].integer(0, 1) {
          let place = ChangePlace(transaction: UInt64(clamping: transaction), number: Int(number))
          end.append(consumers.raisingHorizon(to: place))
        }
        _ = try ask(end + [Statement("COMMIT")])
        return removed[1].isTrue(0, 0) ? slowest.map { [$0.name] } ?? [] : []
      } catch {
        connection?.rollback()
        let known = error.error()
        throw (known as? PostgresError).map { explained($0) as any Error } ?? known
      }
    }

    /// Removes notes that are older than the configuration's `historyDays`.
    ///
    /// It is not part of a save, so a role that may save but not remove notes can save. If it
    /// fails, the next call removes them.
    func prune() {
      guard let days = configuration.historyDays else { return }
      _ = try? removeNotes(ChangeTable.isOlder(than: days), waits: false)
    }
  }
#endif
