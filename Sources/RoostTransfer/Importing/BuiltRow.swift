internal import RoostRecords

/// A row that was made of a record, and what is still missing in it. Used again and again.
final class BuiltRow {
  var builder: RowBuilder
  /// The fields that the record names, by number; and the same as identifiers.
  var named: [Int] = []
  /// References whose targets were not there when the row was made.
  var open: [OpenReference] = []
  /// Lists, whose rows are linked when the row is stored.
  var lists: [(relationship: Relationship, rows: [RowID])] = []
  /// What the row leads to by references that were found.
  var leads: [(target: EntityID, row: RowID)] = []
  /// The numbers of its references that the record names.
  var references: [Int] = []
  /// The place of its class among those of the binding.
  var kind = 0
  /// A field that must be there in a new row, and is not.
  var missing: Int?
  var line = 0
  var place: (line: Int, column: Int) = (0, 0)
  /// The record as it stands in the input.
  var text: [UInt8] = []

  init(_ layout: Layout) { builder = RowBuilder(layout) }

  func clear() {
    builder.clear()
    named.removeAll(keepingCapacity: true)
    open.removeAll(keepingCapacity: true)
    lists.removeAll(keepingCapacity: true)
    leads.removeAll(keepingCapacity: true)
    references.removeAll(keepingCapacity: true)
    kind = 0
    missing = nil
    text.removeAll(keepingCapacity: true)
  }
}

/// A reference that is named by a key, and whose target is looked up at the end.
struct OpenReference {
  var relationship: RelationshipID
  /// Its place in a list.
  var place: Int
  /// As text, as it stands in an object.
  var key: [UInt8]
}

/// Rows that become one transaction.
final class ImportPiece: @unchecked Sendable {
  // Unchecked because a piece goes from one stage to the next, and only one has it at a time.
  private var pool: [BuiltRow] = []
  private(set) var count = 0
  /// Records that were read for it, bad ones too.
  var records = 0
  /// Of those the ones that are wrong as they stand, with their texts.
  var faults: [TransferFault] = []
  /// What the columns of a table are called.
  var names: [String]?
  /// How far in the input it reaches.
  var inputEnd: UInt64 = 0

  var rows: ArraySlice<BuiltRow> { pool[..<count] }

  func clear() {
    count = 0
    records = 0
    faults.removeAll()
  }

  /// A row to be filled. It counts until ``dropLast()``.
  func next(_ layout: Layout) -> BuiltRow {
    if count == pool.count { pool.append(BuiltRow(layout)) }
    count += 1
    pool[count - 1].clear()
    return pool[count - 1]
  }

  func dropLast() { count -= 1 }
}
