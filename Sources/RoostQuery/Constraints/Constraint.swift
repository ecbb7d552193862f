internal import RoostRecords

/// A field that a condition is about: of the row itself, or of one that references lead to.
struct Path: Equatable {
  var first: FieldID
  /// One field for each further step; all but the last of all are references.
  var rest: [FieldID] = []
  /// What the last field holds.
  var field: KeyField

  var isOwn: Bool { rest.isEmpty }

  // The steps from the row say it all; what it holds is only kept at hand.
  static func == (one: Path, other: Path) -> Bool { one.first == other.first && one.rest == other.rest }
}

/// What a field's keys are made of.
struct KeyField {
  var type: FieldType
  var isOptional: Bool

  init(_ field: Field) {
    type = field.type
    isOptional = field.isOptional
  }

  /// Whether its keys are texts or data, which an index may cut.
  var isText: Bool {
    switch type {
    case .string, .url, .data: true
    default: false
    }
  }
}

/// What one part of a condition asks of a field: to lie in one of some stretches.
///
/// A row for which the part is true always does. If `isExact`, no other row does.
struct Constraint {
  var path: Path
  var bounds: [PartBound]
  /// The parts of the condition it stands for.
  var conjuncts: PartSet

  var isExact: Bool { bounds.allSatisfy(\.isExact) }

  /// The stretches among keys whose texts are cut behind so many bytes.
  func bounds(cutBehind most: Int) -> [PartBound] {
    guard path.field.isText, bounds.contains(where: { $0.isCut(behind: most, path.field) }) else { return bounds }
    return bounds.map { $0.cut(behind: most, path.field) }
  }

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
