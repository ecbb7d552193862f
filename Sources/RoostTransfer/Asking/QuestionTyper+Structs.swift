internal import RoostQuery
internal import RoostRecords

/// Stored structs: `place.city` is the field `place.city` of the row.
extension QuestionTyper {
  /// Returns the struct at a path. The value of its field says whether the struct exists.
  func structure(_ path: String, _ rows: RowClass, row: RoostQuery.Expression, kind: Kind) -> Typed {
    let place = StructPath(row: row, kind: kind, name: path)
    guard let presence = rows.entity.field(path), presence.type == .presence else {
      return Typed(expression: .constant(.bool(true), .plain(.presence)), kind: .plain(.presence), structure: place)
    }
    return Typed(
      expression: .field(row, presence.id), kind: .optional(.plain(.presence)), structure: place)
  }

  /// A part of a struct: a field, or a nested struct. It is nil if one of the structs around it is
  /// nil.
  func part(_ name: String, of path: StructPath, _ placed: Placed) throws(QuestionFault) -> Typed {
    guard let entity = path.kind.entity.flatMap({ catalog.entity($0) }) else {
      throw fault("a row is expected", placed)
    }
    let full = path.name + "." + name
    let field = entity.field(full)
    if field == nil || field?.type == .presence, entity.fields.contains(where: { $0.name.hasPrefix(full + ".") }) {
      return structure(full, RowClass(entity), row: path.row, kind: path.kind)
    }
    guard let field, field.type != .presence else {
      let known = entity.fields.filter { $0.name.hasPrefix(path.name + ".") }.map { part in
        String(part.name.dropFirst(path.name.count + 1).prefix { $0 != "." })
      }
      throw fault("'\(path.name)' has no '\(name)'" + FieldNames.offer(name, Set(known).sorted()), placed)
    }
    let value = RoostQuery.Expression.field(path.row, field.id)
    let kind = path.kind.isOptional ? Kind(field).optional : Kind(field)
    let tests = FieldNames.above(full).compactMap { name -> RoostQuery.Expression? in
      guard let presence = entity.field(name), presence.type == .presence else { return nil }
      return .compare(.notEqual, .field(path.row, presence.id), .constant(.null, .optional(.plain(.presence))))
    }
    if tests.isEmpty { return Typed(expression: value, kind: kind) }
    return Typed(
      expression: .conditional(
        tests.count == 1 ? tests[0] : .and(tests), value, .constant(.null, kind.optional)),
      kind: kind.optional)
  }
}
