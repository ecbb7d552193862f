#if Postgres
  import Foundation
  import RoostTestSupport
  import Synchronization

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// Passes bytes between clients and the test server, and cuts a connection after a given number of them.
  final class CutProxy: Sendable {
    enum Direction: CaseIterable { case toServer, toClient }

    /// The effect of a cut on a connection.
    enum Cut {
      /// Both sides are closed.
      case both
      /// The client's side is closed. The server gets nothing more, and does not notice.
      case clientOnly
      /// The client's side is closed, and the server gets the client's bytes when
      /// ``CutProxy/release()`` is called.
      case late
    }

    private struct State {
      var passed: [Direction: Int] = [.toServer: 0, .toClient: 0]
      /// The connection is cut after this many more bytes in the direction.
      var limit: (direction: Direction, bytes: Int, cut: Cut)?
      var isRefusing = false
      var delayMicroseconds: UInt32 = 0
      var isReleased = false
      var isEnded = false
      var cuts = 0
    }

    private let state = Mutex(State())
    private let answered = DispatchSemaphore(value: 0)
    private let folder: ScratchFolder
    private let listener = CutProxy.socket()
    private let server: String

    /// The address for clients.
    let address: String

    /// The folder of the test server's socket; nil if it listens elsewhere.
    static func socketFolder() -> String? {
      let address = (try? PostgresServer.shared().address) ?? ""
      return address.split(separator: " ").first { $0.hasPrefix("host=/") }.map { String($0.dropFirst(5)) }
    }

    init() throws {
      let folder = try ScratchFolder()
      self.folder = folder
      let original = try PostgresServer.shared().address
      let port = original.split(separator: " ").first { $0.hasPrefix("port=") }?.dropFirst(5) ?? "5432"
      let socket = ".s.PGSQL.\(port)"
      server = (Self.socketFolder() ?? "") + "/\(socket)"
      address = original.split(separator: " ").map { $0.hasPrefix("host=") ? "host=\(folder.path)" : String($0) }
        .joined(separator: " ")
      let path = folder.file(socket)
      let place = listener
      guard Self.with(path, { bind(place, $0, $1) }) == 0, listen(place, 16) == 0 else {
        throw POSIXError(.EADDRNOTAVAIL)
      }
      let (number, proxy) = (listener, Unowned(self))
      Thread.detachNewThread {
        // Only this thread closes it: another proxy's listener may get the number of a closed
        // descriptor.
        defer { close(number) }
        while true {
          let client = accept(number, nil, nil)
          guard client >= 0 else { return }
          guard let proxy = proxy.value else {
            close(client)
            return
          }
          proxy.serve(client)
        }
      }
    }

    deinit {
      state.withLock { $0.isEnded = true }
      shutdown(listener, Int32(SHUT_RDWR))
    }

    /// The number of bytes that passed.
    func passed(_ direction: Direction) -> Int { state.withLock { $0.passed[direction] ?? 0 } }
    var cuts: Int { state.withLock { $0.cuts } }
    func cut(_ direction: Direction, after bytes: Int, _ cut: Cut = .both) {
      state.withLock { $0.limit = (direction, bytes, cut) }
    }
    func pass() { state.withLock { $0.limit = nil } }
    /// Delays the bytes of clients.
    func delay(milliseconds: UInt32) { state.withLock { $0.delayMicroseconds = 1000 * milliseconds } }
    func refuse(_ isRefusing: Bool) { state.withLock { $0.isRefusing = isRefusing } }
    /// Sends the late bytes, and waits until the server has answered them.
    func release() {
      state.withLock { $0.isReleased = true }
      answered.wait()
      state.withLock { $0.isReleased = false }
    }

    // MARK: Connections

    private func serve(_ client: Int32) {
      if state.withLock({ $0.isRefusing }) {
        close(client)
        return
      }
      let upstream = Self.socket()
      guard Self.with(server, { connect(upstream, $0, $1) }) == 0 else {
        close(client)
        close(upstream)
        return
      }
      Thread.detachNewThread { [weak self] in
        Self.relay(client, upstream) { self }
        shutdown(upstream, Int32(SHUT_RDWR))
        close(upstream)
      }
    }

    private static func relay(_ client: Int32, _ upstream: Int32, _ proxy: () -> CutProxy?) {
      guard let (kept, cut) = pass(client, upstream, proxy) else { return }
      hold(upstream, kept, cut, proxy)
    }

    /// Passes bytes until the connection ends, or is cut only on the client's side. Closes the
    /// client's side. Returns the bytes that the server did not get.
    private static func pass(_ client: Int32, _ upstream: Int32, _ proxy: () -> CutProxy?) -> (kept: [UInt8], cut: Cut)?
    {
      var kept: [UInt8] = []
      var isClientClosed = false
      func closeClient() {
        if isClientClosed { return }
        // A process that was started meanwhile may have the socket too.
        shutdown(client, Int32(SHUT_RDWR))
        close(client)
        isClientClosed = true
      }
      defer { closeClient() }
      while true {
        var places = [
          pollfd(fd: client, events: Int16(POLLIN), revents: 0),
          pollfd(fd: upstream, events: Int16(POLLIN), revents: 0),
        ]
        if poll(&places, 2, 50) < 0, errno != EINTR { return nil }
        guard let proxy = proxy() else { return nil }
        if proxy.state.withLock({ $0.isEnded }) { return nil }
        for (at, direction) in [(0, Direction.toServer), (1, .toClient)] where places[at].revents != 0 {
          let (from, to) = at == 0 ? (client, upstream) : (upstream, client)
          var bytes = [UInt8](repeating: 0, count: 65536)
          // So few bytes that a cut is missed by at most one message.
          let got = read(from, &bytes, bytes.count)
          if got <= 0 { return nil }
          if direction == .toServer { usleep(proxy.state.withLock { $0.delayMicroseconds }) }
          let (count, cut) = proxy.take(direction, got)
          writeAll(to, bytes[..<count])
          guard let cut else { continue }
          if cut == .late { kept = Array(bytes[count..<got]) }
          if cut == .both { return nil }
          // All other bytes that the client sent are late too.
          var more = [UInt8](repeating: 0, count: 65536)
          if cut == .late {
            var place = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
            while poll(&place, 1, 20) > 0 {
              let got = read(client, &more, more.count)
              if got <= 0 { break }
              kept += more[..<got]
            }
          }
          return (kept, cut)
        }
      }
    }

    /// Keeps the server's side open until the proxy ends, or until the bytes are released. It does not keep the proxy: a transaction that stays
    /// open would hide the newest history from all tests.
    private static func hold(_ upstream: Int32, _ kept: [UInt8], _ cut: Cut, _ proxy: () -> CutProxy?) {
      var bytes = [UInt8](repeating: 0, count: 65536)
      var isSent = cut != .late
      var answer: [UInt8] = []
      while let proxy = proxy(), !proxy.state.withLock({ $0.isEnded }) {
        if !isSent, proxy.state.withLock({ $0.isReleased }) {
          writeAll(upstream, kept[...])
          isSent = true
        }
        var place = pollfd(fd: upstream, events: Int16(POLLIN), revents: 0)
        if poll(&place, 1, 10) <= 0 { continue }
        let got = read(upstream, &bytes, bytes.count)
        if got <= 0 { return }
        answer += bytes[..<got]
        // The server's message that it is ready for the next statement.
        if cut == .late, answer.count >= 6, answer[answer.count - 6] == UInt8(ascii: "Z") { proxy.answered.signal() }
      }
    }

    /// Counts bytes. Returns how many of them pass, and whether the connection is cut after them.
    private func take(_ direction: Direction, _ count: Int) -> (count: Int, cut: Cut?) {
      state.withLock { state in
        guard let limit = state.limit, limit.direction == direction else {
          state.passed[direction, default: 0] += count
          return (count, nil)
        }
        if limit.bytes >= count {
          state.limit = (direction, limit.bytes - count, limit.cut)
          state.passed[direction, default: 0] += count
          // At the end of the bytes there is nothing to wait for.
          if limit.bytes > count { return (count, nil) }
        }
        state.limit = nil
        state.cuts += 1
        return (min(limit.bytes, count), limit.cut)
      }
    }

    private static func writeAll(_ place: Int32, _ bytes: ArraySlice<UInt8>) {
      var rest = bytes
      while !rest.isEmpty {
        let done = rest.withUnsafeBytes { send(place, $0.baseAddress, $0.count, noSignal) }
        if done <= 0 { return }
        rest = rest.dropFirst(done)
      }
    }

    #if canImport(Darwin)
      private static let noSignal: Int32 = 0
    #else
      private static let noSignal = Int32(MSG_NOSIGNAL)
    #endif

    private static func socket() -> Int32 {
      #if canImport(Glibc)
        Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      #elseif canImport(Musl)
        Musl.socket(AF_UNIX, SOCK_STREAM, 0)
      #else
        Darwin.socket(AF_UNIX, SOCK_STREAM, 0)
      #endif
    }

    private static func with(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let capacity = MemoryLayout.size(ofValue: address.sun_path)
      withUnsafeMutableBytes(of: &address.sun_path) { memory in
        for (at, byte) in path.utf8.prefix(capacity - 1).enumerated() { memory[at] = byte }
      }
      return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
    }
  }

  /// `@unchecked Sendable`: the reference is only read.
  private final class Unowned: @unchecked Sendable {
    private(set) weak var value: CutProxy?
    init(_ value: CutProxy) { self.value = value }
  }
#endif
