internal import RoostRecords

extension TableReader {
  /// Calls `body` with a row in place, which it must not keep; with nil if the row does not exist.
  @inline(__always)
  func lend<Result>(_ id: RowID, _ body: (Row?) throws -> Result) throws -> Result {
    try hold()
    defer { release() }
    var spare: Arena?
    let row = try borrow(id) { bytes in
      let arena = Arena()
      spare = arena
      return arena.keep(bytes)
    }
    defer { withExtendedLifetime(spare) {} }
    return try body(row)
  }
}
