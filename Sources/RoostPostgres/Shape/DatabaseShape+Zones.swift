#if Postgres
  internal import RoostGraph

  /// The rules that determine the zones of rows.
  extension DatabaseShape {
    /// Records the rule for new tables. Throws if the program's rule differs from the one with
    /// which a table's rows were written.
    mutating func bringZones() throws {
      for number in tables.tables.indices {
        let table = tables.tables[number]
        guard let known = stored.table(of: table.root.name) else { continue }
        let (wanted, before) = (zones[number]?.field, stored.tables[known].zone)
        let isRenamed = before != nil && wanted.flatMap { table.formerNames[$0] } == before
        guard wanted == before || isRenamed || created.contains(number) else {
          throw otherZones(table.root.name, before: before, wanted: wanted)
        }
        stored.tables[known].zone = wanted
      }
    }

    private func otherZones(_ name: String, before: String?, wanted: String?) -> PostgresError {
      func text(_ field: String?) -> String { field.map { "\(name).\($0) tells the zone" } ?? "all are in one zone" }
      let remedy = before.map { "zone: .property(\\\(name).\($0))" } ?? "zone: .single"
      return PostgresError(
        .otherZones,
        "the table of \(name) was made with the rule that \(text(before)), and in this program \(text(wanted)): give its "
          + "PostgresConfiguration \(remedy). To divide the objects in another way, copy them into another namespace")
    }
  }
#endif
