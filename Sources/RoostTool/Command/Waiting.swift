import RoostFile

/// Waits for another process that has the store open.
enum Waiting {
  static let option = Syntax.Option(
    name: "wait", value: "seconds", help: "How long to wait while another process has the store open (0).")

  static func nanoseconds(_ arguments: Arguments) throws -> UInt64 {
    UInt64(try arguments.number("wait", in: 0...1_000_000) ?? 0) * 1_000_000_000
  }

  /// Retries while another process has the store open, or writes faster than it can be read, and
  /// nothing was done.
  static func whileInUse<Result>(_ arguments: Arguments, _ body: () throws -> Result) throws -> Result {
    var polling = Polling(nanoseconds: try nanoseconds(arguments))
    while true {
      do { return try body() } catch let error as StoreError where error.code == .locked || error.code == .busy {
        guard polling.pause() else { throw error }
      }
    }
  }
}
