package import RoostFile
package import RoostRecords

/// Reads the values of one row into an object. The row was validated: every place of its layout
/// lies within it.
public struct _RowSource: ~Copyable {
  @usableFromInline private(set) var row: UnsafeRawPointer
  @usableFromInline private(set) var places: UnsafePointer<_Place>
  package private(set) var plan: RowPlan
  /// The bits of properties that stay empty, because the object makes their values from its kept
  /// row.
  @usableFromInline var lazy: UInt64 = 0
  /// Reads a value that is too large for its row.
  package let large: (any LargeValues)?
  /// The error of the first value that could not be read. Its slot stays empty.
  package var failure: (any Error)?

  /// Reads a row's large values.
  package protocol LargeValues {
    func bytes(of field: FieldID) throws(StoreError) -> [UInt8]
  }

  /// The plan must be that of the row's layout, which has validated the row.
  package init(_ row: UnsafeRawPointer, _ plan: RowPlan, large: (any LargeValues)? = nil) {
    self.row = row
    self.plan = plan
    self.large = large
    places = UnsafePointer(plan.places)
  }

  /// Switches to another row of this plan's layout, or to a row of another plan.
  mutating func begin(_ row: UnsafeRawPointer, _ plan: @autoclosure () -> RowPlan?) {
    self.row = row
    failure = nil
    guard let plan = plan() else { return }
    self.plan = plan
    places = UnsafePointer(plan.places)
  }

  /// Whether the row stores nil.
  @inlinable @inline(__always)
  public func _isNull(_ node: Int) -> Bool {
    let place = places[node]
    if place.kind == .initial { return isInitiallyNull(node) }
    return place.isNull(row)
  }

  /// Reads a value whose bytes in memory are those in the row.
  @inlinable @inline(__always)
  public mutating func _load<Value: BitwiseCopyable>(_ node: Int, as type: Value.Type) -> Value {
    let place = places[node]
    if place.kind == .fixed, !place.isNull(row) {
      return row.loadUnaligned(fromByteOffset: Int(place.position), as: type)
    }
    return initial(node).loadUnaligned(as: type)
  }

  /// Passes the bytes of a variable value to a closure. They may have any length and may be
  /// damaged.
  public mutating func _withBytes<Result>(_ node: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let place = places[node]
    if place.kind == .variable, !place.isNull(row) {
      if let bytes = place.bytes(row) { return body(bytes) }
      return outside(node, FieldID(place.field), body: body)
    }
    return body(initialBytes(node))
  }

  package mutating func fail(_ node: Int, _ detail: String) {
    if failure == nil { failure = RecordFault(.wrongType, detail, entity: plan.entityName, field: plan.names[node]) }
  }

  private mutating func outside<Result>(
    _ node: Int, _ field: FieldID, body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    do throws(StoreError) {
      guard let large else {
        throw StoreError(.damaged, "\(plan.names[node]) is stored outside its row, and cannot be read")
      }
      return try large.bytes(of: field).withUnsafeBytes(body)
    } catch {
      if failure == nil { failure = error }
      return body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  /// The bit of ``Layout``, repeated here so that the compiler can inline it.
  static var outsideBit: UInt16 { @inline(__always) get { 0x8000 } }

  @inline(__always)
  static func word(_ row: UnsafeRawPointer, _ offset: Int) -> UInt16 {
    UInt16(littleEndian: row.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  // MARK: Fields that the row lacks

  @usableFromInline @inline(never)
  func isInitiallyNull(_ node: Int) -> Bool { plan.initial.isNull(node) }

  /// The bytes of a value that the row lacks, or that is nil in the row although it may no longer
  /// be nil.
  @usableFromInline @inline(never)
  func initial(_ node: Int) -> UnsafeRawPointer { plan.initial.fixed(node) }

  private func initialBytes(_ node: Int) -> UnsafeRawBufferPointer { plan.initial.bytes(node) }
}
