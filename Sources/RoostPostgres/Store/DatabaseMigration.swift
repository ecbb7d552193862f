#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostRecords

  /// Runs the stages of a migration plan, in the transaction that brings the tables to the form of
  /// the models.
  ///
  /// The transaction has the lock of the schema, so one program at a time migrates. It locks all
  /// tables before the first stage. Otherwise a deadlock with another program could end the
  /// migration after hours.
  final class DatabaseMigration: ShapePlan {
    let plan: any SchemaMigrationPlan.Type
    let configuration: PostgresConfiguration
    private let models: [ModelPlan]
    /// The entities of the container's other stores.
    private let others: Set<String>
    private let connection: Connection
    private(set) var hasRun = false

    init(
      _ plan: any SchemaMigrationPlan.Type, _ configuration: PostgresConfiguration, to schema: Schema,
      others: Set<String>, connection: Connection
    ) {
      (self.plan, self.configuration, self.others) = (plan, configuration, others)
      models = schema.plans
      self.connection = connection
    }

    func run(_ shape: inout DatabaseShape) throws -> Bool {
      let (versions, steps) = try PlanVersions.steps(
        of: plan, models, over: HeldShape(shape.stored, plan), others: others)
      shape.version = versions.all[versions.target].schema.version
      if steps.isEmpty { return false }
      try lock(shape)
      let transaction = StageTransaction(
        connection, KeyCheck(shape.namespace, isDistributed: shape.isDistributed))
      let database = StagedDatabase(configuration, transaction, stored: shape.stored)
      guard steps.contains(where: \.hasCode) else {
        for step in steps { _ = try database.settle(step.to) }
        return true
      }
      hasRun = true
      try StageTransaction.$places.withValue(StageTransaction.places.union([StageTransaction.Place(configuration)])) {
        try StageRunner(plan, database).run(steps)
      }
      return true
    }

    private func lock(_ shape: DatabaseShape) throws {
      let names = Set(shape.stored.tables.map(\.name) + shape.stored.links.map(\.name)).sorted()
      let there = names.filter { shape.there.tables[$0] != nil }
      // The code of a stage may compute for long between two calls.
      try connection.run("SET LOCAL idle_in_transaction_session_timeout = 0")
      if there.isEmpty { return }
      try connection.run(
        "LOCK TABLE \(there.map { shape.full($0) }.joined(separator: ", ")) IN ACCESS EXCLUSIVE MODE")
    }
  }
#endif
