internal import RoostGraph
internal import RoostRecords

/// Notes about the values in a predicate while its template is made.
///
/// A value is identified by its position in the expression, so the translator may visit the values
/// in any order.
final class TemplateLeaves {
  private let layout: LeafLayout
  /// The leaves that the translator has visited, one bit each.
  private var met: UInt64 = 0
  /// Whether the translation depends on a value in another way than as a constant in it.
  var isTouched = false

  init(_ layout: LeafLayout) { self.layout = layout }

  /// Returns the number of the value at a position. For a range it is the number of the lower
  /// bound; the upper bound has the next number.
  func leaf(_ type: Any.Type, at place: ExpressionPlace) -> Int? {
    guard let number = layout.values.firstIndex(where: { $0.place == place && $0.leaf.type == type }) else {
      isTouched = true
      return nil
    }
    met |= 1 << UInt64(number)
    let next = number + 1
    if next < layout.values.count, layout.values[next].leaf.type == UpperBound.self { met |= 1 << UInt64(next) }
    return number
  }

  /// Returns the base of one of the expressions that are evaluated at a position.
  func base(_ number: Int, at place: ExpressionPlace) -> Int {
    if let base = layout.base(number, at: place) { return base }
    isTouched = true
    return 0
  }

  /// The leaves that are identifiers of rows, and their entities.
  private(set) var rows: [(leaf: Int, map: EntityMap)] = []

  func stands(_ leaf: Int, for map: EntityMap) { rows.append((leaf, map)) }

  /// The values that the translator found in the leaves, except identifiers.
  private(set) var values: [Int: Value] = [:]

  func note(_ value: Value, _ leaf: Int) { values[leaf] = value }

  /// Whether other values may replace those of these leaves.
  var isOpen: Bool { !isTouched && met.nonzeroBitCount == layout.values.count }
}
