public import Foundation
internal import RoostGraph
internal import RoostPages
internal import RoostRecords

/// The result of a trial run of a migration plan: see ``SchemaMigrationPlan/dryRun(url:)``.
public struct MigrationReport: Sendable, CustomStringConvertible {
  /// The changes of one entity.
  public struct Entity: Hashable, Sendable {
    /// The name of the entity, such as `Book`.
    public var name: String
    /// How many models the store has of it; nil if the entity is new.
    public var before: Int?
    /// How many models it would have; nil if the new models do not name the entity, or the
    /// migration fails.
    public var after: Int?
    /// The properties that differ: `+` is new, `-` is no longer named, and `~` has another type or
    /// name.
    public var changes: [String]
  }

  /// A model for which the code of a transform threw an error.
  public struct Failure: Hashable, Sendable, CustomStringConvertible {
    /// The identifier of the model in the store before the migration. A container of the old
    /// version finds it.
    public var model: PersistentIdentifier
    /// The description of the error that the transform threw.
    public var reason: String

    public var description: String { "\(model.place): \(reason)" }
  }

  /// The version that the store has; nil if it has none of the plan's entities.
  public var from: Schema.Version?
  /// The newest version.
  public var to: Schema.Version
  /// The entities of the store and of the newest version, each with the number of its models.
  public var entities: [Entity]
  /// The first hundred models for which a transform failed.
  public var failures: [Failure]
  /// The number of models for which a transform failed.
  public var failureCount: Int
  /// The error that ended the migration; nil if it succeeded, apart from ``failures``.
  public var error: (any Error)?

  /// Whether a container could open the store with the plan.
  public var isPossible: Bool { failureCount == 0 && error == nil }

  public var description: String {
    var lines = [
      from.map { $0 == to ? "version \(to): nothing to do" : "version \($0) → \(to)" } ?? "new: version \(to)"
    ]
    for entity in entities {
      let count = "\(entity.before.map(String.init) ?? "none") → \(entity.after.map(String.init) ?? "none")"
      lines.append(
        "\(entity.name): \(count)" + (entity.changes.isEmpty ? "" : "; " + entity.changes.joined(separator: "; ")))
    }
    lines += failures.map { "fails: \($0)" }
    if failureCount > failures.count { lines.append("fails: \(failureCount - failures.count) more") }
    if let error { lines.append("fails: \(error)") }
    return lines.joined(separator: "\n")
  }
}

extension PersistentIdentifier {
  /// The entity and the row, for a person.
  var place: String { if case .row(let row) = key { "\(entityName), row \(row)" } else { entityName } }
}

/// The failures of a dry run. A transform continues after a failure. Only one thread uses this
/// object.
final class TransformFailures {
  static let most = 100
  private(set) var first: [MigrationReport.Failure] = []
  private(set) var count = 0

  func add(_ model: PersistentIdentifier, _ error: any Error) {
    count += 1
    if first.count < Self.most { first.append(MigrationReport.Failure(model: model, reason: "\(error)")) }
  }
}

extension SchemaMigrationPlan {
  /// Runs the plan on a copy of a store, and reports what would change. The store is not changed,
  /// and may be in use.
  ///
  /// ```swift
  /// let report = try LibraryPlan.dryRun(url: file)
  /// print(report)
  /// ```
  ///
  /// All stages run, with their code. The copy is in the system's folder for temporary files, and
  /// is removed at the end.
  ///
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` if the plan has no schemas, and
  ///   ``RoostError`` with the code `store` if the store cannot be read or copied. An error of the
  ///   migration itself is in the report.
  public static func dryRun(url: URL) throws -> MigrationReport {
    guard let newest = schemas.last else {
      throw SwiftDataError.loadIssueModelContainer.about("the migration plan \(self) has no schemas")
    }
    return try Doorway.pass {
      try TrialCopy.with(url.standardizedFileURL.path(percentEncoded: false)) { path in
        try DryRun(plan: self, schema: Schema(versionedSchema: newest), path: path).run()
      }
    }
  }
}

/// Migrates a copy, and counts models before and after.
private struct DryRun {
  let plan: any SchemaMigrationPlan.Type
  let schema: Schema
  let path: String

  func run() throws -> MigrationReport {
    let models = zip(schema.models, schema.entities).map { ModelPlan($1, $0) }
    let records = try RecordStore(path, options: StoreOptions())
    let (catalog, before) = try records.read { reader in (reader.catalog, try GraphStore.counts(reader)) }
    try records.close()
    let failures = TransformFailures()
    var report = MigrationReport(
      from: nil, to: schema.version, entities: [], failures: [], failureCount: 0, error: nil)
    var old: [String: Outline] = [:]
    do {
      let versions = try PlanVersions(plan, models, over: catalog, others: [])
      if let current = try versions.current(catalog) {
        report.from = versions.all[current].schema.version
        old = versions.all[current].outlines
      }
      try carryOut(models, failures)
    } catch { report.error = Doorway.translated(error) }
    let (now, after) = try RecordStore(path, options: StoreOptions()).read { ($0.catalog, try GraphStore.counts($0)) }
    let new = try GraphStore.outlines(models)
    report.entities = Set(old.keys).union(new.keys).sorted().map { name in
      MigrationReport.Entity(
        name: name, before: before[name], after: report.error == nil && new[name] != nil ? after[name] ?? 0 : nil,
        changes: new[name].flatMap { new in
          old[name].map { new.differences(from: $0, renamed: catalog.renamed(name, in: now)) }
        } ?? [])
    }
    (report.failures, report.failureCount) = (failures.first, failures.count)
    return report
  }

  private func carryOut(_ models: [ModelPlan], _ failures: TransformFailures) throws {
    var opening = GraphStore.Opening()
    opening.writer = HistoryWriter.ofThisProgram
    opening.version = OpeningVersion(schema.version.description, isWhole: true)
    var migration = StagedMigration(plan: plan, models: models, others: [], opening: opening)
    migration.failures = failures
    opening.migration = migration.run
    try GraphStore.open(path, models, opening: opening).close()
  }
}
