package import RoostFile
package import RoostPages
package import RoostTrees

/// What the module that wrote a store knows of its trees and its log. A salvage uses it.
///
/// Trees are saved entry by entry without it. It makes them agree again if parts are lost, and
/// replays the log over them.
package protocol SalvagedContent: AnyObject {
  /// The tree by which ``owns(_:)`` decides. It is saved first.
  var decisiveTree: [UInt8] { get }
  /// The key in that tree without whose value nothing else can be decoded.
  var decisiveKey: [UInt8] { get }
  /// Whether the trees saved so far belong to this module.
  func owns(_ forest: Forest) throws(StoreError) -> Bool
  /// Whether a piece of the log belongs to this module.
  func owns(piece kind: UInt8) -> Bool
  /// Whether a tree is derived from others: it is built again, and need not be saved.
  func isDerived(_ tree: [UInt8]) -> Bool
  /// The row to which an entry of a tree with byte keys belongs, if the report names the rows of
  /// unverified entries.
  func row(of key: [UInt8], in tree: [UInt8]) -> UInt64?

  /// Makes the saved trees agree, in the transaction that saved them.
  func mend(_ forest: Forest, _ saved: SavedTrees) throws(StoreError)
  /// Replays a record of the log, and returns the catalog's root. If it throws, the transaction is
  /// rolled back and the record is replayed again `carefully`: then pieces that cannot be replayed
  /// are left out and counted.
  func carryOut(
    _ record: LogRecord, in transaction: WriteTransaction, from source: Examination, carefully: Bool
  ) throws(StoreError) -> Root
  /// Makes the replayed trees agree in the last transaction. Returns the catalog's root; nil if
  /// nothing is to be done.
  ///
  /// - Parameter losesRecords: whether a part at the end of the log cannot be read.
  func finish(_ transaction: WriteTransaction, losesRecords: Bool) throws(StoreError) -> Root?

  /// The description of a tree for users.
  func title(of tree: [UInt8]) -> String?
  /// The losses, as sentences.
  var losses: [String] { get }
}

/// Facts about trees that were saved from a damaged store.
package struct SavedTrees {
  /// The number of the transaction whose state the trees have.
  package var transaction: UInt64
  /// The unreadable key ranges of tables, by the tree's name, and single keys with unreadable
  /// values.
  package var numberGaps: [[UInt8]: [(low: UInt64, high: UInt64?)]] = [:]
  /// Trees with lost parts.
  package var lossy: Set<[UInt8]> = []
  /// Keys of tables that were found in pages without a sound reference, and rows of such entries in
  /// trees with byte keys: see ``SalvagedContent/row(of:in:)``.
  package var unverified: [[UInt8]: NumberRuns] = [:]
  /// Whether no loss is known.
  package var isWhole = true

  package init(transaction: UInt64) { self.transaction = transaction }
}
