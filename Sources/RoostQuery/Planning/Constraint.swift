internal import RoostRecords

/// A field that a condition is about: of the row itself, or of one that references lead to.
struct Path: Equatable {
  /// One field for each step; all but the last are references.
  var fields: [FieldID]
  /// The last field.
  var field: Field

  var first: FieldID { fields[0] }
  var isOwn: Bool { fields.count == 1 }

  // The steps from the row say it all; the last field is only kept at hand.
  static func == (one: Path, other: Path) -> Bool { one.fields == other.fields }
}

/// What one part of a condition asks of a field: to lie in one of some stretches.
///
/// A row for which the part is true always does. If `isExact`, no other row does.
struct Constraint {
  var path: Path
  var bounds: [PartBound]
  /// The parts of the condition it stands for.
  var conjuncts: Set<Int>

  var isExact: Bool { bounds.allSatisfy(\.isExact) }
  var isPoint: Bool { bounds.count == 1 && bounds[0].isPoint }

  /// Both at once; nil where that would take too many stretches.
  func joined(_ other: Constraint) -> Constraint? {
    guard bounds.count * other.bounds.count <= 1000 else { return nil }
    var both = self
    both.bounds = PartBound.merged(
      bounds.flatMap { bound in other.bounds.compactMap { bound.intersection($0) } })
    both.conjuncts.formUnion(other.conjuncts)
    return both
  }
}
