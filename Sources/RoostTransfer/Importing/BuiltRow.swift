internal import RoostRecords

/// A row that was made from a record, and its parts that are still missing. It is reused.
final class BuiltRow {
  @exclusivity(unchecked) var builder: RowBuilder
  /// The indexes of the fields that the record names.
  @exclusivity(unchecked) var named: [Int] = []
  /// References and lists with targets that do not exist, even when the row is stored.
  @exclusivity(unchecked) var open: [WaitingReference] = []
  /// Lists, whose rows are linked when the row is stored.
  @exclusivity(unchecked) var lists: [(relationship: Relationship, rows: [RowID])] = []
  /// References whose targets did not exist when the row was made.
  @exclusivity(unchecked) var sought: [SoughtReference] = []
  /// Lists with members that did not exist when the row was made.
  @exclusivity(unchecked) var soughtLists: [SoughtList] = []
  /// The targets of the references that were found, with their fields.
  @exclusivity(unchecked) var leads: [(field: Int, target: EntityID, row: RowID)] = []
  /// The indexes of the references that the record names.
  @exclusivity(unchecked) var references: [Int] = []
  /// The index of its class in the binding.
  @exclusivity(unchecked) var kind = 0
  /// A field that a new row requires, and that the record lacks.
  @exclusivity(unchecked) var missing: Int?
  /// Structs that exist in the record without a required part: the struct and that part.
  @exclusivity(unchecked) var incomplete: [(presence: Int, part: Int)] = []
  @exclusivity(unchecked) var line = 0
  /// The text of the record in the input.
  @exclusivity(unchecked) var text: [UInt8] = []

  init(_ layout: Layout) { builder = RowBuilder(layout) }

  func clear() {
    builder.clear()
    named.removeAll(keepingCapacity: true)
    leads.removeAll(keepingCapacity: true)
    references.removeAll(keepingCapacity: true)
    // Few rows have these.
    if !open.isEmpty { open.removeAll(keepingCapacity: true) }
    if !lists.isEmpty { lists.removeAll(keepingCapacity: true) }
    if !sought.isEmpty { sought.removeAll(keepingCapacity: true) }
    if !soughtLists.isEmpty { soughtLists.removeAll(keepingCapacity: true) }
    if !incomplete.isEmpty { incomplete.removeAll(keepingCapacity: true) }
    if !text.isEmpty { text.removeAll(keepingCapacity: true) }
    kind = 0
    missing = nil
  }

  /// The approximate size of its memory.
  var byteCount: Int { builder.byteCount + text.count }
}

/// Rows that are stored in one transaction.
final class ImportPiece: @unchecked Sendable {
  // Unchecked because a piece is passed from one stage to the next, and only one has it at a time.
  @exclusivity(unchecked) private var pool: [BuiltRow] = []
  @exclusivity(unchecked) private(set) var count = 0
  /// The number of records that were read for it, including bad ones.
  @exclusivity(unchecked) var records = 0
  /// The bad records among them, with their texts.
  var faults: [TransferFault] = []
  /// The first line of a table.
  var header: TableHeader?
  /// The checksum of all records of the input up to the end of this piece.
  var check: UInt64 = 0
  /// The approximate size of its rows and errors.
  @exclusivity(unchecked) var byteCount = 0
  /// The position in the input after its last record.
  var inputEnd: UInt64 = 0

  var rows: ArraySlice<BuiltRow> { pool[..<count] }

  func clear() {
    count = 0
    records = 0
    byteCount = 0
    faults.removeAll()
  }

  /// Returns a row to fill. It belongs to the piece unless ``dropLast()`` is called.
  func next(_ layout: Layout) -> BuiltRow {
    if count == pool.count {
      pool.append(BuiltRow(layout))
    } else if pool[count].byteCount > Self.keptBytes {
      // Memory that became large is not kept for small rows.
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
