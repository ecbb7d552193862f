/// A storage engine that takes part in the engine suite.
///
/// The calls are coarse on purpose: every loop over entries lies inside the engine's own file, so that no engine
/// pays for an existential, a closure or a copy per entry that another one does not pay for.
protocol Engine: Sendable {
  /// The name in tables and in JSON.
  var name: String { get }

  /// One sentence for the reader of a table: version, and what `synced` and `relaxed` mean here.
  var note: String { get }

  /// Creates an empty store in `directory`, which exists and is empty.
  func open(_ directory: String, keys: KeyKind, durability: Durability) throws -> any Store
}

/// What the keys of a store are. A store holds one kind.
enum KeyKind: Sendable {
  /// 64-bit integers with values of 150 bytes.
  case integers
  /// 36 bytes with values of eight bytes.
  case strings
}

/// When a commit returns.
enum Durability: Sendable {
  /// After the data is synced to the device.
  case synced
  /// At once. The newest commits may be lost in a crash of the machine.
  case relaxed
}

/// One open store. Sessions may be asked for on any thread.
protocol Store: AnyObject, Sendable {
  /// A way in for the calling thread, and for it alone.
  func session() throws -> any Session

  /// Brings the store to rest before it is read: all of it synced, no log left to consult. Not timed.
  func settle() throws

  /// Closes the store. Its sessions have been closed. Not timed.
  func close() throws
}

/// One thread's way into a store. Everything that can be prepared is prepared when it is made, which is not timed.
protocol Session: AnyObject {
  /// Inserts ascending rows into the empty store, `perTransaction` rows a commit.
  func insert(_ rows: IntegerRows, perTransaction: Int) throws

  /// Inserts rows in the random order they come in, `perTransaction` rows a commit.
  func insert(_ rows: StringRows, perTransaction: Int) throws

  /// Inserts each row in a transaction of its own, while other threads may do the same with other rows.
  func commitEach(_ rows: IntegerRows) throws

  /// Fills the empty store with sorted rows in the quickest way the engine has, durable at the end.
  func build(_ rows: IntegerRows) throws

  /// Looks every key up in one snapshot and returns the wrapping sum of the first eight bytes of each value.
  /// A key that is missing is an error.
  func sum(_ probes: IntegerProbes) throws -> UInt64

  /// Looks every key up in one snapshot and returns the wrapping sum of the values.
  /// A key that is missing is an error.
  func sum(_ probes: StringProbes) throws -> UInt64

  /// Walks the whole store in the order of its keys with a cursor.
  func scan() throws -> Digest

  func close()
}

/// An engine's call that did not do what it was asked to.
struct EngineError: Error, CustomStringConvertible {
  let description: String

  init(_ engine: String, _ call: String, _ message: String) {
    description = "\(engine): \(call): \(message)"
  }
}
