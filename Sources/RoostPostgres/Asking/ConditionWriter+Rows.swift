#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostQuery
  internal import RoostRecords

  /// SQL for the rows of a condition, their columns, and their related rows.
  extension ConditionWriter {
    private static let zone = Table.zone.of("t")

    func table(_ entity: EntityID) -> Int? {
      question.catalog.name(of: entity).flatMap { store.tables.places[$0]?.table }
    }

    /// Finds where the classes of a table store a property by its field name in the engine.
    private func member(_ table: Int, _ name: String) -> TableClass.Member? {
      for one in store.tables.tables[table].classes {
        for number in one.type.properties.indices where one.type.fieldName(number) == name {
          if let member = one.members[number] { return member }
        }
      }
      return nil
    }

    // MARK: One row

    /// The row that a term yields; nil for a constant, and if SQL cannot express the term.
    func row(_ term: Term) -> RowText? {
      let parts = term.operands
      switch term.expression {
      case .variable(let number):
        guard case .row(let row)? = bindings[number] else { return nil }
        return row
      case .constant(.null, let kind):
        guard let table = kind.entity.flatMap(table) else { return nil }
        return RowText(table, key: "NULL::uuid", isOptional: true)
      case .field:
        guard case .field(_, let field) = term.target, case .reference(let entity) = field.type,
          let base = row(parts[0]), let target = table(entity), let member = member(base.table, field.name)
        else { return nil }
        return reference(base, member, to: target)
      case .unwrap:
        guard var row = row(parts[0]) else { return nil }
        if row.isOptional { row.doubts.append(Doubt(text: "(\(row.key) IS NULL)", isFault: true)) }
        row.isOptional = false
        return row
      case .conditional:
        guard let test = condition(parts[0]), let one = row(parts[1]), let other = row(parts[2]) else { return nil }
        var key = "CASE WHEN \(test.text) THEN \(one.key) ELSE \(other.key) END"
        if case .constant = parts[2].expression { key = "CASE WHEN \(test.text) THEN \(one.key) END" }
        var row = RowText(
          one.table, key: "(\(key))", isOptional: one.isOptional || other.isOptional,
          doubts: test.doubts + one.doubts + other.doubts)
        // A cast: the row itself, if it is of the class.
        if case .constant = parts[2].expression, one.test == nil, one.alias != nil {
          (row.alias, row.test) = (one.alias, test.text)
        }
        return row
      case .coalesce:
        guard let one = row(parts[0]), let other = row(parts[1]) else { return nil }
        return RowText(
          one.table, key: "COALESCE(\(one.key), \(other.key))", isOptional: one.isOptional && other.isOptional,
          doubts: one.doubts + other.doubts)
      case .ifLet(let variable, _, _, _):
        guard let test = thereIs(parts[0], variable) else { return nil }
        guard let one = row(parts[1]), let other = row(parts[2]) else { return nil }
        return RowText(
          one.table, key: "(CASE WHEN \(test.text) THEN \(one.key) ELSE \(other.key) END)",
          isOptional: one.isOptional || other.isOptional, doubts: test.doubts + one.doubts + other.doubts)
      case .first where Self.leadsToOne(parts[0]):
        guard let rows = rows(parts[0]) else { return nil }
        return RowText(rows.table, key: rows.key, isOptional: true, doubts: rows.doubts)
      default: return nil
      }
    }

    /// Binds a variable to a row or a value. Returns the test that there is one.
    func thereIs(_ term: Term, _ variable: Int) -> Written? {
      if term.kind.entity != nil {
        guard var row = row(term) else { return nil }
        let test = Written(row.isOptional ? "(\(row.key) IS NOT NULL)" : "true", doubts: row.doubts)
        // The variable is used only if the test is true.
        (row.isOptional, row.doubts) = (false, [])
        bindings[variable] = .row(row)
        return test
      }
      guard var value = value(term) else { return nil }
      let test = Written(value.isOptional ? "(\(value.text) IS NOT NULL)" : "true", doubts: value.doubts)
      (value.isOptional, value.doubts) = (false, [])
      bindings[variable] = .value(value)
      return test
    }

    /// Whether a relationship has at most one row, because it is the inverse of a one-to-one
    /// reference.
    private static func leadsToOne(_ term: Term) -> Bool {
      guard case .relationship(let relationship) = term.target else { return false }
      return relationship.isToOne
    }

    private func reference(_ base: RowText, _ member: TableClass.Member, to target: Int) -> RowText? {
      switch member {
      case .reference(let number):
        let column = store.tables.tables[base.table].columns[number]
        return RowText(
          target, key: text(of: column.name, base), isOptional: column.isOptional || base.isOptional,
          doubts: base.doubts)
      case .found:
        return rows(base, member, to: target).map {
          RowText(target, key: $0.key, isOptional: true, doubts: base.doubts)
        }
      case .value, .list, .links: return nil
      }
    }

    /// A column of a row.
    private func text(of column: SQLName, _ row: RowText) -> String {
      if let alias = row.alias {
        let text = column.of(alias)
        return row.test.map { "(CASE WHEN \($0) THEN \(text) END)" } ?? text
      }
      let alias = newAlias()
      return "(SELECT \(column.of(alias)) FROM \(store.full(row.table)) AS \(alias) "
        + "WHERE \(Table.zone.of(alias)) = \(Self.zone) AND \(Table.key.of(alias)) = \(row.key))"
    }

    // MARK: Fields

    /// The column of a field of any type.
    private func column(_ term: Term) -> (column: Column, written: Written)? {
      guard case .field(_, let field) = term.target, let base = row(term.operands[0]),
        case .value(let number)? = member(base.table, field.name)
      else { return nil }
      let column = store.tables.tables[base.table].columns[number]
      let isOptional = column.isOptional || base.isOptional
      var written = Written(text(of: column.name, base), isOptional: isOptional, doubts: base.doubts)
      if base.alias != nil, base.test == nil, store.tables.tables[base.table].hasIndexedTexts(number) {
        written.indexed = IndexedText.key(written.text)
      }
      return (column, written)
    }

    /// A field whose column stores the Swift value unchanged.
    func field(_ term: Term) -> Written? {
      guard case .field(_, let field) = term.target, let (column, written) = column(term),
        case .value(let form) = column.kind, form.plainType == field.type
      else { return nil }
      return written
    }

    /// Whether a term is nil.
    func isNil(_ term: Term) -> Written? {
      if term.kind.entity != nil {
        return row(term).map { Written($0.isOptional ? "(\($0.key) IS NULL)" : "false", doubts: $0.doubts) }
      }
      let written: Written? = if case .field = term.expression { column(term)?.written } else { value(term) }
      return written.map { Written($0.isOptional ? "(\($0.text) IS NULL)" : "false", doubts: $0.doubts) }
    }

    /// A test of a row's class. The engine names a class by the number of its entity.
    func isOfClass(_ term: Term, _ value: Value) -> Written? {
      guard case .field(_, let field) = term.target, field.name == "@class", case .uint(let number) = value,
        let id = UInt32(exactly: number), let name = question.catalog.name(of: EntityID(id)),
        let base = row(term.operands[0]), store.tables.tables[base.table].hasClassColumn
      else { return nil }
      let text = text(of: Table.className, base)
      let test = "\(text) = \(add(.text(name)))"
      return Written(base.isOptional ? "(\(test) AND \(text) IS NOT NULL)" : "(\(test))", doubts: base.doubts)
    }

    // MARK: Many rows

    /// The rows of a to-many relationship, which may be filtered.
    func rows(_ term: Term) -> RowsText? {
      switch term.expression {
      case .many:
        guard case .relationship(let relationship) = term.target, let base = row(term.operands[0]),
          let target = table(relationship.target), let member = member(base.table, relationship.name)
        else { return nil }
        return rows(base, member, to: target)
      case .unwrap: return rows(term.operands[0])
      case .filter(let variable, _, _):
        guard var rows = rows(term.operands[0]), let test = test(variable, rows, body: term.operands[1]),
          test.doubts.isEmpty
        else { return nil }
        rows.tests.append(test.text)
        return rows
      default: return nil
      }
    }

    /// The test that each row must pass.
    func test(_ variable: Int, _ rows: RowsText, body test: Term) -> Written? {
      bindings[variable] = .row(RowText(rows.table, alias: rows.alias))
      return condition(test)
    }

    private func rows(_ base: RowText, _ member: TableClass.Member, to target: Int) -> RowsText? {
      let alias = newAlias()
      func rows(_ source: String, zone: String, _ key: SQLName, of other: String) -> RowsText {
        RowsText(
          table: target, alias: alias, source: source,
          conditions: ["\(Table.zone.of(zone)) = \(Self.zone)", "\(key.of(other)) = \(base.key)"], doubts: base.doubts,
          isDistributed: store.isDistributed)
      }
      let source = "\(store.full(target)) AS \(alias)"
      switch member {
      case .value: return nil
      case .found(_, let column), .list(_, let column, _):
        return rows(source, zone: alias, store.tables.tables[target].columns[column].name, of: alias)
      case .reference(let number):
        let column = store.tables.tables[base.table].columns[number]
        return RowsText(
          table: target, alias: alias, source: source,
          conditions: [
            "\(Table.zone.of(alias)) = \(Self.zone)", "\(Table.key.of(alias)) = \(text(of: column.name, base))",
          ], doubts: base.doubts, isDistributed: store.isDistributed)
      case .links(let number, let isFirst):
        let (link, pair) = (store.tables.links[number], newAlias())
        let (own, other) =
          isFirst ? (LinkTable.firstKey, LinkTable.secondKey) : (LinkTable.secondKey, LinkTable.firstKey)
        return rows(
          "\(store.namespace).\(link.name) AS \(pair) JOIN \(source) ON \(Table.zone.of(alias)) = \(Table.zone.of(pair)) "
            + "AND \(Table.key.of(alias)) = \(other.of(pair))", zone: pair, own, of: pair)
      }
    }
  }
#endif
