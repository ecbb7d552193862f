internal import RoostRecords

/// A row that was made of a record, and what is still missing in it. Used again and again.
final class BuiltRow {
  @exclusivity(unchecked) var builder: RowBuilder
  /// The fields that the record names, by number; and the same as identifiers.
  @exclusivity(unchecked) var named: [Int] = []
  /// References and lists of which something is not there, also when the row is stored.
  @exclusivity(unchecked) var open: [WaitingReference] = []
  /// Lists, whose rows are linked when the row is stored.
  @exclusivity(unchecked) var lists: [(relationship: Relationship, rows: [RowID])] = []
  /// References whose targets were not there when the row was made.
  @exclusivity(unchecked) var sought: [SoughtReference] = []
  /// Lists of which some members were not there either.
  @exclusivity(unchecked) var soughtLists: [SoughtList] = []
  /// What the row leads to by references that were found, and by which of its fields.
  @exclusivity(unchecked) var leads: [(field: Int, target: EntityID, row: RowID)] = []
  /// The numbers of its references that the record names.
  @exclusivity(unchecked) var references: [Int] = []
  /// The place of its class among those of the binding.
  @exclusivity(unchecked) var kind = 0
  /// A field that must be there in a new row, and is not.
  @exclusivity(unchecked) var missing: Int?
  /// Structs that the record says are there, each with a part that it needs and the record does not name.
  @exclusivity(unchecked) var incomplete: [(presence: Int, part: Int)] = []
  @exclusivity(unchecked) var line = 0
  /// The record as it stands in the input.
  @exclusivity(unchecked) var text: [UInt8] = []

  init(_ layout: Layout) { builder = RowBuilder(layout) }

  func clear() {
    builder.clear()
    named.removeAll(keepingCapacity: true)
    leads.removeAll(keepingCapacity: true)
    references.removeAll(keepingCapacity: true)
    // What few rows have.
    if !open.isEmpty { open.removeAll(keepingCapacity: true) }
    if !lists.isEmpty { lists.removeAll(keepingCapacity: true) }
    if !sought.isEmpty { sought.removeAll(keepingCapacity: true) }
    if !soughtLists.isEmpty { soughtLists.removeAll(keepingCapacity: true) }
    if !incomplete.isEmpty { incomplete.removeAll(keepingCapacity: true) }
    if !text.isEmpty { text.removeAll(keepingCapacity: true) }
    kind = 0
    missing = nil
  }

  /// Memory of its own, about.
  var byteCount: Int { builder.byteCount + text.count }
}

/// Rows that become one transaction.
final class ImportPiece: @unchecked Sendable {
  // Unchecked because a piece goes from one stage to the next, and only one has it at a time.
  @exclusivity(unchecked) private var pool: [BuiltRow] = []
  @exclusivity(unchecked) private(set) var count = 0
  /// Records that were read for it, bad ones too.
  @exclusivity(unchecked) var records = 0
  /// Of those the ones that are wrong as they stand, with their texts.
  var faults: [TransferFault] = []
  /// The first line of a table.
  var header: TableHeader?
  /// The check of all records of the input up to its end.
  var check: UInt64 = 0
  /// What its rows and faults take, about.
  @exclusivity(unchecked) var byteCount = 0
  /// How far in the input it reaches.
  var inputEnd: UInt64 = 0

  var rows: ArraySlice<BuiltRow> { pool[..<count] }

  func clear() {
    count = 0
    records = 0
    byteCount = 0
    faults.removeAll()
  }

  /// A row to be filled. It counts until ``dropLast()``.
  func next(_ layout: Layout) -> BuiltRow {
    if count == pool.count {
      pool.append(BuiltRow(layout))
    } else if pool[count].byteCount > Self.keptBytes {
      // Memory that grew large is not kept for rows that are small.
      pool[count] = BuiltRow(layout)
    }
    let row = pool[count]
    count += 1
    row.clear()
    return row
  }

  func dropLast() { count -= 1 }

  private static let keptBytes = 1 << 12
}
