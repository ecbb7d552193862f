internal import RoostFile
internal import RoostTrees

/// Gives out row numbers before the rows are written.
///
/// Objects have a lasting identity before they are saved, so their numbers come from outside the
/// transactions. All numbers of the store are then given out here. A number that is never used is a
/// gap, which is not filled while the store is open.
///
/// Unchecked because of `next`, which is read and written under the lock.
final class RowNumbers: @unchecked Sendable {
  private let lock = Lock()
  /// The next number of each entity. The most recently used entities come first. There are few, so
  /// this search is faster than hashing.
  @exclusivity(unchecked) private var next: [(entity: EntityID, number: UInt64)] = []

  /// Numbers stay below this limit, so that adding to one cannot overflow.
  static let end: UInt64 = 1 << 62

  /// Gives out `count` consecutive numbers and returns the first. `stored` returns the number of
  /// the next row in the store; it is called once for each entity.
  func take(_ entity: EntityID, _ count: UInt64, stored: () throws -> UInt64) throws -> RowID {
    lock.acquire()
    defer { lock.release() }
    let known = place(entity)
    let first = try known.map { next[$0].number } ?? stored()
    guard count > 0, count < Self.end, first < Self.end - count else {
      throw RecordFault(.tooLarge, "the entity with the number \(entity.number) has no row numbers left")
    }
    if let known { next[known].number = first + count } else { next.append((entity, first + count)) }
    return RowID(first)
  }

  private func place(_ entity: EntityID) -> Int? {
    guard let found = next.firstIndex(where: { $0.entity == entity }) else { return nil }
    if found == 0 { return 0 }
    next.swapAt(found, found / 2)
    return found / 2
  }

  /// Whether a number was given out, also before the store was opened.
  func wasGiven(_ id: RowID, _ entity: EntityID, stored: UInt64) -> Bool {
    lock.acquire()
    defer { lock.release() }
    return id.number > 0 && id.number < place(entity).map { next[$0].number } ?? stored
  }
}

extension TableWriter {
  /// Inserts a row under a number that ``RecordStore/reserve(_:of:)`` gave out.
  package func insert(_ builder: inout RowBuilder, as id: RowID) throws {
    try tables.check(generation)
    guard tables.numbers?.wasGiven(id, entity.id, stored: nextRow) == true else {
      throw RecordFault(.conflict, "the row number \(id.number) was not reserved", entity: entity.name)
    }
    guard try isFree(id) else {
      throw RecordFault(.conflict, "there is a row with the number \(id.number)", entity: entity.name)
    }
    if derived != nil { try emptyDerived(&builder) }
    let moved = try assemble(&builder, id)
    do { try finishInsert(id, moved) } catch { throw giveBack(moved, to: &builder, error) }
  }

  /// Checks the values of a row as ``insert(_:as:)`` does and throws the same errors, but writes
  /// only the keys of unique indexes. So a later row with one of these keys is refused. The caller
  /// must abandon the transaction.
  ///
  /// A key with a cut text is not written, because a comparison would read its row, which does not
  /// exist.
  ///
  /// - Parameter wanted: Unique indexes. If a row has the same values in one of them, it is
  ///   returned and no error is thrown, because the texts of an error cost more than the look-up.
  package func probe(_ builder: inout RowBuilder, as id: RowID, among wanted: [IndexID]) throws -> RowID? {
    try tables.check(generation)
    let moved = try assemble(&builder, id)
    do {
      for index in borrowed {
        let other = try index.use { index in try conflict(index, id, moved: moved).map { ($0, index) } }
        guard let (row, index) = other else { continue }
        guard wanted.contains(index.index.id) else { throw notUnique(row, index) }
        putBack(moved, into: &builder)
        return row
      }
      try links.check(id, new.start, old: nil, layout: layout)
      for index in borrowed { try index.use { (index) throws(StoreError) in if index.isAlone { try index.add(id) } } }
    } catch { throw giveBack(moved, to: &builder, error) }
    putBack(moved, into: &builder)
    return nil
  }

  /// Reserves all numbers below `next`: no new row gets one of them.
  package func keepNumbers(below next: UInt64) throws {
    try tables.check(generation)
    if next > nextRow { passOver(RowID(next - 1)) }
  }

  /// Whether no row has the number.
  func isFree(_ id: RowID) throws(StoreError) -> Bool {
    if id.number >= nextRow { return true }
    return try rows.tree.withValue(of: id.number) { _ in true } == nil
  }

  /// The number for a row that is written now.
  func newNumber() throws -> RowID {
    guard let numbers = tables.numbers else { return RowID(nextRow) }
    return try numbers.take(entity.id, 1) { nextRow }
  }
}
