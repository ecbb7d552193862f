#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostQuery
  internal import RoostRecords

  /// Tests of lists of constants, and of the rows of a relationship.
  extension ConditionWriter {
    func contains(_ list: Term, _ element: Term) -> Written? {
      switch list.constant {
      case .array(let values): return isAmong(element, values)
      case .set(let values): return isAmong(element, Array(values))
      default: break
      }
      guard let rows = rows(list) else { return nil }
      if case .reference(let row)? = element.constant {
        guard let member = key(of: row, element.kind) else { return Written("false", doubts: rows.doubts) }
        return Written(rows.exists(keys: [isKey(Table.key.of(rows.alias), [member])]), doubts: rows.doubts)
      }
      guard let member = row(element) else { return nil }
      return Written(
        rows.exists(keys: ["\(Table.key.of(rows.alias)) = \(member.key)"]), doubts: rows.doubts + member.doubts)
    }

    /// Whether constants contain a value.
    func isAmong(_ term: Term, _ values: [Value]) -> Written? {
      let hasNil = values.contains { $0.isNull }
      let others = values.filter { !$0.isNull }
      if term.kind.entity != nil {
        guard let row = row(term) else { return nil }
        let keys = others.compactMap { value -> RowKey? in
          if case .reference(let number) = value { key(of: number, term.kind) } else { nil }
        }
        let test = keys.isEmpty ? nil : isKey(row.key, keys)
        return among(row.key, test, isOptional: row.isOptional, hasNil: hasNil, doubts: row.doubts)
      }
      guard case .plain(let type) = term.kind.whole, let found = value(term) else { return nil }
      // NaN equals nothing.
      let known = others.filter { ValueOrder.holds(.equal, $0, other: $0) }
      guard let list = Statement.Parameter(known, as: type) else { return nil }
      var tests: [String] = []
      if !known.isEmpty, let indexed = found.indexed,
        let firsts = Statement.Parameter(known.compactMap(IndexedText.first), as: .string)
      {
        tests.append("\(indexed) = ANY(\(add(firsts)))")
      }
      tests.append("\(key(found, type)) = ANY(\(add(list)))")
      let test = known.isEmpty ? nil : SQLText.all(tests)
      return among(found.text, test, isOptional: found.isOptional, hasNil: hasNil, doubts: found.doubts)
    }

    private func among(
      _ text: String, _ test: String?, isOptional: Bool, hasNil: Bool, doubts: [Doubt]
    ) -> Written {
      var found = test
      if isOptional, let test { found = "(\(test) AND \(text) IS NOT NULL)" }
      if isOptional, hasNil { found = "(\(text) IS NULL\(found.map { " OR \($0)" } ?? ""))" }
      return Written(found.map { "(\($0))" } ?? "false", doubts: doubts)
    }

    /// The database's key for a row of the working set; nil if the database does not have the row.
    func key(of row: RowID, _ kind: Kind) -> RowKey? {
      guard let entity = kind.entity, let identifier = question.identifier(entity, row) else { return nil }
      return RowKey(identifier)
    }

    /// A test that a key is one of some keys. Its row is in the zone of the tested row.
    private func isKey(_ text: String, _ keys: [RowKey]) -> String {
      let hasOneZone = store.zones.isOne && keys.allSatisfy { $0.zone.isEmpty }
      if hasOneZone, keys.count == 1 { return "\(text) = \(add(.uuid(keys[0].key)))" }
      if keys.count == 1 {
        return "(\(Table.zone.of("t")) = \(add(.text(keys[0].zone))) AND \(text) = \(add(.uuid(keys[0].key))))"
      }
      let uuids = add(.uuids(keys.map(\.key)))
      if hasOneZone { return "\(text) = ANY(\(uuids))" }
      let zones = add(.texts(keys.map(\.zone)))
      return "EXISTS (SELECT 1 FROM unnest(\(zones), \(uuids)) AS k(z, u) "
        + "WHERE k.z = \(Table.zone.of("t")) AND k.u = \(text))"
    }

    // MARK: Rows of a relationship

    func isEmpty(_ term: Term) -> Written? {
      // Only the empty text has no character.
      if term.kind == .string {
        return value(term).map { Written("(\($0.text) = '')", doubts: $0.doubts) }
      }
      return rows(term).map { Written("(NOT \($0.exists()))", doubts: $0.doubts) }
    }

    func quantified(
      _ quantifier: RoostQuery.Expression.Quantifier, _ variable: Int, list: Term, body: Term
    ) -> Written? {
      guard let rows = rows(list), let test = test(variable, rows, body: body) else { return nil }
      let doubts = test.doubts.map { Doubt(text: rows.exists(tests: [$0.text]), isFault: $0.isFault) }
      let text =
        quantifier == .some ? rows.exists(tests: [test.text]) : "(NOT \(rows.exists(tests: ["(NOT \(test.text))"])))"
      return Written(text, doubts: rows.doubts + doubts)
    }
  }
#endif
