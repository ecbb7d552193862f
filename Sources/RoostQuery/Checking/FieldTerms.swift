internal import RoostRecords

/// The terms of fields that questions asked before, so that the next one need not look them up and make them again.
final class FieldTerms {
  /// More are not worth going through.
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
