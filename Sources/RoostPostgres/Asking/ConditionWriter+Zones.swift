#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostQuery
  internal import RoostRecords

  /// The zones in which a condition can be true.
  ///
  /// A row and all rows that its relationships reference are in one zone. So a comparison
  /// determines the zone if it compares such a row, or the property that defines the zone of such a
  /// row.
  extension ConditionWriter {
    /// Nil if the condition does not restrict the zone.
    func zones(of term: Term) -> Set<String>? {
      let parts = term.operands
      if case .and = term.expression {
        var found: Set<String>?
        // A row for which a part raises an error is in the answer, in any zone.
        for part in parts.prefix(while: Self.isSound) {
          if let some = zones(of: part) { found = found?.intersection(some) ?? some }
        }
        return found
      }
      guard Self.isSound(term) else { return nil }
      switch term.expression {
      case .or:
        var found: Set<String> = []
        for part in parts {
          guard let some = zones(of: part) else { return nil }
          found.formUnion(some)
        }
        return found
      case .compare(.equal, _, _):
        if let value = parts[1].constant { return zones(parts[0], among: [value]) }
        return parts[0].constant.flatMap { zones(parts[1], among: [$0]) }
      case .contains:
        switch parts[0].constant {
        case .array(let values)?: return zones(parts[1], among: values)
        case .set(let values)?: return zones(parts[1], among: Array(values))
        default: return nil
        }
      default: return nil
      }
    }

    /// The zones of rows in which a term has one of some values.
    private func zones(_ term: Term, among values: [Value]) -> Set<String>? {
      if values.contains(where: \.isNull) { return nil }
      if term.kind.entity != nil { return Self.isReached(term) ? zones(ofRows: values, term.kind) : nil }
      guard case .field(_, let field) = term.target, Self.isReached(term.operands[0]),
        let table = term.operands[0].kind.entity.flatMap(table), let rule = store.zones[table],
        case .value = rule.member,
        rule.field == field.name
      else { return nil }
      var found: Set<String> = []
      for value in values {
        guard let zone = value.zoneText else { return nil }
        found.insert(zone)
      }
      return found
    }

    private func zones(ofRows values: [Value], _ kind: Kind) -> Set<String>? {
      var found: Set<String> = []
      for value in values {
        guard case .reference(let row) = value else { return nil }
        // A row that the store cannot contain is in no zone.
        if let key = key(of: row, kind) { found.insert(key.zone) }
      }
      return found
    }

    /// Whether a term is the tested row, or a row that to-one relationships reference from it.
    private static func isReached(_ term: Term) -> Bool {
      switch term.expression {
      case .variable: term.isRow
      case .field, .unwrap: isReached(term.operands[0])
      default: false
      }
    }
  }
#endif
