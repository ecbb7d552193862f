/// One thread's access to a library in an ordered key-value engine.
///
/// The loops of all operations are extensions of this protocol, and an engine implements how to
/// put, find and walk. A conforming class is final and not generic: for each such class the
/// compiler specialises the loops with the engine's calls inside, so that no row pays for a call
/// through a table.
protocol SpacesSession: LibrarySession {
  /// A table, a database or a family of columns.
  associatedtype Space
  /// The transaction object that calls need.
  associatedtype Transaction

  /// The engine's name in errors.
  static var engine: String { get }
  var library: Library { get }
  var spaces: LibrarySpaces<Space> { get }
  var desk: Desk { get }

  /// Eight bytes for a number, which sort as numbers do in a space of the kind `entriesOfNumbers`.
  static func sorted(_ number: UInt64) -> UInt64

  func write(_ body: (Transaction) throws -> Void) throws
  /// Calls `body`, which reads one snapshot.
  func read(_ body: (Transaction) throws -> Void) throws

  /// The first of `count` unused consecutive row numbers.
  func newRows(_ transaction: Transaction, _ count: Int, for rows: NumberedRows) throws -> UInt64

  // Records. Bytes that `body` gets are valid until it returns or changes the space.
  /// Appends a record after all others.
  func append(_ transaction: Transaction, _ space: Space, _ row: UInt64, _ record: UnsafeRawBufferPointer) throws
  func replace(_ transaction: Transaction, _ space: Space, _ row: UInt64, _ record: UnsafeRawBufferPointer) throws
  func removeRecord(_ transaction: Transaction, _ space: Space, _ row: UInt64) throws
  func withRecord<Result>(
    _ transaction: Transaction, _ space: Space, _ row: UInt64, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result
  func eachRecord(
    _ transaction: Transaction, _ space: Space, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Void) throws

  // Names
  /// Puts a name, which must be new if `mustBeNew` is set.
  func putName(
    _ transaction: Transaction, _ space: Space, _ name: UnsafeRawBufferPointer, _ row: UInt64, mustBeNew: Bool) throws
  func removeName(_ transaction: Transaction, _ space: Space, _ name: UnsafeRawBufferPointer) throws
  func row(_ transaction: Transaction, _ space: Space, named name: UnsafeRawBufferPointer) throws -> UInt64?
  func eachName(_ transaction: Transaction, _ space: Space, _ body: (UInt64) throws -> Void) throws

  // Entries
  func addEntry(_ transaction: Transaction, _ space: Space, _ key: EntryKey, _ row: UInt64) throws
  func removeEntry(_ transaction: Transaction, _ space: Space, _ key: EntryKey, _ row: UInt64) throws
  /// Removes all entries of a key, which are those of `rows`.
  func removeEntries(_ transaction: Transaction, _ space: Space, _ key: EntryKey, _ rows: [UInt64]) throws
  func rows(_ transaction: Transaction, _ space: Space, of key: EntryKey) throws -> [UInt64]
  /// The number of entries of each of `keys` keys.
  func counts(_ transaction: Transaction, _ space: Space, of keys: Int, _ key: (Int) -> EntryKey) throws -> [Int]
  /// Walks through all entries in key order, until `body` returns false.
  func eachEntry(_ transaction: Transaction, _ space: Space, _ body: (UInt64) throws -> Bool) throws

  /// The number of names or entries in a space.
  func count(_ transaction: Transaction, _ space: Space) throws -> Int
}
