#if Postgres
  internal import CPostgres
  internal import Roost
  internal import RoostFile
  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Musl)
    internal import Musl
  #elseif canImport(Darwin)
    internal import Darwin
  #endif

  /// One connection to a server. It belongs to one thread at a time.
  ///
  /// Statements are sent together and answered together (libpq's pipeline mode), so that any number of them takes one round trip.
  package final class Connection {
    private let handle: OpaquePointer
    private let warning = Warning()
    /// The number of round trips, for tests.
    private(set) var roundTrips = 0
    /// How long each round trip may take; nil is forever.
    var patience: Duration?
    /// The limit of the running call.
    private var limit = CallLimit(nil)
    private let canceller: Canceller
    private let pipe: WakePipe

    /// Connects, and waits for the connection.
    ///
    /// - Parameters:
    ///   - address: an address of libpq, a URI or `name=value` pairs. It may contain a password, so
    ///     no error repeats any of it.
    ///   - patience: the time that libpq waits for a host, in whole seconds, at least two. A time
    ///     in the address has precedence.
    package init(_ address: String, patience: Duration? = nil) throws(ServerFault) {
      let secrets = try Self.secrets(address)
      guard let pipe = WakePipe() else { throw ServerFault.noDescriptors }
      guard let handle = Self.connect(address, patience) else {
        throw ServerFault("there is no memory for a connection")
      }
      self.handle = handle
      self.pipe = pipe
      self.patience = patience
      guard PQstatus(handle) == CONNECTION_OK else {
        let message = secrets.reduce(Self.message(handle)) { $0.replacing($1, with: "…") }
        PQfinish(handle)
        throw ServerFault(message, code: .unreachable)
      }
      guard let canceller = Canceller(handle) else {
        PQfinish(handle)
        throw ServerFault("there is no memory for a connection")
      }
      self.canceller = canceller
      // The connection keeps notices in an object, so that libpq does not print them. The object
      // lives as long as the handle.
      _ = PQsetNoticeReceiver(
        handle,
        { holder, result in
          guard let holder, let result else { return }
          Unmanaged<Warning>.fromOpaque(holder).takeUnretainedValue().note(ServerFault(result, statement: nil))
        }, Unmanaged.passUnretained(warning).toOpaque())
      let encoding = PQparameterStatus(handle, "server_encoding").map { String(cString: $0) }
      guard encoding == "UTF8" else {
        PQfinish(handle)
        throw ServerFault(
          "the database has the encoding \(encoding ?? "unknown"): create one with the encoding UTF8",
          code: .wrongEncoding)
      }
      _ = PQsetClientEncoding(handle, "UTF8")
      _ = PQsetnonblocking(handle, 1)
      process = PQbackendPID(handle)
    }

    deinit { PQfinish(handle) }

    private static func connect(_ address: String, _ patience: Duration?) -> OpaquePointer? {
      guard let patience else { return PQconnectdb(address) }
      let seconds = Int32(clamping: patience.components.seconds.advanced(by: 1))
      return address.withCString { address in
        "\(seconds)".withCString { seconds in
          "connect_timeout".withCString { timeout in
            "dbname".withCString { name in
              // The address comes after the parameter, so a time in it has precedence.
              PQconnectdbParams([timeout, name, nil], [seconds, address, nil], 1)
            }
          }
        }
      }
    }

    /// Reads an address. Returns the passwords in it, which no message may repeat.
    private static func secrets(_ address: String) throws(ServerFault) -> [String] {
      let fault = ServerFault(
        "the address cannot be read: write it as postgresql://user@host/database, with %40 for an @ in a name or a password, "
          + "and %2F for a /", code: .badAddress)
      var complaint: UnsafeMutablePointer<CChar>?
      // The complaint may repeat a part of a password.
      guard let parsed = PQconninfoParse(address, &complaint) else {
        PQfreemem(complaint)
        throw fault
      }
      defer { PQconninfoFree(parsed) }
      var secrets: [String] = []
      var option = parsed
      while let keyword = option.pointee.keyword {
        if let text = option.pointee.val.map({ String(cString: $0) }), !text.isEmpty {
          switch String(cString: keyword) {
          case "password", "sslpassword": secrets.append(text)
          // If an @ or a / in a password is not escaped, a part of the password is in these.
          case "host", "hostaddr": if text.contains("@") { throw fault }
          case "port": if text.contains(where: { !$0.isASCII || !$0.isNumber && $0 != "," }) { throw fault }
          default: break
          }
        }
        option += 1
      }
      return secrets
    }

    var isAlive: Bool { !isLost && PQstatus(handle) == CONNECTION_OK }
    /// Whether an answer was incomplete, so that the next one cannot be told apart from it.
    private var isLost = false
    /// The number of the server process.
    let process: Int32
    var isInTransaction: Bool { PQtransactionStatus(handle) != PQTRANS_IDLE }

    private static func message(_ handle: OpaquePointer) -> String {
      let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
      return text.split(separator: "\n").joined(separator: ". ")
    }

    private func lost() -> ServerFault {
      isLost = true
      if let cut = limit.cut { return ServerFault(cut, isLost: true) }
      return ServerFault("the connection to the server was lost: \(Self.message(handle))", isLost: true)
    }

    // MARK: Statements

    @discardableResult
    package func run(_ text: String) throws(ServerFault) -> Answer { try run([Statement(text)])[0] }

    @discardableResult
    func run(_ statement: Statement) throws(ServerFault) -> Answer { try run([statement])[0] }

    /// Runs statements in order. Throws the error of the first one that fails. The server does not
    /// run those after it.
    ///
    /// If the task is cancelled, or ``patience`` is over, the connection asks the server to end the
    /// statement. The server's answer decides which error is thrown. Without an answer, the
    /// connection is lost.
    func run(_ statements: [Statement]) throws(ServerFault) -> [Answer] {
      try run(statements, interrupt: CallInterrupt.current, patience: patience)
    }

    /// If `isStreamed`, `body` gets the rows of the first statement one by one, as long as it
    /// returns true. Then the answer has no rows.
    private func run(
      _ statements: [Statement], interrupt: CallInterrupt?, patience: Duration?, isStreamed: Bool = false,
      each body: (Answer) -> Bool = { _ in true }
    ) throws(ServerFault) -> [Answer] {
      if statements.isEmpty { return [] }
      try begin(interrupt, patience)
      defer { end(interrupt) }
      guard PQenterPipelineMode(handle) == 1 else { throw lost() }
      for statement in statements { try send(statement) }
      guard PQpipelineSync(handle) == 1 else { throw lost() }
      // libpq ends this mode with the statement, but only in a pipeline.
      if isStreamed, PQsetSingleRowMode(handle) != 1 { throw lost() }
      var isWanted = true
      var answers: [Answer] = []
      var fault: ServerFault?
      for number in statements.indices {
        while let result = try nextResult() {
          switch PQresultStatus(result) {
          case PGRES_TUPLES_OK, PGRES_COMMAND_OK: answers.append(Answer(result))
          case PGRES_SINGLE_TUPLE:
            let row = Answer(result)
            if isWanted { isWanted = body(row) }
            limit.renew()
          case PGRES_PIPELINE_ABORTED: PQclear(result)
          default:
            if fault == nil { fault = warning.explained(ServerFault(result, statement: number)) }
            PQclear(result)
            if fault?.isLost == true || !isAlive {
              isLost = true
              throw fault ?? lost()
            }
          }
        }
      }
      // The end of the pipeline.
      if let result = try nextResult() { PQclear(result) }
      guard PQexitPipelineMode(handle) == 1 else { throw fault ?? lost() }
      try close(fault)
      guard answers.count == statements.count else { throw lost() }
      return answers
    }

    /// Runs one statement, and calls `body` with its rows one by one, while the server sends more.
    /// If the body returns false, the other rows are read and dropped.
    ///
    /// It may end early, like ``run(_:)``. ``patience`` begins again with each row.
    func stream(_ statement: Statement, _ body: (Answer) -> Bool) throws(ServerFault) {
      _ = try run([statement], interrupt: CallInterrupt.current, patience: patience, isStreamed: true, each: body)
    }

    // MARK: The limit of a call

    private func begin(_ interrupt: CallInterrupt?, _ patience: Duration?) throws(ServerFault) {
      if interrupt?.isRaised == true { throw ServerFault(.cancelled) }
      limit = CallLimit(patience)
      interrupt?.listen { [pipe] in pipe.wake() }
      roundTrips += 1
      warning.fault = nil
    }

    private func end(_ interrupt: CallInterrupt?) {
      interrupt?.listen(nil)
      pipe.drain()
      limit = CallLimit(nil)
    }

    /// Throws the error of a call that was answered; if the call ended early, the error has the
    /// reason.
    private func close(_ fault: ServerFault?) throws(ServerFault) {
      // A request to cancel that comes late would end the next statement.
      if limit.cut != nil, !canceller.isDone(until: limit.end) { isLost = true }
      guard let fault else {
        // The next statement must not run on another connection, which does not have the
        // transaction.
        if isLost, isInTransaction { throw lost() }
        return
      }
      guard let cut = limit.cut, fault.state == "57014" else { throw fault }
      var ended = ServerFault(cut)
      ended.statement = fault.statement
      throw ended
    }

    // MARK: Copies

    /// The number of bytes that libpq gets at once and keeps in memory.
    private static let pieceBytes = 256 << 10

    /// Sends rows to a table. libpq has no `COPY` in pipeline mode, so it takes its own round trip.
    ///
    /// It may end early, like ``run(_:)``. ``patience`` begins again with each piece that the
    /// server takes.
    func copy(_ copy: Copy) throws(ServerFault) {
      let interrupt = CallInterrupt.current
      try begin(interrupt, patience)
      defer { end(interrupt) }
      guard PQsendQuery(handle, copy.text) == 1, let begun = try nextResult() else { throw lost() }
      let isBegun = PQresultStatus(begun) == PGRES_COPY_IN
      var fault = isBegun ? nil : ServerFault(begun, statement: nil)
      PQclear(begun)
      if isBegun {
        try put(copy.wire.bytes)
        try put(Copy.end)
        while true {
          let isEnded = PQputCopyEnd(handle, nil)
          if isEnded == 1 { break }
          guard isEnded == 0 else { throw lost() }
          try flush()
        }
      }
      while let result = try nextResult() {
        if PQresultStatus(result) != PGRES_COMMAND_OK, fault == nil {
          fault = warning.explained(ServerFault(result, statement: nil))
        }
        PQclear(result)
      }
      if fault?.isLost == true || !isAlive { isLost = true }
      try close(fault)
    }

    private func put(_ bytes: [UInt8]) throws(ServerFault) {
      var start = 0
      while start < bytes.count {
        let count = min(Self.pieceBytes, bytes.count - start)
        let isPut = bytes.withUnsafeBytes { memory in
          PQputCopyData(
            handle, memory.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self), Int32(count))
        }
        guard isPut >= 0 else { throw lost() }
        if isPut == 1 { start += count }
        try flush()
        limit.renew()
      }
    }

    /// Waits until all bytes that libpq has are sent.
    private func flush() throws(ServerFault) {
      while true {
        let isLeft = PQflush(handle)
        if isLeft == 0 { return }
        guard isLeft > 0 else { throw lost() }
        try wait(toWrite: true)
        // The server stops reading if its answers are not read.
        guard PQconsumeInput(handle) == 1 else { throw lost() }
      }
    }

    private func send(_ statement: Statement) throws(ServerFault) {
      let parameters = statement.parameters
      let types = parameters.map(\.type)
      let lengths = parameters.map { Int32(clamping: $0.bytes?.count ?? 0) }
      let formats = parameters.map { _ in 1 as Int32 }
      // One piece of memory contains all values, so that each has a valid address while they are
      // sent.
      var memory: [UInt8] = []
      var places: [Int?] = []
      for parameter in parameters {
        places.append(parameter.bytes == nil ? nil : memory.count)
        memory += parameter.bytes ?? []
        // An empty value has an address too.
        memory.append(0)
      }
      let isSent = memory.withUnsafeBytes { all in
        let values = places.map { place in
          place.flatMap { all.baseAddress?.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
        }
        return PQsendQueryParams(
          handle, statement.text, Int32(parameters.count), types, values, lengths, formats, 1)
      }
      guard isSent == 1 else { throw lost() }
    }

    /// Waits for the next result; nil ends those of a statement.
    private func nextResult() throws(ServerFault) -> OpaquePointer? {
      var isFlushed = false
      while true {
        if !isFlushed {
          let flushed = PQflush(handle)
          if flushed < 0 { throw lost() }
          isFlushed = flushed == 0
        }
        if PQisBusy(handle) == 0 { return PQgetResult(handle) }
        try wait(toWrite: !isFlushed)
        guard PQconsumeInput(handle) == 1 else { throw lost() }
      }
    }

    /// Waits for the server. If the call has to end early, it asks the server to end it, and
    /// continues to wait for the answer.
    private func wait(toWrite: Bool) throws(ServerFault) {
      while true {
        var places = [
          pollfd(fd: PQsocket(handle), events: Int16(POLLIN) | (toWrite ? Int16(POLLOUT) : 0), revents: 0),
          pollfd(fd: pipe.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&places, limit.cut == nil ? 2 : 1, limit.milliseconds)
        if count < 0 {
          if errno == EINTR { continue }
          throw lost()
        }
        let isCancelled = places[1].revents != 0
        if count == 0 || isCancelled {
          guard limit.end(isCancelled: isCancelled) else { throw lost() }
          canceller.send()
        }
        if places[0].revents != 0 { return }
      }
    }

    // MARK: Notices

    /// Waits for a notice of another program, for a byte at another descriptor, or until the time
    /// is over.
    func waitForNotice(
      fromOthersThan client: String, or other: Int32, atMostMilliseconds patience: Int32
    ) throws(ServerFault) {
      while true {
        var isMet = false
        while let notice = PQnotifies(handle) {
          if String(cString: notice.pointee.extra) != client { isMet = true }
          PQfreemem(notice)
        }
        if isMet { return }
        var places = [
          pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0),
          pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&places, 2, patience)
        if count < 0 {
          if errno == EINTR { continue }
          throw lost()
        }
        if count == 0 || places[1].revents != 0 { return }
        guard PQconsumeInput(handle) == 1 else { throw lost() }
      }
    }

    /// Whether a statement of the transaction failed, so that the server refuses all others before a rollback.
    var isFailed: Bool { PQtransactionStatus(handle) == PQTRANS_INERROR }

    /// Undoes a part of a transaction that failed, even if the task was cancelled. If `ofAny`, the
    /// transaction may still be valid; then it has the savepoint.
    func rollback(to savepoint: String, ofAny: Bool = false) {
      guard isAlive, isFailed || ofAny else { return }
      _ = try? run(
        [Statement("ROLLBACK TO SAVEPOINT \(savepoint)"), Statement("RELEASE SAVEPOINT \(savepoint)")], interrupt: nil,
        patience: CallLimit.grace)
    }

    /// Ends a transaction that failed, even if the task was cancelled.
    func rollback() {
      guard isAlive, isInTransaction else { return }
      _ = try? run([Statement("ROLLBACK")], interrupt: nil, patience: CallLimit.grace)
    }
  }

  /// The last warning about a broken rule, such as a foreign key, since the statements were sent.
  ///
  /// Citus warns with it when a worker refuses a `COMMIT`. The error that follows does not contain
  /// the reason.
  private final class Warning {
    var fault: ServerFault?

    func note(_ one: ServerFault) {
      if one.state.hasPrefix("23") { fault = one }
    }

    /// An internal error of the server, with the reason of the warning.
    func explained(_ one: ServerFault) -> ServerFault {
      guard one.state == "XX000", var reason = fault else { return one }
      reason.statement = one.statement
      return reason
    }
  }
#endif
