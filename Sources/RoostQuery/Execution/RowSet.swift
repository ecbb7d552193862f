internal import RoostRecords

/// The rows that stand in some stretches of an index, to ask for one by one.
///
/// Numbers are given in order, so they lie close: a page of 4,096 numbers is a field of bits.
struct RowSet {
  private static let words = 64

  private var pages: [UInt64: Int] = [:]
  private var bits: [UInt64] = []

  init(of use: IndexAccess, _ plan: Plan) throws {
    _ = try IndexScan(use, plan).run(0) { row in
      insert(row)
      return true
    }
  }

  private mutating func insert(_ row: RowID) {
    let page = row.number &>> 12
    let start: Int
    if let known = pages[page] {
      start = known
    } else {
      start = bits.count
      pages[page] = start
      bits.append(contentsOf: repeatElement(0, count: Self.words))
    }
    bits[start + Int(truncatingIfNeeded: row.number &>> 6 & 63)] |= 1 &<< (row.number & 63)
  }

  func contains(_ row: RowID) -> Bool {
    guard let start = pages[row.number &>> 12] else { return false }
    return bits[start + Int(truncatingIfNeeded: row.number &>> 6 & 63)] & 1 &<< (row.number & 63) != 0
  }
}
