#if Postgres
  internal import Roost
  internal import RoostFile
  internal import RoostGraph

  /// The transaction of a migration, in which all stores of its stages work.
  ///
  /// A call of such a store is a savepoint, so that one that fails leaves the rest of the transaction. Nothing in it connects again, tries
  /// again after a lost connection, or wakes listeners: the server commits all of it at the end, or nothing.
  final class StageTransaction {
    let connection: Connection
    private let check: KeyCheck
    /// How many notes of the history it has.
    private var notes = 0

    private static let savepoint = "roost_stage"
    /// The schema of the server for tables that end with a connection. The store as it was before a transform is kept there.
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

    /// Writes what a save or an import commits.
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
          // The statements may be undone already, and the copied rows are not.
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

    /// Those that this thread migrates.
    @TaskLocal static var places: Set<Place> = []

    /// The code of a stage may not open the database: it would wait for the migration, which waits for the code.
    static func checkThread(_ configuration: PostgresConfiguration) throws {
      guard places.contains(Place(configuration)) else { return }
      throw SwiftDataError.loadIssueModelContainer.about(
        "the schema \(configuration.namespace) is being migrated by this thread: in the code of a migration stage, use the context that "
          + "it gets")
    }
  }
#endif
