#if Postgres
  internal import RoostGraph
  internal import RoostRecords

  /// A hash that is the same in every program.
  enum Fingerprint {
    static func text(_ parts: [String]) -> String {
      var digest = ModelDigest()
      for part in parts { digest.add(part) }
      let hex = String(digest.value, radix: 16)
      return String(repeating: "0", count: 16 - hex.count) + hex
    }
  }

  extension TableMap {
    /// The models' description of a table, in one text. It contains no column names, so it does not
    /// depend on the database.
    func form(_ number: Int) -> String {
      let table = tables[number]
      var parts = [table.root.name] + table.classes.map(\.type.name).sorted()
      func side(_ side: Side?) -> String { side.map { "\(tables[$0.table].root.name).\($0.field)" } ?? "-" }
      let values = table.columns.compactMap { column -> String? in
        guard case .value(let form) = column.kind, let field = column.field else { return nil }
        let former = table.formerNames[field].map { " before \($0)" } ?? ""
        return "\(field) \(column.type.rawValue) \(form.word) \(column.isOptional) \(column.isNeeded)\(former)"
      }
      let relations = relationships.compactMap { one -> String? in
        guard one.sides.contains(where: { $0.table == number }) else { return nil }
        return "\(side(one.holder)) \(side(one.other)) \(tables[one.target].root.name) "
          + "\(one.targetClass ?? "-") \(one.otherClass ?? "-") \(text(one))"
      }
      let uniques = table.uniques.map { rule in
        "unique " + uniquePaths(rule, table).joined(separator: ", ")
          + (rule.condition.map { " where \($0)" } ?? "")
      }
      parts += values.sorted() + relations.sorted() + uniques.sorted()
      return Fingerprint.text(parts)
    }

    private func text(_ one: KeptRelationship) -> String {
      switch one.form {
      case .reference(let column, let place):
        let column = tables[one.holder.table].columns[column]
        guard case .reference(_, let rule) = column.kind else { return "" }
        return "reference \(rule) \(column.isOptional) \(column.isNeeded) \(place != nil)"
      case .links: return "links"
      }
    }

    /// The fields of an index.
    func indexPaths(_ columns: [Int], _ table: Table) -> [String] { columns.map { table.columns[$0].field ?? "" } }

    /// The fields of a uniqueness rule, each with the path into its JSON.
    func uniquePaths(_ rule: UniqueRule, _ table: Table) -> [String] {
      rule.parts.map { ([table.columns[$0.column].field ?? ""] + $0.path).joined(separator: ".") }
    }

    /// The rule as the table `roost_store` keeps it, with the name of its index.
    func stored(_ rule: UniqueRule, _ table: Table, index: String) -> StoredIndex {
      let fields = rule.tests.flatMap { $0.map { table.columns[$0.column].field ?? "" } }
      return StoredIndex(
        index: index, paths: uniquePaths(rule, table), condition: rule.condition, tested: fields.isEmpty ? nil : fields)
    }
  }

  extension ValueForm {
    /// The kind of Swift values, such as `int8`; `json` and `bytes` for those that are not plain
    /// values.
    var word: String { plainType.map { "\($0)" } ?? (column == .bytea ? "bytes" : "json") }
  }
#endif
