#if Postgres
  internal import Roost
  internal import RoostFile
  internal import RoostGraph

  /// The transaction of a migration, which all stores of its stages use.
  ///
  /// A call of such a store is a savepoint, so a failed call leaves the rest of the transaction
  /// intact. No store reconnects, repeats a call after a lost connection, or wakes listeners: the
  /// server commits all of the transaction at the end, or nothing.
  final class StageTransaction {
    let connection: Connection
    private let check: KeyCheck
    /// The number of notes for the history in it.
    private var notes = 0

    private static let savepoint = "roost_stage"
    /// The server's schema for temporary tables. It contains a copy of the store as it was before a
    /// transform.
    static let frozen = "pg_temp"

    init(_ connection: Connection, _ check: KeyCheck) { (self.connection, self.check) = (connection, check) }

    /// Checks the foreign keys of the rows that the code of stages wrote, so that tables can be changed.
    func checkKeys() throws(ServerFault) { _ = try connection.run(check.preparation + check.statements) }

    /// Counts notes of the history, and returns how many there were before.
    func note(_ count: Int) -> Int {
      defer { notes += count }
      return notes
    }

    // MARK: Statements

    func run(_ statements: [Statement]) throws(ServerFault) -> [Answer] {
      guard connection.isAlive else { throw lost }
      do throws(ServerFault) {
        let answers = try connection.run(
          [Statement("SAVEPOINT \(Self.savepoint)")] + statements + [Statement("RELEASE SAVEPOINT \(Self.savepoint)")])
        return Array(answers.dropFirst().dropLast())
      } catch {
        connection.rollback(to: Self.savepoint)
        var fault = error
        fault.statement = error.statement.map { $0 - 1 }
        throw fault
      }
    }

    /// Writes the statements that a save or an import commits.
    func commit(
      _ copies: [Copy], _ statements: [Statement], error: (ServerFault, Int?) -> any Error
    ) throws -> [Answer] {
      do throws(ServerFault) {
        if copies.isEmpty { return try write(statements) }
        guard connection.isAlive else { throw lost }
        try connection.run("SAVEPOINT roost_copy")
        do throws(ServerFault) {
          try connection.run("SET CONSTRAINTS ALL DEFERRED")
          for copy in copies { try connection.copy(copy) }
          let answers = try write(statements)
          try connection.run("RELEASE SAVEPOINT roost_copy")
          return answers
        } catch {
          // A rollback of the statements leaves the copied rows.
          connection.rollback(to: "roost_copy", ofAny: true)
          throw error
        }
      } catch let fault {
        if fault.isLost || fault.cut != nil { throw fault.error(". Nothing of the migration was committed") }
        throw error(fault, fault.statement)
      }
    }

    /// Rows may be written in any order. Their foreign keys are checked at the end, so that the save itself fails.
    private func write(_ statements: [Statement]) throws(ServerFault) -> [Answer] {
      do throws(ServerFault) {
        let answers = try run(
          [Statement("SET CONSTRAINTS ALL DEFERRED")] + statements + check.statements)
        return Array(answers.dropFirst().dropLast(check.statements.count))
      } catch {
        var fault = error
        fault.statement = error.statement.map { $0 - 1 }
        throw fault
      }
    }

    private var lost: ServerFault {
      ServerFault("the connection to the server was lost in a migration", code: .lost, isLost: true)
    }

    // MARK: Places

    /// A schema of a database.
    struct Place: Hashable, Sendable {
      private let address: ServerAddress
      private let namespace: String

      init(_ configuration: PostgresConfiguration) {
        (address, namespace) = (configuration.address, configuration.namespace)
      }
    }

    /// The schemas that this thread migrates.
    @TaskLocal static var places: Set<Place> = []

    /// The code of a stage must not open the database: it would wait for the migration, which waits
    /// for the code.
    static func checkThread(_ configuration: PostgresConfiguration) throws {
      guard places.contains(Place(configuration)) else { return }
      throw SwiftDataError.loadIssueModelContainer.about(
        "the schema \(configuration.namespace) is being migrated by this thread: in the code of a migration stage, use the context that "
          + "it gets")
    }
  }
#endif
