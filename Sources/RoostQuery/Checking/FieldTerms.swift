internal import RoostRecords

/// A cache of the terms of fields, so that the next query need not look them up and make them
/// again.
final class FieldTerms {
  /// Searching more than 32 would cost more than making a term.
  private static let most = 32

  @exclusivity(unchecked) private var known: [(entity: EntityID, field: FieldID, term: Term)] = []

  /// The term of a field of the row that a condition is about.
  func term(_ field: FieldID, of entity: EntityID) -> Term? {
    for place in known.indices where known[place].field == field && known[place].entity == entity {
      return known[place].term
    }
    return nil
  }

  func keep(_ term: Term, _ field: FieldID, of entity: EntityID) {
    if known.count < Self.most { known.append((entity, field, term)) }
  }
}
