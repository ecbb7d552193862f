internal import RoostRecords

/// A field that a condition is about: of the row itself, or of one that references lead to.
struct Path: Equatable {
  var first: FieldID
  /// One field for each further step; all but the last of all are references.
  var rest: [FieldID] = []
  /// What of the last field's value is asked.
  var form = Index.Form.value
  /// What that is.
  var field: KeyField

  var isOwn: Bool { rest.isEmpty }

  // The steps from the row say it all; what it holds is only kept at hand.
  static func == (one: Path, other: Path) -> Bool {
    one.first == other.first && one.rest == other.rest && one.form == other.form
  }

  /// The path to a form of the value; nil if the value has no such form, or this is a form already.
  func formed(_ form: Index.Form) -> Path? {
    guard self.form == .value, form != .value, let type = form.type(of: field.type) else { return nil }
    var path = self
    path.form = form
    path.field = KeyField(type, isOptional: field.isOptional && !form.isMany)
    return path
  }
}

/// What a field's keys are made of.
struct KeyField {
  var type: FieldType
  var isOptional: Bool

  init(_ field: Field) { self.init(field.type, isOptional: field.isOptional) }

  init(_ type: FieldType, isOptional: Bool) {
    self.type = type
    self.isOptional = isOptional
  }

  /// What a part of an index has of a row.
  init?(_ part: Index.Part, _ entity: Entity) {
    guard let field = entity.field(part.field), let type = part.form.type(of: field.type) else { return nil }
    self.init(type, isOptional: field.isOptional && !part.form.isMany)
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
