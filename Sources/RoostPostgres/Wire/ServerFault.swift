#if Postgres
  internal import CPostgres
  internal import Roost

  /// An error of the server or the connection for a statement.
  package struct ServerFault: Error, CustomStringConvertible {
    /// Five letters and digits that SQL defines (SQLSTATE); empty if the connection failed.
    var state: String
    var message: String
    var constraint: String?
    var table: String?
    /// The number of the failed statement among those that were sent together; nil if it is not
    /// known.
    var statement: Int?
    /// The code for the program, if the state does not determine it.
    var code: PostgresError.Code?
    /// Whether the connection is lost, so that the outcome on the server is unknown.
    var isLost = false
    /// Whether nothing was sent, because the container was closed.
    var isClosed = false
    /// The reason why the call ended early; nil if it did not.
    var cut: CallLimit.Cut?

    package var description: String { state.isEmpty ? message : "\(message) (\(state))" }

    /// The state; nil if the server sent none.
    var sqlState: String? { state.isEmpty ? nil : state }

    /// Whether the transaction may succeed if it is repeated: after a deadlock, or a serialization
    /// failure.
    var isTransient: Bool { state == "40001" || state == "40P01" }

    init(_ message: String, code: PostgresError.Code? = nil, isLost: Bool = false) {
      (state, self.message, self.code, self.isLost) = ("", message, code, isLost)
    }

    /// The error of a call that ended early.
    init(_ cut: CallLimit.Cut, isLost: Bool = false) {
      self.init(cut.text, isLost: isLost)
      self.cut = cut
    }

    static var noDescriptors: ServerFault {
      ServerFault("the process cannot open another file: raise its limit (ulimit -n)", code: .unreachable)
    }

    /// The state of a statement that the server knows, but does not support.
    static let notSupported = "0A000"

    static var closed: ServerFault {
      var fault = ServerFault("the container was closed: make a new one")
      fault.isClosed = true
      return fault
    }

    /// The error that a program gets. `remark` is appended to the message.
    func error(_ remark: String = "") -> any Error {
      if cut == .cancelled { return CancellationError() }
      if isClosed { return RoostError(.closed, message) }
      var said = self
      if state == Self.notSupported, message.contains("row-level security") {
        said.message += ": import as the owner of the tables, or as a role with BYPASSRLS"
      }
      said.message += remark
      return PostgresError(said)
    }

    /// The error in a result.
    init(_ result: OpaquePointer, statement: Int?) {
      func field(_ letter: Unicode.Scalar) -> String? {
        PQresultErrorField(result, Int32(letter.value)).map { String(cString: $0) }
      }
      state = field("C") ?? ""
      message = [field("M"), field("D"), field("H")].compactMap { $0 }.joined(separator: ". ")
      constraint = field("n")
      table = field("t")
      self.statement = statement
      // 57P01 to 57P03: the server ends the connection itself.
      // 08P01: the statement itself is invalid.
      isLost = state.hasPrefix("08") && state != "08P01" || state.hasPrefix("57P")
    }
  }
#endif
