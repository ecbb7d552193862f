internal import RoostGraph
internal import RoostRecords

/// What the making of a template notes about the values in a predicate.
///
/// A value is known by its place in the expression, so the translator may come to the values in any order.
final class TemplateLeaves {
  private let layout: LeafLayout
  /// The leaves that the translator came to, a bit each.
  private var met: UInt64 = 0
  /// Whether the translation depends on a value otherwise than as a constant in it.
  var isTouched = false

  init(_ layout: LeafLayout) { self.layout = layout }

  /// The number of the value at a place. Of a range it is that of the first bound, and the second has the next one.
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

  /// The base of one of the expressions that are evaluated at a place.
  func base(_ number: Int, at place: ExpressionPlace) -> Int {
    if let base = layout.base(number, at: place) { return base }
    isTouched = true
    return 0
  }

  /// Which leaves are identifiers of rows, and of which entity.
  private(set) var rows: [(leaf: Int, map: EntityMap)] = []

  func stands(_ leaf: Int, for map: EntityMap) { rows.append((leaf, map)) }

  /// What the translator found in them. Of identifiers nothing is noted.
  private(set) var values: [Int: Value] = [:]

  func note(_ value: Value, _ leaf: Int) { values[leaf] = value }

  /// Whether other values of these leaves can take the places of those that were met.
  var isOpen: Bool { !isTouched && met.nonzeroBitCount == layout.values.count }
}
