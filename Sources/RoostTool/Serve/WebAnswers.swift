import Foundation
import RoostFile
import RoostQuery
import RoostRecords
import RoostTransfer

/// The answers of `roost serve`, as JSON. It only reads.
///
/// Each answer comes from the newest snapshot. Unchecked because the lock protects all mutable
/// state.
final class WebAnswers: @unchecked Sendable {
  /// The most rows in one answer.
  static let mostRows = 500
  /// The number of cursors that are kept; then the oldest is dropped.
  private static let mostPlaces = 512
  /// The longest text of a cell, which is then cut: the page of the row shows all of it.
  private static let longestCell = 300

  private struct Place {
    var name: String
    /// The entity and order to which it belongs.
    var question: String
    var point: SeekPoint
  }

  private let path: String
  private let lock = Lock()
  private var idle: [RecordWitness] = []
  private var places: [Place] = []

  init(_ path: String) throws {
    self.path = path
    idle = [try Looking.rows(path)]
  }

  func answer(_ request: WebRequest) -> WebReply {
    do {
      switch request.path {
      case "/": return WebReply(type: "text/html; charset=utf-8", WebPage.html)
      case "/page.css": return WebReply(type: "text/css; charset=utf-8", WebPage.css)
      case "/page.js": return WebReply(type: "text/javascript; charset=utf-8", WebScript.text)
      case "/api/store": return .json(try read(store))
      case "/api/rows": return .json(try read { try rows($0, request) })
      case "/api/row": return try row(request)
      case "/api/plan": return .json(try read { try plan($0, request) })
      case "/api/count": return .json(try read { try count($0, request) })
      case "/api/schema": return .json(try read { #"{"lines": \#(JSONText.list(SchemaText($0.catalog).lines))}"# })
      case "/api/history": return .json(try history(request))
      case "/api/sizes": return .json(try run(.stats, [path, "--json"]))
      default: return .failure("there is no page '\(request.path)'", status: 404)
      }
    } catch {
      return failure(error)
    }
  }

  private func failure(_ error: any Error) -> WebReply {
    switch error {
    case is CancellationError: .failure("the query took too long, and was cancelled", status: 503)
    case let error as UsageError: .failure(error.sentence, status: 400)
    case let error as QuestionFault: .failure("\(error)", status: 400)
    case let error as CheckFailure: .failure(error.sentence, status: 400)
    case let error as TransferFault: .failure("\(error)", status: 400)
    case let error as StoreError where [.notFound, .storeMissing, .notAStore].contains(error.code):
      .failure("\(error) The server continues when the store is at \(path) again.", status: 410)
    // The store exists, and cannot be read now.
    case is StoreError: .failure("\(error)", status: 503)
    default: .failure("\(error)", status: 500)
    }
  }

  /// Reads with a witness that no other thread uses meanwhile.
  private func read<Result>(_ body: (RecordReader) throws -> Result) throws -> Result {
    let witness: RecordWitness
    if let kept = lock.withLock({ idle.popLast() }) {
      witness = kept
      _ = try witness.refresh()
    } else {
      witness = try Looking.rows(path)
    }
    defer { lock.withLock { idle.append(witness) } }
    return try witness.read(body)
  }

  /// The output of a command of the tool.
  private func run(_ command: Command, _ words: [String]) throws -> String {
    var text = ""
    let console = Console(isTerminal: false, hasColours: false) { stream, more in if stream == .output { text += more }
    }
    _ = try command.run(Arguments(words, for: command.syntax), console)
    return text
  }

  private func number(_ request: WebRequest, _ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = request.query[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(sentence: "'\(name)' is a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  private func needed(_ request: WebRequest, _ name: String) throws -> String {
    guard let text = request.query[name], !text.isEmpty else { throw UsageError(sentence: "'\(name)' is missing") }
    return text
  }

  // MARK: The store

  private func store(_ reader: RecordReader) throws -> String {
    let parts = try Looking.names(reader.catalog).map { name in
      let rows = try Looking.rowClass(name, reader.catalog)
      let relationships = rows.relationships(reader.catalog).map { one in
        #"{"name": \#(JSONText.quoted(rows.title(of: one.name))), "#
          + #""target": \#(JSONText.quoted(reader.catalog.name(of: one.target))), "isToMany": \#(!one.isToOne)}"#
      }
      let fields = rows.entity.fields.map(\.name).filter { !$0.hasPrefix("@") }.compactMap(rows.title)
      return #"{"name": \#(JSONText.quoted(name)), "rows": \#(try rows.count(reader)), "#
        + #""fields": \#(JSONText.list(fields)), "relationships": [\#(relationships.joined(separator: ","))]}"#
    }
    let name = (path as NSString).lastPathComponent
    return #"{"name": \#(JSONText.quoted(name)), "commit": \#(reader.commit), "#
      + #""entities": [\#(parts.joined(separator: ","))]}"#
  }

  private func asked(_ request: WebRequest) throws -> Asked {
    let condition = request.query["where"].flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
    var asked = Asked(try needed(request, "entity"), where: condition)
    asked.sort = request.query["sort"].flatMap { $0.isEmpty ? nil : $0 }
    return asked
  }

  // MARK: Rows

  /// A page of rows. The next one begins after the key of the last row, so a late page costs no
  /// more than the first.
  private func rows(_ reader: RecordReader, _ request: WebRequest) throws -> String {
    let asked = try asked(request)
    let limit = try number(request, "limit", in: 1...Self.mostRows) ?? 100
    var query = try asked.query(reader.catalog)
    if query.order.isEmpty { query.order = [Order(.row)] }
    let question = asked.entity + "\n" + (asked.sort ?? "")
    if let name = request.query["after"] {
      guard let place = lock.withLock({ places.last { $0.name == name && $0.question == question } }) else {
        throw UsageError(sentence: "This place is not known any more: begin again")
      }
      query.after = place.point
    }
    query.limit = limit
    let listing = try RowListing(reader, of: asked.rows(reader.catalog))
    var text = #"{"columns": \#(JSONText.list(listing.columns.map(\.name))), "numbers": "#
    text += "[" + listing.columns.map { $0.isNumber ? "true" : "false" }.joined(separator: ",") + #"], "rows": ["#
    var (count, last): (Int, UInt64?) = (0, nil)
    var bytes = Array(text.utf8)
    try listing.forEach(query) { cells in
      if count > 0 { bytes += ",\n".utf8 }
      bytes += JSONText.list(cells.map(Self.cut)).utf8
      last = cells.first.flatMap { $0 }.flatMap { UInt64($0.dropFirst()) }
      count += 1
      return true
    }
    var next: String?
    if count == limit, let last {
      let row = RowID(last)
      let values = try Planner(Ground(reader)).values([row], of: query.entity, query.order.map(\.key))
      next = keep(SeekPoint(values, row), question)
    }
    bytes += #"], "next": \#(JSONText.quoted(next))}"#.utf8
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func cut(_ cell: String?) -> String? {
    guard let cell, cell.utf8.count > longestCell else { return cell }
    return cell.prefix(longestCell) + "…"
  }

  private func keep(_ point: SeekPoint, _ question: String) -> String {
    let name = String(UInt64.random(in: .min ... .max), radix: 36)
    lock.withLock {
      places.append(Place(name: name, question: question, point: point))
      if places.count > Self.mostPlaces { places.removeFirst() }
    }
    return name
  }

  private func row(_ request: WebRequest) throws -> WebReply {
    let (name, number) = (try needed(request, "entity"), try number(request, "row", in: 0...Int.max) ?? 0)
    let found = try read { reader in
      try RowPortrait(
        RowID(UInt64(number)), of: Looking.rowClass(name, reader.catalog), reader, most: Self.mostRows / 10)
    }
    guard let found else { return .failure("there is no \(name) #\(number)", status: 404) }
    let fields = found.fields.map { "[\(JSONText.quoted($0.name)), \(JSONText.quoted($0.text))]" }
    let relations = found.relations.map { one in
      #"{"name": \#(JSONText.quoted(one.name)), "target": \#(JSONText.quoted(one.target)), "isToMany": \#(one.isToMany), "#
        + #""count": \#(one.count), "rows": \#(one.rows), "keys": \#(JSONText.list(one.keys))}"#
    }
    return .json(
      #"{"entity": \#(JSONText.quoted(name)), "row": \#(number), "fields": [\#(fields.joined(separator: ","))], "#
        + #""relationships": [\#(relations.joined(separator: ","))]}"#)
  }

  private func count(_ reader: RecordReader, _ request: WebRequest) throws -> String {
    let query = try asked(request).query(reader.catalog)
    return #"{"count": \#(try Planner(Ground(reader)).plan(query).count())}"#
  }

  private func plan(_ reader: RecordReader, _ request: WebRequest) throws -> String {
    try Console.jsonText(ExplainReport(asked(request), reader, runs: request.query["run"] == "1"))
  }

  // MARK: History

  private func history(_ request: WebRequest) throws -> String {
    var words = [path, "--json", "--limit", String(try number(request, "limit", in: 1...Self.mostRows) ?? 50)]
    if let name = request.query["entity"], !name.isEmpty { words += ["--entity", name] }
    let lines = try run(.history, words).split(separator: "\n").reversed()
    return #"{"transactions": ["# + lines.joined(separator: ",\n") + "]}"
  }
}
