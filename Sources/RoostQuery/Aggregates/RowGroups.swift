internal import RoostBytes
internal import RoostRecords

/// Finds the group of each row.
///
/// Rows with the same bytes in all key fields are in one group, so a key is computed only for new
/// bytes. Several byte strings may belong to one group: `0.0` and `-0.0` are one key, and so are
/// the normal forms of a text.
final class RowGroups {
  // Unchecked exclusivity: one aggregation has the object for itself, and a user's code cannot
  // reach it.
  /// The values of the keys, by group.
  @exclusivity(unchecked) private(set) var keys: [[Value]] = []
  private let sorting: SortKeys
  @exclusivity(unchecked) private var table = GroupTable()
  /// The fields that are the keys.
  private let fields: UnsafeMutablePointer<FieldReader>
  /// 0 if a key is computed.
  private let fieldCount: Int
  /// The bytes of fields that were seen, and their groups.
  @exclusivity(unchecked) private var seen = GroupTable()
  private let groups = UnsafeMutablePointer<Int>.allocate(capacity: RowGroups.mostSeen)
  /// The group of the rows whose only key is nil; -1 before the first of them.
  @exclusivity(unchecked) private var nilGroup = -1
  /// The bits of a key that is a number.
  private let word = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
  @exclusivity(unchecked) private var buffer = ByteBuffer()

  /// Limits of `seen`: at most this many byte strings, and none longer than `mostBytes`.
  private static let mostSeen = 4096
  private static let mostBytes = 512

  init(_ keys: [Expression], _ ground: Ground, entity: EntityID) throws {
    let orders = try keys.map { (key) throws(ConditionFault) in
      var checker = Checker(ground, entity)
      return try checker.key(Order(key))
    }
    sorting = try SortKeys(orders, ground, entity: entity, numbersRows: false)
    let known = sorting.fields ?? []
    fieldCount = known.count
    fields = .allocate(capacity: max(1, fieldCount))
    fields.initialize(from: known, count: fieldCount)
  }

  // The programs of `sorting` own what the fields point to.
  deinit {
    fields.deallocate()
    groups.deallocate()
    word.deallocate()
  }

  var count: Int { keys.count }

  /// The numbers of all groups in the order of their keys.
  var order: [Int] { table.sorted() }

  /// The number of a row's group. Groups are numbered in the order of their first rows.
  @inline(__always)
  func group(of row: Row) throws -> Int {
    guard fieldCount == 1 else { return try group(of: row, gathered(row)) }
    guard let cell = fields.pointee.cell(row.start, version: row.version) else { return try canonical(row) }
    if cell.isNull { return try groupOfNil(row) }
    if fields.pointee.isBytes { return try group(of: row, cell.bytes) }
    word.pointee = cell.bits
    return try group(of: row, UnsafeRawBufferPointer(start: word, count: 8))
  }

  /// The group of a row. `bytes` contains its key fields; nil if they are unknown.
  @inline(__always)
  private func group(of row: Row, _ bytes: UnsafeRawBufferPointer?) throws -> Int {
    guard let bytes, bytes.count <= Self.mostBytes else { return try canonical(row) }
    let hash = seen.hash(bytes)
    if let known = seen.number(of: bytes, hash) { return groups[known] }
    return try remember(row, bytes, hash: hash)
  }

  @inline(__always)
  private func groupOfNil(_ row: Row) throws -> Int {
    if nilGroup < 0 { nilGroup = try canonical(row) }
    return nilGroup
  }

  /// The bytes of all key fields together, each with its length, which is -1 for nil.
  private func gathered(_ row: Row) -> UnsafeRawBufferPointer? {
    buffer.clear()
    for number in 0..<fieldCount {
      guard let cell = fields[number].cell(row.start, version: row.version) else { return nil }
      buffer.append(big: UInt64(bitPattern: Int64(cell.count)))
      if fields[number].isBytes { buffer.append(contentsOf: cell.bytes) } else { buffer.append(big: cell.bits) }
    }
    return fieldCount == 0 ? nil : buffer.bytes
  }

  @inline(never)
  private func remember(_ row: Row, _ bytes: UnsafeRawBufferPointer, hash: Int) throws -> Int {
    let group = try canonical(row)
    if seen.count < Self.mostSeen {
      seen.add(bytes, hash)
      groups[seen.count - 1] = group
    }
    return group
  }

  @inline(never)
  private func canonical(_ row: Row) throws -> Int {
    try sorting.make(row)
    let key = sorting.key.bytes
    let hash = table.hash(key)
    if let known = table.number(of: key, hash) { return known }
    table.add(key, hash)
    keys.append(try sorting.values(row))
    return count - 1
  }
}
