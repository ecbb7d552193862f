package import RoostQuery
package import RoostRecords

/// Conditions and orders that somebody types, as in `genre == "jazz" && duration > 180`.
///
/// They become expressions with constants in them; nothing that was typed reaches the engine as text.
package enum TypedQuestion {
  package static func condition(
    _ text: String, of entity: EntityID, _ catalog: Catalog
  ) throws -> RoostQuery.Expression {
    let parsed = try QuestionParser.parse(text)
    var typer = QuestionTyper(text, catalog, entity: entity)
    let expression = try typer.condition(parsed)
    do { _ = try Checker.condition(expression, catalog, entity: entity) } catch {
      throw QuestionFault(detail: "\(error)", place: parsed.place, text: text)
    }
    return expression
  }

  /// `releaseDate`, `-releaseDate` for the other direction, `album.title`; several between commas.
  package static func order(_ text: String, of entity: EntityID, _ catalog: Catalog) throws -> [Order] {
    var orders: [Order] = []
    for part in text.split(separator: ",") {
      var key = part.drop { $0.isWhitespace }
      let isDescending = key.first == "-"
      if isDescending { key = key.dropFirst() }
      let word = String(key)
      let parsed = try QuestionParser.parse(word)
      var typer = QuestionTyper(word, catalog, entity: entity)
      let found = try typer.typed(parsed)
      guard found.kind.isSortable else {
        throw QuestionFault(detail: "\(typer.name(found.kind)) has no order", place: 0, text: word)
      }
      orders.append(Order(found.expression, isDescending: isDescending))
    }
    return orders
  }
}
