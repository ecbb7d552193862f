/// A storage engine that takes part in the engine suite.
///
/// The calls are coarse on purpose: every loop over entries is inside the engine's own file. So no
/// engine pays for an existential, a closure or a copy for each entry that another one does not pay
/// for.
protocol Engine: Sendable {
  /// The name in tables and in JSON.
  var name: String { get }

  /// One sentence for readers of a table: the version, and the meaning of `synced` and `relaxed`
  /// here.
  var note: String { get }

  /// Creates an empty store in `directory`, which exists and is empty.
  func open(_ directory: String, keys: KeyKind, durability: Durability) throws -> any Store
}

/// The kind of a store's keys. A store holds one kind.
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

/// One open store. Sessions may be made on any thread.
protocol Store: AnyObject, Sendable {
  /// A session for the calling thread only.
  func session() throws -> any Session

  /// Brings the store to rest before it is read: everything is synced, and no log is left. Not
  /// timed.
  func settle() throws

  /// Closes the store, whose sessions are already closed. Not timed.
  func close() throws
}

/// One thread's access to a store. Everything that can be prepared is prepared when it is made,
/// which is not timed.
protocol Session: AnyObject {
  /// Inserts ascending rows into the empty store, `perTransaction` rows in each commit.
  func insert(_ rows: IntegerRows, perTransaction: Int) throws

  /// Inserts rows in their random order, `perTransaction` rows in each commit.
  func insert(_ rows: StringRows, perTransaction: Int) throws

  /// Inserts each row in a separate transaction, while other threads may do this with other rows.
  func commitEach(_ rows: IntegerRows) throws

  /// Fills the empty store with sorted rows in the engine's quickest way, durable at the end.
  func build(_ rows: IntegerRows) throws

  /// Looks up every key in one snapshot and returns the wrapping sum of the first eight bytes of
  /// each value. A missing key is an error.
  func sum(_ probes: IntegerProbes) throws -> UInt64

  /// Looks up every key in one snapshot and returns the wrapping sum of the values. A missing key
  /// is an error.
  func sum(_ probes: StringProbes) throws -> UInt64

  /// Walks the whole store in key order with a cursor.
  func scan() throws -> Digest

  func close()
}

/// A failed call of an engine.
struct EngineError: Error, CustomStringConvertible {
  let description: String

  init(_ engine: String, _ call: String, _ message: String) {
    description = "\(engine): \(call): \(message)"
  }
}
