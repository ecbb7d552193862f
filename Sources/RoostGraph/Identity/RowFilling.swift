internal import RoostFile
internal import RoostRecords

/// Gives the values of many rows of one entity to their objects. It looks up once what is the same
/// for all rows.
struct RowFilling: ~Copyable {
  private var source: _RowSource
  // Unmanaged, because each row uses them: the caller keeps the table, and the entity's map keeps
  // its plans.
  private let objects: Unmanaged<ObjectTable>
  private var plan: Unmanaged<RowPlan>
  private var lazy: UInt64
  private let large: LargeValues
  /// The class and the layout for which the source is prepared.
  private var map: Int
  private var version: Int

  init(_ table: TableReader, _ map: EntityMap, objects: ObjectTable) {
    self.objects = .passUnretained(objects)
    large = LargeValues(table)
    self.map = map.number
    version = map.rows.count - 1
    plan = .passUnretained(map.newest)
    lazy = map.newest.lazy
    source = _RowSource(Self.nowhere, map.newest, large: large)
  }

  /// Returns the error if the row could not be read.
  @inline(__always)
  mutating func fill(_ object: any _ModelObject, _ row: Row, map: EntityMap) -> (any Error)? {
    large.row = row.id
    let isPrepared = row.version == version && map.number == self.map
    source.begin(row.start, isPrepared ? nil : map.rows[row.version])
    if !isPrepared {
      (self.map, version) = (map.number, row.version)
      (plan, lazy) = (.passUnretained(source.plan), source.plan.lazy)
    }
    source.lazy = objects._withUnsafeGuaranteedRef { $0.keep(row, plan, lazy: lazy, in: object) }
    object._$decode(from: &source)
    object._$state.flags.remove([.fault, .invalid])
    return source.failure == nil ? nil : source.noteRefused(in: object)
  }

  /// The source's address before the first row. It is never read.
  // Unsafe, because it is never written.
  nonisolated(unsafe) static let nowhere = UnsafeRawPointer(
    UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8))

  /// Reads the values that are stored outside their rows.
  private final class LargeValues: _RowSource.LargeValues {
    private let table: TableReader
    @exclusivity(unchecked) var row = RowID(0)

    init(_ table: TableReader) { self.table = table }

    func bytes(of field: FieldID) throws(StoreError) -> [UInt8] { try table.large(field, row) }
  }
}
