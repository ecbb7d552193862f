package import RoostRecords

/// Puts the values of one object into a row.
///
/// Values have node numbers: first the properties, then the parts of properties that are stored as
/// parts.
public struct _RowSink: ~Copyable {
  @usableFromInline let memory: UnsafeMutableRawPointer
  @usableFromInline let places: UnsafePointer<_Place>
  package var builder: RowBuilder
  package let plan: RowPlan
  /// The error of the first value that could not be stored.
  package var failure: RecordFault?
  /// Bytes of the current value.
  var scratch = _ByteSink()

  /// For rows of a plan's layout, which must be the newest.
  package init(_ plan: RowPlan) {
    self.plan = plan
    builder = RowBuilder(plan.layout)
    memory = builder.memory
    places = UnsafePointer(plan.places)
  }

  /// Begins another row.
  package mutating func clear() {
    builder.clear()
    failure = nil
    if let mark = plan.mark { memory.storeBytes(of: mark.number, toByteOffset: mark.position, as: UInt32.self) }
  }

  // MARK: Fixed width

  @inlinable @inline(__always)
  func setPresent(_ place: _Place) {
    if place.nullMask == 0 { return }
    let at = Int(place.nullByte)
    let now = memory.load(fromByteOffset: at, as: UInt8.self)
    memory.storeBytes(of: now & ~place.nullMask, toByteOffset: at, as: UInt8.self)
  }

  /// Writes a value whose bytes in memory are those in the row.
  @inlinable @inline(__always)
  public mutating func _store<Value: BitwiseCopyable>(_ value: Value, at node: Int) {
    let place = places[node]
    setPresent(place)
    memory.storeBytes(of: value, toByteOffset: Int(place.position), as: Value.self)
  }

  /// Marks a struct as present. Its parts are written separately.
  package mutating func setPresent(at node: Int) { setPresent(places[node]) }

  public mutating func _setNull(at node: Int) {
    let place = places[node]
    if place.nullMask == 0 || place.isNeeded {
      return refuse(node, RecordFault(.missing, "nil, but a value is required"))
    }
    builder.setNull(plan.slot(node))
  }

  // MARK: Variable width

  public mutating func _store(bytes: UnsafeRawBufferPointer, at node: Int) {
    let place = places[node]
    setPresent(place)
    builder.set(variable: Int(place.number), bytes: bytes)
  }

  /// Stores the bytes that a closure writes.
  package mutating func store(at node: Int, _ body: (inout _ByteSink) -> Void) {
    scratch.clear()
    body(&scratch)
    if let fault = scratch.fault { return refuse(node, fault) }
    let place = places[node]
    setPresent(place)
    builder.set(variable: Int(place.number), bytes: scratch.bytes)
  }

  package mutating func refuse(_ node: Int, _ fault: RecordFault) {
    if failure == nil { failure = fault.at(plan.entityName, plan.names[node]) }
  }
}
