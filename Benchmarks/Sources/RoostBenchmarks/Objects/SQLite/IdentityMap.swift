/// The living objects of one class by their rows. It does not retain them: an object removes itself
/// at its end.
struct IdentityMap<Object: AnyObject> {
  private var objects: [Int64: Unmanaged<Object>] = [:]

  @inline(__always)
  subscript(row: Int64) -> Object? { objects[row]?.takeUnretainedValue() }

  @inline(__always)
  mutating func add(_ row: Int64, _ object: Object) { objects[row] = Unmanaged.passUnretained(object) }

  /// Does nothing if another object has taken the row.
  mutating func forget(_ row: Int64, _ object: Object) {
    guard let old = objects.removeValue(forKey: row) else { return }
    if old.toOpaque() != Unmanaged.passUnretained(object).toOpaque() { objects[row] = old }
  }
}
