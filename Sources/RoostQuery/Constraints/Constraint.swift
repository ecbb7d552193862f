internal import RoostRecords

/// A field that a condition tests: of the row itself, or of a row that its references reach.
struct Path: Equatable {
  var first: FieldID
  /// One field for each further step; all fields except the last are references.
  var rest: [FieldID] = []
  /// The form of the last field's value that is tested.
  var form = Index.Form.value
  /// The type of that form.
  var field: KeyField

  var isOwn: Bool { rest.isEmpty }

  // The steps and the form determine the field; `field` only saves a lookup.
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

/// The type of a field's keys.
struct KeyField {
  var type: FieldType
  var isOptional: Bool

  init(_ field: Field) { self.init(field.type, isOptional: field.isOptional) }

  init(_ type: FieldType, isOptional: Bool) {
    self.type = type
    self.isOptional = isOptional
  }

  /// The keys of one part of an index.
  init?(_ part: Index.Part, _ entity: Entity) {
    guard let field = entity.field(part.field), let type = part.form.type(of: field.type) else { return nil }
    self.init(type, isOptional: field.isOptional && !part.form.isMany)
  }

  /// Whether its keys are texts or data, which an index may truncate.
  var isText: Bool {
    switch type {
    case .string, .url, .data: true
    default: false
    }
  }
}

/// The ranges in which one part of a condition requires a field to lie.
///
/// Every row for which the part is true lies in one of them. If `isExact`, no other row does.
struct Constraint {
  var path: Path
  var bounds: [PartBound]
  /// The parts of the condition that this constraint expresses.
  var conjuncts: PartSet

  var isExact: Bool { bounds.allSatisfy(\.isExact) }

  /// The ranges for an index that truncates texts after `most` bytes.
  func bounds(cutBehind most: Int) -> [PartBound] {
    guard path.field.isText, bounds.contains(where: { $0.isCut(behind: most, path.field) }) else { return bounds }
    return bounds.map { $0.cut(behind: most, path.field) }
  }

  var isPoint: Bool { bounds.count == 1 && bounds[0].isPoint }

  /// Both constraints at once; nil if that would take more than 1,000 ranges.
  func joined(_ other: Constraint) -> Constraint? {
    guard bounds.count * other.bounds.count <= 1000 else { return nil }
    var both = self
    both.bounds = PartBound.merged(
      bounds.flatMap { bound in other.bounds.compactMap { bound.intersection($0) } })
    both.conjuncts.formUnion(other.conjuncts)
    return both
  }
}
