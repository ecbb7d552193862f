/// One thread's way into a library that is kept as keys and values by the order of keys.
///
/// The loops of all operations are extensions of this protocol, and an engine tells how it puts, finds and walks. A class
/// that conforms is final and not generic: for each such class the compiler makes the loops anew, with the engine's
/// calls inside, so that no row pays for a call through a table.
protocol SpacesSession: LibrarySession {
  /// A table, a database or a family of columns.
  associatedtype Space
  /// What calls need inside a transaction.
  associatedtype Transaction

  /// The engine's name in errors.
  static var engine: String { get }
  var library: Library { get }
  var spaces: LibrarySpaces<Space> { get }
  var desk: Desk { get }

  /// Eight bytes for a number, which lie in the order of numbers in a space of the kind `entriesOfNumbers`.
  static func sorted(_ number: UInt64) -> UInt64

  func write(_ body: (Transaction) throws -> Void) throws
  /// Calls `body`, which reads one snapshot.
  func read(_ body: (Transaction) throws -> Void) throws

  /// The first of so many numbers that no row has.
  func newRows(_ transaction: Transaction, _ count: Int, for rows: NumberedRows) throws -> UInt64

  // Records. Bytes that `body` gets are borrowed until it returns, or changes the space.
  /// Puts a record behind all that are there.
  func append(_ transaction: Transaction, _ space: Space, _ row: UInt64, _ record: UnsafeRawBufferPointer) throws
  func replace(_ transaction: Transaction, _ space: Space, _ row: UInt64, _ record: UnsafeRawBufferPointer) throws
  func removeRecord(_ transaction: Transaction, _ space: Space, _ row: UInt64) throws
  func withRecord<Result>(
    _ transaction: Transaction, _ space: Space, _ row: UInt64, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result
  func eachRecord(
    _ transaction: Transaction, _ space: Space, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Void) throws

  // Names
  /// Puts a name, which must be new where that is asked for.
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
  /// How many entries each of so many keys has.
  func counts(_ transaction: Transaction, _ space: Space, of keys: Int, _ key: (Int) -> EntryKey) throws -> [Int]
  /// Walks through all entries in the order of their keys, until `body` returns false.
  func eachEntry(_ transaction: Transaction, _ space: Space, _ body: (UInt64) throws -> Bool) throws

  /// How many names or entries a space has.
  func count(_ transaction: Transaction, _ space: Space) throws -> Int
}
