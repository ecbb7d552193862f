#if Postgres
  /// An error of the server, or of the connection to it. Match on ``code``. Its texts contain no
  /// password.
  public struct PostgresError: Error, CustomStringConvertible, Sendable {
    /// The kinds of errors of a server, or of the connection to it.
    public enum Code: String, Sendable, CaseIterable {
      /// The address cannot be read.
      case badAddress
      /// There is no server at the address, or it does not admit this user.
      case unreachable
      /// The connection was lost before anything was committed. Try again.
      case lost
      /// The connection was lost during a commit, and the server cannot be asked whether it
      /// committed.
      case commitUncertain
      /// The server did not answer within ``PostgresConfiguration/patience``. The call was
      /// cancelled. Try again.
      case timedOut
      /// The role may not do this.
      case noRights
      /// The database does not store text as UTF-8.
      case wrongEncoding
      /// The server has no room on its disk.
      case full
      /// Another program made tables with the names that the models have.
      case foreignTables
      /// Another program changed tables that a Roost program made.
      case changedTables
      /// A program with newer models changed the tables.
      case newerModels
      /// The models need a change of the tables that may lose data without a migration.
      case needsMigration
      /// The tables were made with another rule of zones: see ``PostgresZone``.
      case otherZones
      /// The server refused a statement for another reason.
      case refused
    }

    /// The kind of error, for programs to match on.
    public let code: Code
    /// A sentence for a person: the server's message, and the remedy.
    public let detail: String
    /// The five letters and digits of SQL for the error (SQLSTATE); nil if the server sent no
    /// error.
    public let state: String?

    init(_ code: Code, _ detail: String, state: String? = nil) {
      (self.code, self.detail, self.state) = (code, detail, state)
    }

    init(_ fault: ServerFault) {
      let code: Code =
        switch fault.state {
        case _ where fault.cut != nil: .timedOut
        case "": fault.isLost ? .lost : .unreachable
        case "42501": .noRights
        case "53100": .full
        default: fault.isLost ? .lost : .refused
        }
      let remedy =
        code == .noRights
        ? ". A role needs SELECT on all tables of the store to fetch, and INSERT, UPDATE and DELETE to save: their owner grants them"
        : ""
      self.init(fault.code ?? code, fault.message + remedy, state: fault.sqlState)
    }

    public var description: String { "\(code.rawValue): \(detail)" + (state.map { " (\($0))" } ?? "") }
  }
#endif
