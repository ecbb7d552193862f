package import RoostQuery
package import RoostRecords

/// Conditions and orders that a user types, such as `genre == "jazz" && duration > 180`.
///
/// They become expressions with constants. The typed text itself never reaches the engine.
package enum TypedQuestion {
  package static func condition(
    _ text: String, of rows: RowClass, _ catalog: Catalog
  ) throws -> RoostQuery.Expression {
    let parsed = try QuestionParser.parse(text)
    var typer = QuestionTyper(text, catalog, of: rows)
    let expression = try typer.condition(parsed)
    do { _ = try Checker.condition(expression, catalog, entity: rows.entity.id) } catch {
      throw QuestionFault(detail: "\(error)", place: parsed.place, text: text)
    }
    return expression
  }

  /// Changes of fields, such as `plays = plays + 1, rating = nil`. A value may use the row's former
  /// values.
  package static func changes(
    _ text: String, of rows: RowClass, _ catalog: Catalog
  ) throws -> [(field: Field, value: RoostQuery.Expression)] {
    var changes: [(field: Field, value: RoostQuery.Expression)] = []
    for change in try QuestionParser.changes(text) {
      func fault(_ detail: String) -> QuestionFault { QuestionFault(detail: detail, place: change.place, text: text) }
      let field = try FieldChange.field(change.name, of: rows, catalog, fault: fault)
      if changes.contains(where: { $0.field.id == field.id }) { throw fault("'\(field.name)' is given twice") }
      var typer = QuestionTyper(text, catalog, of: rows)
      let kind = Kind(field)
      let found = try typer.typed(change.value, kind)
      guard found.kind == kind || found.kind.optional == kind else {
        throw QuestionFault(
          detail: "'\(field.name)' is \(typer.name(kind)), and this is \(typer.name(found.kind))",
          place: change.value.place, text: text)
      }
      if field.isNeeded, found.kind.isOptional {
        throw fault("'\(change.name)' must have a value in \(rows.name), and this may be nil")
      }
      if let check = field.caseCheck {
        // Only a program can check that a computed value is a case.
        guard case .constant(let value, _) = found.expression else {
          throw fault("the value of '\(field.name)' must be a literal")
        }
        if !value.isNull, let reason = check(value) { throw fault(reason) }
      }
      var checker = Checker(catalog, rows.entity.id)
      do { _ = try checker.term(found.expression) } catch { throw fault("\(error)") }
      changes.append((field, found.expression))
    }
    return changes
  }

  /// Parses `releaseDate`, `-releaseDate` for descending order, `album.title`; several keys are
  /// separated by commas.
  package static func order(_ text: String, of rows: RowClass, _ catalog: Catalog) throws -> [Order] {
    var orders: [Order] = []
    for (word, isDescending) in QuestionParts.keys(text) {
      let parsed = try QuestionParser.parse(word)
      var typer = QuestionTyper(word, catalog, of: rows)
      let found = try typer.typed(parsed)
      guard found.structure == nil, found.kind.isSortable else {
        let detail =
          found.structure == nil ? "\(typer.name(found.kind)) has no order" : "this is a struct: name one of its parts"
        throw QuestionFault(detail: detail, place: 0, text: word)
      }
      orders.append(Order(found.expression, isDescending: isDescending))
    }
    return orders
  }
}
