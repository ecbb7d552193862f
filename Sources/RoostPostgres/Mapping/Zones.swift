#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// In which zone an object is.
  struct Zones {
    /// By table: the property that tells it; none where all are in one zone.
    private let rules: [Int: Int]

    init(_ zone: PostgresZone, _ tables: TableMap) throws {
      var rules: [Int: Int] = [:]
      for rule in zone.rules {
        guard let (table, place) = tables.places[rule.model],
          let property = tables.tables[table].classes[place].type.number(ofPath: rule.property)
        else {
          throw RoostError(.unknownModel, "the rule of zones names \(rule.model).\(rule.property), which is not stored")
        }
        switch tables.tables[table].classes[place].members[property] {
        case .value?, .reference?: rules[table] = property
        default:
          throw RoostError(
            .badValue,
            "\(rule.model).\(rule.property) cannot tell the zone: it must be a value, or a relationship to one "
              + "that the row itself keeps")
        }
      }
      if !rules.isEmpty {
        for (number, table) in tables.tables.enumerated() where rules[number] == nil {
          throw RoostError(
            .badValue,
            "no rule tells the zone of \(table.root.name): add one with .properties(…), since relationships stay in a zone"
          )
        }
      }
      self.rules = rules
    }

    /// The property that tells the zone of a table's objects; nil where there is one zone.
    func property(_ table: Int) -> Int? { rules[table] }
  }
#endif
