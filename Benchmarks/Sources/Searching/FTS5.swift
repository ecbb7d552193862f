import CSQLite
import Foundation

/// Stores the texts of the benchmark in an FTS5 table of SQLite.
final class FTS5 {
  struct Failure: Error { let text: String }

  private var handle: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]

  /// - Parameter columns: what the table `page` is made of.
  init(_ path: String, columns: String) throws {
    guard sqlite3_open(path, &handle) == SQLITE_OK else { throw failure() }
    try run("PRAGMA journal_mode = WAL")
    try run("PRAGMA synchronous = FULL")
    try run("PRAGMA cache_size = -262144")
    try run("CREATE VIRTUAL TABLE page USING fts5(\(columns))")
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close(handle)
  }

  private func failure() -> Failure { Failure(text: String(cString: sqlite3_errmsg(handle))) }

  func run(_ text: String) throws {
    guard sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else { throw failure() }
  }

  private func statement(_ text: String) throws -> OpaquePointer {
    if let known = statements[text] { return known }
    var made: OpaquePointer?
    guard sqlite3_prepare_v2(handle, text, -1, &made, nil) == SQLITE_OK, let made else { throw failure() }
    statements[text] = made
    return made
  }

  private func bind(_ statement: OpaquePointer, _ texts: [String]) {
    for (place, text) in texts.enumerated() {
      sqlite3_bind_text(statement, Int32(place + 1), text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }
  }

  func insert(_ texts: String...) throws {
    let marks = texts.map { _ in "?" }.joined(separator: ", ")
    let statement = try statement("INSERT INTO page VALUES (\(marks))")
    bind(statement, texts)
    guard sqlite3_step(statement) == SQLITE_DONE else { throw failure() }
    sqlite3_reset(statement)
  }

  func count(_ question: String) throws -> Int {
    try number("SELECT count(*) FROM page WHERE page MATCH ?", question)
  }

  /// The rows whose body has the text somewhere, in upper or lower case.
  func count(containing text: String) throws -> Int {
    try number("SELECT count(*) FROM page WHERE body LIKE ?", "%\(text)%")
  }

  private func number(_ text: String, _ value: String) throws -> Int {
    let statement = try statement(text)
    bind(statement, [value])
    guard sqlite3_step(statement) == SQLITE_ROW else { throw failure() }
    defer { sqlite3_reset(statement) }
    return Int(sqlite3_column_int64(statement, 0))
  }

  /// Reads the titles of the ten best rows, those of one shelf if it is given.
  func best(_ question: String, shelf: Int? = nil) throws -> Int {
    let condition = shelf == nil ? "" : "AND shelf = ? "
    let statement = try statement("SELECT title, rank FROM page WHERE page MATCH ? \(condition)ORDER BY rank LIMIT 10")
    bind(statement, [question] + (shelf.map { ["\($0)"] } ?? []))
    defer { sqlite3_reset(statement) }
    var count = 0
    while sqlite3_step(statement) == SQLITE_ROW {
      count += String(cString: sqlite3_column_text(statement, 0)).isEmpty ? 0 : 1
    }
    return count
  }
}
