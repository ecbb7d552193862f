#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// The models in a database, for a migration plan.
  struct HeldShape: HeldModels {
    let version: ModelVersion?
    private let entities: Set<String>
    private let outlines: [String: Outline]

    init(_ stored: StoredShape, _ plan: any SchemaMigrationPlan.Type) throws {
      entities = Set(stored.tables.flatMap { $0.classes + [$0.entity] })
      var outlines: [String: Outline] = [:]
      var unnoted: [StoredTable] = []
      for table in stored.tables where table.isParked != true {
        if table.outlines == nil { unnoted.append(table) }
        for (name, properties) in table.outlines ?? [:] { outlines[name] = Outline(name, properties: properties) }
      }
      let number = (stored.version ?? Schema.Version(1, 0, 0)).description
      for (name, outline) in try Self.outlines(unnoted, number, by: plan, stored: stored) { outlines[name] = outline }
      self.outlines = outlines
      version =
        stored.tables.isEmpty
        ? nil
        : ModelVersion(
          number,
          parts: outlines.values.sorted { $0.entity < $1.entity }.map {
            ModelVersion.Part($0.entity, fingerprint: $0.fingerprint, digest: 0, parked: [])
          })
    }

    func hasEntity(_ name: String) -> Bool { entities.contains(name) }
    func outline(_ name: String) -> Outline? { outlines[name] }

    /// The outlines of tables for which none are stored: those of the version whose tables have the
    /// same fingerprints.
    private static func outlines(
      _ tables: [StoredTable], _ number: String, by plan: any SchemaMigrationPlan.Type, stored: StoredShape
    ) throws -> [String: Outline] {
      if tables.isEmpty { return [:] }
      let forms = Dictionary(tables.map { ($0.entity, $0.forms.last) }) { first, _ in first }
      var fitting: [Schema] = []
      for version in plan.schemas {
        let schema = Schema(versionedSchema: version)
        guard schema.faults.isEmpty, let wanted = try? TableMap(schema) else { continue }
        let known = wanted.tables.indices.filter { forms[wanted.tables[$0].root.name] != nil }
        let isSame = known.allSatisfy { forms[wanted.tables[$0].root.name] == wanted.form($0) }
        if isSame, !known.isEmpty { fitting.append(schema) }
      }
      if let same = fitting.last(where: { $0.version.description == number }) ?? fitting.last {
        let names = Set(tables.flatMap { $0.classes + [$0.entity] })
        return try GraphStore.outlines(same.plans).filter { names.contains($0.key) }
      }
      // For the error, which shows how they differ from the versions.
      return Dictionary(tables.map { ($0.entity, outline($0, stored)) }) { first, _ in first }
    }

    private static func outline(_ table: StoredTable, _ stored: StoredShape) -> Outline {
      var properties: [String: String] = [:]
      for column in table.columns where !column.isLeft {
        guard let field = column.field else { continue }
        let target = column.reference.flatMap { stored.table(named: $0.table) }.map { stored.tables[$0].entity }
        properties[field] = (target ?? column.values) + (column.isRequired ? "" : "?")
      }
      return Outline(table.entity, properties: properties)
    }
  }
#endif
