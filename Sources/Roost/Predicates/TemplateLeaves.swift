internal import RoostGraph
internal import RoostRecords

/// What the making of a template notes about the values in a predicate.
///
/// The translator comes to them in the order in which ``LeafLayout`` has them; where it does not, nothing is made of it.
final class TemplateLeaves {
  private let types: [Any.Type]
  private var count = 0
  /// Whether the translation depends on a value otherwise than as a constant in it.
  var isTouched = false

  init(_ types: [Any.Type]) { self.types = types }

  /// The number of the next one.
  func next(_ type: Any.Type) -> Int? {
    guard count < types.count, types[count] == type else {
      isTouched = true
      return nil
    }
    let number = count
    count += 1
    // A range is two.
    if count < types.count, types[count] == UpperBound.self { count += 1 }
    return number
  }

  /// Which leaves are identifiers of rows, and of which entity.
  private(set) var rows: [(leaf: Int, map: EntityMap)] = []

  func stands(_ leaf: Int, for map: EntityMap) { rows.append((leaf, map)) }

  /// What the translation found in them. Of identifiers nothing is noted.
  private(set) var values: [Int: Value] = [:]

  func note(_ value: Value, _ leaf: Int) { values[leaf] = value }

  /// Whether other values of these leaves can take the places of those that were met.
  var isOpen: Bool { !isTouched && count == types.count }
}
