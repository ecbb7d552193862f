package import RoostFile
package import RoostPages
package import RoostTrees

/// What the floor that wrote a store knows of its trees and its log, for saving what a damaged one still holds.
///
/// Trees are saved entry by entry without it. It makes them agree with each other again, where a part of one is lost,
/// and carries the log out over that.
package protocol SalvagedContent: AnyObject {
  /// The tree by which ``owns(_:)`` decides, so it is saved first.
  var decisiveTree: [UInt8] { get }
  /// The key in that tree without whose value nothing else is understood.
  var decisiveKey: [UInt8] { get }
  /// Whether the trees that were saved so far are those of this floor.
  func owns(_ forest: Forest) throws(StoreError) -> Bool
  /// Whether a piece of the log is.
  func owns(piece kind: UInt8) -> Bool
  /// Whether a tree follows from others: it is made anew, and need not be saved.
  func isDerived(_ tree: [UInt8]) -> Bool

  /// Makes what was saved agree with itself. In the transaction that saved it.
  func mend(_ forest: Forest, _ saved: SavedTrees) throws(StoreError)
  /// Carries out a record of the log, and returns the catalog's root. If it throws, the transaction is undone and the
  /// record comes again, `carefully`: then what cannot be carried out is left out, piece by piece, and counted.
  func carryOut(
    _ record: LogRecord, in transaction: WriteTransaction, from source: Examination, carefully: Bool
  ) throws(StoreError) -> Root
  /// Makes what was saved agree with what the log said: the last transaction. Returns the catalog's root; nil where
  /// nothing is to be done.
  ///
  /// - Parameter losesRecords: the log ends with a part that cannot be read.
  func finish(_ transaction: WriteTransaction, losesRecords: Bool) throws(StoreError) -> Root?

  /// What a tree is called where somebody reads it.
  func title(of tree: [UInt8]) -> String?
  /// What was found lost, as sentences.
  var losses: [String] { get }
}

/// What is known of trees that were saved from a damaged store.
package struct SavedTrees {
  /// The number of the transaction that they show.
  package var transaction: UInt64
  /// The key ranges of tables that could not be read, by the tree's name, and single keys whose values could not.
  package var numberGaps: [[UInt8]: [(low: UInt64, high: UInt64?)]] = [:]
  /// Trees of which a part is lost.
  package var lossy: Set<[UInt8]> = []
  /// Keys of tables that were found in pages to which nothing leads.
  package var unverified: [[UInt8]: NumberRuns] = [:]
  /// Nothing at all is known to be lost.
  package var isWhole = true

  package init(transaction: UInt64) { self.transaction = transaction }
}
