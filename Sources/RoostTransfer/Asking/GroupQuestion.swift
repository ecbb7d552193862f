package import RoostQuery
package import RoostRecords

/// A user's question about groups of rows: keys, measures, and conditions on them.
///
/// The expressions of the columns, of the condition and of the order have parameters: the keys of a group, then its measures.
package struct GroupQuestion: Sendable {
  package struct Column: Sendable {
    package let name: String
    package let expression: RoostQuery.Expression
    package let kind: Kind
    package let type: FieldType
  }

  package let entity: EntityID
  package let keys: [TypedValue]
  package let measures: [GroupMeasure]
  package let columns: [Column]
  package let condition: RoostQuery.Expression?
  package let order: [Order]

  /// - Parameters:
  ///   - keys: The values that all rows of a group share, such as `genre` or
  ///       `decade = year / 10 * 10`. Without keys all rows are one group.
  ///   - columns: The values to show for each group, such as `genre`, `count` or
  ///       `total = sum(plays)`.
  ///   - having: A condition on groups, such as `count > 3`.
  ///   - sort: The order, such as `-sum(plays),genre`. Without it groups are sorted by their keys.
  package init(
    by keys: [String], columns: [String], having: String?, sort: String?, of rows: RowClass, _ catalog: Catalog
  ) throws {
    let keys = try keys.map { text in
      let key = try TypedValue(text, of: rows, catalog)
      guard key.kind.isSortable else {
        throw QuestionFault(detail: "rows cannot be grouped by this, because it has no order", place: 0, text: text)
      }
      return key
    }
    var grouping = QuestionGrouping(keys)
    let shown: [Column] = try columns.map { text in
      let (given, value) = QuestionParts.named(text)
      let parsed = try QuestionParser.parse(value)
      let found: QuestionTyper.Typed
      if let key = keys.firstIndex(where: { $0.name == (given ?? value) }) {
        found = grouping.key(key)
      } else {
        found = try Self.typed(value, &grouping, rows: rows, catalog: catalog) { (typer) throws(QuestionFault) in
          try typer.typed(parsed)
        }
      }
      guard let type = FieldType(found.kind.whole), type != .presence else {
        throw QuestionFault(detail: "this is no single value", place: parsed.place, text: value)
      }
      if let given { grouping.names[given] = found }
      return Column(name: given ?? value, expression: found.expression, kind: found.kind, type: type)
    }
    let condition: RoostQuery.Expression? = try having.map { text in
      let parsed = try QuestionParser.parse(text)
      let found = try Self.typed(text, &grouping, rows: rows, catalog: catalog) { (typer) throws(QuestionFault) in
        QuestionTyper.Typed(expression: try typer.condition(parsed), kind: .bool)
      }
      return found.expression
    }
    let order: [Order] = try QuestionParts.keys(sort ?? "").map { word, isDescending in
      let parsed = try QuestionParser.parse(word)
      let found = try Self.typed(word, &grouping, rows: rows, catalog: catalog) { (typer) throws(QuestionFault) in
        try typer.typed(parsed)
      }
      guard found.kind.isSortable else {
        throw QuestionFault(detail: "this has no order", place: parsed.place, text: word)
      }
      return Order(found.expression, isDescending: isDescending)
    }
    (entity, self.keys, measures) = (rows.entity.id, keys, grouping.measures)
    (self.columns, self.condition, self.order) = (shown, condition, order)
  }

  /// Whether a column shows the class of the rows. It is stored as a number.
  package func showsClass(_ column: Column, _ catalog: Catalog) -> Bool {
    guard case .parameter(let place, _) = column.expression, keys.indices.contains(place),
      case .field(.variable(0), let field) = keys[place].expression
    else { return false }
    return catalog.entity(entity)?.field(field)?.name == FieldNames.kind
  }

  private static func typed(
    _ text: String, _ grouping: inout QuestionGrouping, rows: RowClass, catalog: Catalog,
    body: (inout QuestionTyper) throws(QuestionFault) -> QuestionTyper.Typed
  ) throws -> QuestionTyper.Typed {
    var typer = QuestionTyper(text, catalog, of: rows)
    typer.grouping = grouping
    let found = try body(&typer)
    grouping = typer.grouping ?? grouping
    do {
      var checker = Checker(catalog, rows.entity.id)
      _ = try checker.term(found.expression)
    } catch { throw QuestionFault(detail: "\(error)", place: 0, text: text) }
    return found
  }
}
