import Foundation
import RoostRecords
import RoostTestSupport
import Testing

@testable import RoostTool

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The server of `roost serve`, with requests through sockets.
@Suite(.timeLimit(.minutes(5))) struct ServeTests {
  private let folder: ScratchFolder
  private let path: String
  private let server: WebServer

  init() throws {
    folder = try ScratchFolder()
    path = folder.file("music.roost")
    _ = try RowsFixture.make(path, tracks: 230)
    let answers = try WebAnswers(path)
    server = try WebServer(port: 0) { answers.answer($0) }
    server.start()
  }

  private struct Reply {
    var status = 0
    var headers = ""
    var body = ""
  }

  /// Sends bytes and reads the whole answer.
  private func exchange(_ text: String) throws -> Reply {
    let client = Self.client(server.port)
    defer { close(client) }
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(client, &piece, piece.count, 0)
      guard count > 0 else { break }
      all += piece.prefix(count)
    }
    let parts = String(decoding: all, as: UTF8.self).components(separatedBy: "\r\n\r\n")
    return Reply(
      status: Int(parts[0].split(separator: " ").dropFirst().first ?? "0") ?? 0, headers: parts[0],
      body: parts.dropFirst().joined(separator: "\r\n\r\n"))
  }

  private var cookie: String { "Cookie: roost-\(server.port)=\(server.token.text)\r\n" }
  private var host: String { "Host: 127.0.0.1:\(server.port)\r\n" }

  private func get(_ target: String, headers: String? = nil) throws -> Reply {
    try exchange("GET \(target) HTTP/1.1\r\n\(headers ?? host + cookie)\r\n")
  }

  private func object(_ target: String) throws -> [String: Any] {
    let reply = try get(target)
    #expect(reply.status == 200, "\(target) \(reply)")
    return try #require(try JSONSerialization.jsonObject(with: Data(reply.body.utf8)) as? [String: Any], "\(reply)")
  }

  private func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
  }

  // MARK: Answers

  @Test func `the link gives a cookie, and the page is complete`() throws {
    defer { server.stop() }
    let target = String(server.link.dropFirst("http://127.0.0.1:\(server.port)".count))
    let first = try get(target, headers: host)
    #expect(first.status == 303 && first.headers.contains("HttpOnly; SameSite=Strict"), "\(first)")
    let page = try get("/")
    #expect(page.status == 200 && page.body.contains("<script src=\"/page.js\" defer>"))
    #expect(page.headers.contains("Content-Security-Policy: default-src 'none'; script-src 'self'"))
    #expect(page.headers.contains("X-Content-Type-Options: nosniff") && !page.headers.contains("Access-Control"))
    // Nothing is loaded from elsewhere, and no text of a store becomes markup.
    for target in ["/", "/page.css", "/page.js"] {
      let body = try get(target).body
      #expect(!body.contains("http://") && !body.contains("https://") && !body.contains("innerHTML"), "\(target)")
    }
  }

  @Test func `entities, rows by pages, one row, history, plan and sizes`() throws {
    defer { server.stop() }
    let entities = try #require(try object("/api/store")["entities"] as? [[String: Any]])
    #expect(entities.map { $0["name"] as? String } == ["Album", "Tag", "Track"])
    #expect(entities.map { $0["rows"] as? Int } == [2, 2, 230])
    for sort in ["", "-plays", "title,-id", "album.title"] {
      var (seen, after, pages): ([String], String?, Int) = ([], nil, 0)
      repeat {
        let page = try object(
          "/api/rows?entity=Track&limit=50&sort=\(escaped(sort))" + (after.map { "&after=\($0)" } ?? ""))
        seen += (page["rows"] as? [[Any]] ?? []).compactMap { $0.first as? String }
        after = page["next"] as? String
        pages += 1
      } while after != nil && pages < 10
      #expect(seen.count == 230 && Set(seen).count == 230 && pages == 5, "\(sort) \(seen.count)")
      let wanted = Transcript.run(
        ["query", path, "Track", "--columns", "#", "--format", "csv"] + (sort.isEmpty ? [] : ["--sort", sort]))
      #expect(
        seen.map { String($0.dropFirst()) }
          == wanted.output.split(separator: "\n").dropFirst().map {
            $0.hasPrefix("#") ? String($0.dropFirst()) : String($0)
          }, "\(sort)")
    }
    #expect(try object("/api/count?entity=Track&where=\(escaped("plays > 7"))")["count"] as? Int == 46)
    let row = try object("/api/row?entity=Track&row=2")
    #expect(
      (row["fields"] as? [[Any]])?.contains { $0[0] as? String == "title" && $0[1] as? String == "Track 2" } == true)
    #expect((row["relationships"] as? [[String: Any]])?.first?["rows"] as? [Int] == [1])
    #expect(
      (try object("/api/history?limit=5")["transactions"] as? [[String: Any]])?.first?["author"] as? String == "filler")
    let plan = try object("/api/plan?entity=Track&where=\(escaped("plays == 3"))&run=1")
    #expect((plan["plan"] as? [String])?.contains { $0.contains("index by plays") } == true)
    #expect((try object("/api/sizes")["parts"] as? [[String: Any]])?.isEmpty == false)
    #expect((try object("/api/schema")["lines"] as? [String])?.first == "@Model final class Album {")
  }

  @Test func `text in a store cannot become markup`() throws {
    defer { server.stop() }
    let bad = "</script><b>\"\\\u{1B}[2J\u{2028}\u{202E}日"
    let store = try RecordStore(path)
    try store.write { _ = try $0.table("Album").insert(["title": .string(bad)]) }
    try store.close()
    let reply = try get("/api/rows?entity=Album&sort=-title&limit=1&where=\(escaped("year == nil"))")
    #expect(!reply.body.unicodeScalars.contains { SafeText.isUnsafe($0) && $0 != "\n" }, "\(reply.body)")
    let rows = try #require(try object("/api/rows?entity=Album&where=\(escaped("year == nil"))")["rows"] as? [[Any]])
    #expect(rows.first?[1] as? String == bad)
  }

  @Test func `a wrong query is an error`() throws {
    defer { server.stop() }
    for (target, status, word) in [
      ("/api/rows?entity=Trakc", 400, "Did you mean 'Track'"), ("/api/rows", 400, "'entity' is missing"),
      ("/api/rows?entity=Track&where=titel", 400, "titel"), ("/api/rows?entity=Track&limit=0", 400, "'limit'"),
      ("/api/rows?entity=Track&after=x", 400, "not known"), ("/api/row?entity=Track&row=9999", 404, "#9999"),
      ("/api/row?entity=Track&row=-1", 400, "'row'"), ("/api/none", 404, "/api/none"),
      ("/api/rows?entity=Track&sort=nothing", 400, "nothing"),
    ] {
      let reply = try get(target)
      #expect(reply.status == status && reply.body.contains(word), "\(target) \(reply)")
    }
  }

  // MARK: Hostile requests

  @Test func `a missing store is reported, and found again`() throws {
    let away = folder.file("away")
    for name in ["", "-log"] where FileManager.default.fileExists(atPath: path + name) {
      try FileManager.default.moveItem(atPath: path + name, toPath: away + name)
    }
    for target in ["/api/store", "/api/rows?entity=Track", "/api/row?entity=Track&row=1", "/api/history", "/api/sizes"]
    {
      let reply = try get(target)
      #expect(reply.status == 410 && reply.headers.contains("410 Gone"), "\(target) \(reply)")
      #expect(reply.body.contains("The server continues when the store is at \(path) again."), "\(reply)")
    }
    // The page itself still exists, to report it.
    #expect(try get("/").status == 200)
    try Data("no store".utf8).write(to: URL(filePath: path))
    #expect(try [410, 503].contains(get("/api/store").status))
    try FileManager.default.removeItem(atPath: path)
    for name in ["", "-log"] where FileManager.default.fileExists(atPath: away + name) {
      try FileManager.default.moveItem(atPath: away + name, toPath: path + name)
    }
    #expect(try get("/api/store").status == 200)
  }

  @Test func `requests without the token, and from other pages, are refused`() throws {
    defer { server.stop() }
    let token = server.token.text
    for headers in [
      host, host + "Cookie: roost-\(server.port)=\(String(token.dropLast()))\r\n",
      host + "Cookie: roost-1=\(token)\r\n",
      host + "Cookie: roost-\(server.port)=\r\n",
      host + cookie + "Sec-Fetch-Site: cross-site\r\n", host + cookie + "Sec-Fetch-Site: same-site\r\n",
    ] { #expect(try get("/api/store", headers: headers).status == 403, "\(headers)") }
    #expect(try get("/?token=\(token.dropLast())", headers: host).status == 403)
    // A name that resolves to this machine by DNS rebinding is another host.
    for name in [
      "evil.example:\(server.port)", "127.0.0.1", "localhost:1", "127.0.0.1:\(server.port).evil.example", "",
    ] {
      #expect(try get("/api/store", headers: "Host: \(name)\r\n" + cookie).status == 421, "\(name)")
    }
    #expect(try get("/api/store", headers: cookie).status == 421)
    #expect(try get("/api/store", headers: "Host: localhost:\(server.port)\r\n" + cookie).status == 200)
    #expect(WebToken().text.count == 64 && WebToken().text != WebToken().text && !WebToken().matches(nil))
  }

  @Test func `invalid requests are refused`() throws {
    defer { server.stop() }
    let end = host + cookie + "\r\n"
    for (text, status) in [
      ("POST /api/store HTTP/1.1\r\n" + end, 405), ("DELETE / HTTP/1.1\r\n" + end, 405),
      ("GET / HTTP/2.0\r\n" + end, 400),
      ("GET\r\n\r\n", 400), ("\r\n\r\n", 400), ("GET /%zz HTTP/1.1\r\n" + end, 400),
      ("GET /%ff HTTP/1.1\r\n" + end, 400),
      ("GET /?a=1&a=2 HTTP/1.1\r\n" + end, 400), ("GET http://evil/ HTTP/1.1\r\n" + end, 400),
      ("GET / HTTP/1.1\r\nContent-Length: 5\r\n" + end, 400),
      ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + end, 400),
      ("GET / HTTP/1.1\r\n" + host + end, 400), ("GET / HTTP/1.1\r\nno colon\r\n" + end, 400),
      ("GET / HTTP/1.1\r\n folded: a\r\n" + end, 400), ("GET /\u{0} HTTP/1.1\r\n" + end, 400),
      ("GET / HTTP/1.1\r\n" + String(repeating: "a: b\r\n", count: 100) + end, 431),
      ("GET /../../etc/passwd HTTP/1.1\r\n" + end, 404),
    ] { #expect(try exchange(text).status == status, "\(text.prefix(60))") }
    let long = "GET /" + String(repeating: "a", count: WebRequest.mostBytes - 2000) + " HTTP/1.1\r\n"
    #expect(try exchange(long + "b: " + String(repeating: "c", count: 4000) + "\r\n" + end).status == 431)
    #expect(try get("/").status == 200)
  }

  @Test func `random bytes are refused, and the server keeps running`() throws {
    defer { server.stop() }
    var random = SplitMix64(seed: 5)
    for _ in 0..<200 {
      let bytes = (0..<80).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      #expect(throws: WebRequest.Refusal.self) { () throws in _ = try WebRequest(bytes) }
    }
    #expect(
      WebRequest.decoded("a%20b+c%C3%A9", plusIsSpace: true) == "a b cé"
        && WebRequest.decoded("%2", plusIsSpace: true) == nil)
    #expect(try get("/api/store").status == 200)
  }

  @Test func `silent clients do not block others for long`() throws {
    defer { server.stop() }
    let clients = (0..<WebServer.threads).map { _ in Self.client(server.port) }
    let began = ContinuousClock.now
    #expect(try get("/api/store").status == 200)
    #expect(ContinuousClock.now - began < .seconds(30))
    for client in clients { close(client) }
  }

  @Test func `a query ends when its client disconnects`() throws {
    defer { server.stop() }
    let long = folder.file("long.roost")
    _ = try RowsFixture.make(long, tracks: 20_000)
    let answers = try WebAnswers(long)
    final class Ends: @unchecked Sendable {
      // Safe, because the semaphore orders both sides.
      var status = 0
      let semaphore = DispatchSemaphore(value: 0)
    }
    let ends = Ends()
    let slow = try WebServer(port: 0) { request in
      let reply = answers.answer(request)
      ends.status = reply.status
      ends.semaphore.signal()
      return reply
    }
    slow.start()
    defer { slow.stop() }
    let other = Self.client(slow.port)
    let condition = escaped("tags.contains { $0.tracks.contains { $0.title == \"none\" } }")
    let text =
      "GET /api/count?entity=Track&where=\(condition) HTTP/1.1\r\nHost: 127.0.0.1:\(slow.port)\r\n"
      + "Cookie: roost-\(slow.port)=\(slow.token.text)\r\n\r\n"
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { send(other, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    close(other)
    #expect(ends.semaphore.wait(timeout: .now() + 20) == .success)
    #expect(ends.status == 503)
  }

  private static func client(_ port: UInt16) -> Int32 {
    #if canImport(Glibc)
      let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let client = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    return client
  }
}
