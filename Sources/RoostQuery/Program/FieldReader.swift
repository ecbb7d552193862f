internal import RoostRecords

/// Reads one field of a row. It has no counted reference, so that a loop may copy it.
struct FieldReader {
  /// The places by version of the layout.
  let places: UnsafeMutablePointer<FieldPlace>
  let coding: CellCoding
  /// Whether its cells are bytes in the row.
  let isBytes: Bool
  /// The value of rows whose layout does not have the field.
  let initial: Cell
  /// The value of rows in which the field is nil.
  let empty: Cell

  init(_ load: FieldLoad) {
    places = .allocate(capacity: load.places.count)
    places.initialize(from: load.places, count: load.places.count)
    coding = load.coding
    isBytes = load.coding == .text || load.coding == .uuid
    initial = load.initial
    empty = load.isOptional ? .null : load.initial
  }

  func deallocate() { places.deallocate() }

  /// The value; nil if it is stored outside the row. The row was validated, so its version is one
  /// of the table's.
  @inline(__always)
  func cell(_ row: UnsafeRawPointer, version: Int) -> Cell? {
    let place = places + version
    switch place.pointee.kind {
    case .missing: return initial
    case .fixed: return place.pointee.isNull(row) ? empty : coding.cell(place.pointee.fixed(row))
    case .variable:
      if place.pointee.isNull(row) { return empty }
      let (bytes, isOutside) = place.pointee.variable(row)
      return isOutside ? nil : Cell(bytes)
    }
  }
}
