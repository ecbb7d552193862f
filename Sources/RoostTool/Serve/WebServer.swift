import Foundation
import RoostFile

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A small HTTP server on this machine's own address, for the page of `roost serve`.
///
/// It listens on 127.0.0.1 only, and answers only requests that name this address as their host and
/// have the token. A few threads handle one connection each; a connection has one request, and a
/// deadline.
///
/// Unchecked because after `init` only the flag and the number of threads change, which the lock
/// protects.
final class WebServer: @unchecked Sendable {
  let port: UInt16
  let token = WebToken()
  private let listener: Int32
  private let answer: @Sendable (WebRequest) -> WebReply
  private let lock = Lock()
  private var isStopped = false
  private var threadsAtWork = WebServer.threads

  static let threads = 4
  /// The time in which a client must send its request, and the time for receiving the reply.
  private static let seconds = 5

  /// - Parameters:
  ///   - port: 0 for any that is free.
  ///   - answer: Replies to a request that has the token. Several threads call it.
  init(port: UInt16, answer: @escaping @Sendable (WebRequest) -> WebReply) throws {
    self.answer = answer
    #if canImport(Glibc)
      listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard listener >= 0 else { throw Self.failure("there is no socket") }
    _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let socket = listener
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(socket, pointer, length) == 0 && listen(socket, 16) == 0 && getsockname(socket, pointer, &length) == 0
      }
    }
    guard isBound else {
      let error = Self.failure("port \(port) cannot be used")
      _ = close(socket)
      throw error
    }
    self.port = UInt16(bigEndian: address.sin_port)
  }

  private static func failure(_ detail: String) -> StoreError {
    StoreError(.ioError, detail, path: "127.0.0.1", errorNumber: errno)
  }

  var link: String { "http://127.0.0.1:\(port)/?token=\(token.text)" }

  func start() {
    for _ in 0..<Self.threads {
      let thread = Foundation.Thread { [self] in
        while let connection = next() { serve(connection) }
        leave()
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  func stop() {
    lock.withLock { isStopped = true }
    // Wakes the threads. The last one closes the socket, because its number may be reused at once.
    _ = shutdown(listener, Int32(SHUT_RDWR))
    #if canImport(Darwin)
      _ = close(listener)
    #endif
  }

  private func leave() {
    let isLast = lock.withLock {
      threadsAtWork -= 1
      return threadsAtWork == 0
    }
    #if !canImport(Darwin)
      if isLast { _ = close(listener) }
    #endif
  }

  private func next() -> Int32? {
    while true {
      let connection = accept(listener, nil, nil)
      if connection >= 0 { return connection }
      if lock.withLock({ isStopped }) || errno == EBADF || errno == EINVAL { return nil }
      // Too many files are open, or the client left.
      usleep(10_000)
    }
  }

  // MARK: One connection

  private func serve(_ connection: Int32) {
    defer { _ = close(connection) }
    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    var wait = timeval(tv_sec: Self.seconds, tv_usec: 0)
    _ = setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    let reply: WebReply
    do throws(WebRequest.Refusal) {
      guard let head = try head(connection) else { return }
      reply = checked(try WebRequest(head), connection)
    } catch {
      reply = WebReply(status: error.status, error.sentence + ".\n")
    }
    send(reply.bytes, connection)
    // Reads the rest of the client's data, so that the reply is not cut off.
    _ = shutdown(connection, Int32(SHUT_WR))
  }

  /// The bytes up to the empty line; nil if the client left.
  private func head(_ connection: Int32) throws(WebRequest.Refusal) -> [UInt8]? {
    let deadline = ContinuousClock.now + .seconds(Self.seconds)
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let left = (deadline - .now).components
      var place = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
      let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000
      guard milliseconds > 0, poll(&place, 1, Int32(milliseconds)) > 0 else {
        throw WebRequest.Refusal(status: 408, sentence: "The request came too slowly")
      }
      let count = recv(connection, &piece, piece.count, 0)
      guard count > 0 else { return nil }
      let start = max(0, bytes.count - 3)
      bytes += piece.prefix(count)
      if let end = Self.end(bytes, from: start) { return Array(bytes[..<end]) }
      if bytes.count > WebRequest.mostBytes {
        throw WebRequest.Refusal(status: 431, sentence: "The request is too long")
      }
    }
  }

  private static func end(_ bytes: [UInt8], from start: Int) -> Int? {
    var at = start
    while at + 4 <= bytes.count {
      if bytes[at] == 13, bytes[at + 1] == 10, bytes[at + 2] == 13, bytes[at + 3] == 10 { return at }
      at += 1
    }
    return nil
  }

  private func send(_ bytes: [UInt8], _ connection: Int32) {
    var done = 0
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    bytes.withUnsafeBytes { bytes in
      while done < bytes.count {
        let count = Self.sendOnce(connection, bytes.baseAddress! + done, count: bytes.count - done, flags: flags)
        if count <= 0 { return }
        done += count
      }
    }
  }

  /// The method of this class hides the system's function of the same name.
  private static func sendOnce(
    _ connection: Int32, _ bytes: UnsafeRawPointer, count: Int, flags: Int32
  ) -> Int {
    #if canImport(Glibc)
      Glibc.send(connection, bytes, count, flags)
    #elseif canImport(Musl)
      Musl.send(connection, bytes, count, flags)
    #else
      Darwin.send(connection, bytes, count, flags)
    #endif
  }

  // MARK: Authorization

  private var cookieName: String { "roost-\(port)" }

  private func checked(_ request: WebRequest, _ connection: Int32) -> WebReply {
    let host = request.headers["host"]
    guard host == "127.0.0.1:\(port)" || host == "localhost:\(port)" else {
      return WebReply(status: 421, "This server answers for 127.0.0.1 only.\n")
    }
    // Another page must not send requests with this page's cookie. A link that a user follows is
    // allowed.
    if let site = request.headers["sec-fetch-site"], site != "same-origin", site != "none",
      !(request.path == "/" && request.query["token"] != nil)
    {
      return WebReply(status: 403, "Requests from another page are refused.\n")
    }
    if request.path == "/", token.matches(request.query["token"]) {
      var reply = WebReply(status: 303, "")
      reply.headers = [
        ("Location", "/"), ("Set-Cookie", "\(cookieName)=\(token.text); Path=/; HttpOnly; SameSite=Strict"),
      ]
      return reply
    }
    guard token.matches(request.cookie(cookieName)) else {
      return WebReply(status: 403, "The link has no valid token: use the one that 'roost serve' prints.\n")
    }
    return ClientWatch.run(connection) { answer(request) }
  }
}

/// Cancels the work for a client that left, or whose request takes too long.
enum ClientWatch {
  private static let mostSeconds = 30.0

  static func run(_ connection: Int32, _ body: () -> WebReply) -> WebReply {
    let interrupt = CallInterrupt()
    let timer = DispatchSource.makeTimerSource(queue: .global())
    let began = ContinuousClock.now
    timer.setEventHandler {
      #if canImport(Darwin)
        let gone = Int16(POLLHUP)
      #else
        // POLLRDHUP, which is defined for GNU programs only: the client closed its side.
        let gone = Int16(0x2000) | Int16(POLLHUP)
      #endif
      var place = pollfd(fd: connection, events: gone, revents: 0)
      let isGone = poll(&place, 1, 0) > 0 && place.revents & (gone | Int16(POLLERR)) != 0
      if isGone || ContinuousClock.now - began > .seconds(mostSeconds) { interrupt.raise() }
    }
    timer.schedule(deadline: .now() + .milliseconds(50), repeating: .milliseconds(50))
    timer.resume()
    defer { timer.cancel() }
    return CallInterrupt.with(interrupt) { body() }
  }
}
