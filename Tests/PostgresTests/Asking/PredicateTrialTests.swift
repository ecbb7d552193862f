#if Postgres
  import Foundation
  import Roost
  import RoostDoorTrials
  import RoostPostgres
  import RoostTestSupport
  import Testing

  /// Random predicates, answered by the server: trial 18, with another store.
  @Suite(.serialized) struct PredicateTrialTests {
    /// `ROOST_PG_SEEDS=first-last` runs other seeds.
    private static var seeds: ClosedRange<UInt64> {
      let given = ProcessInfo.processInfo.environment["ROOST_PG_SEEDS"] ?? ""
      let bounds = given.split(separator: "-").compactMap { UInt64($0) }
      return bounds.count == 2 && bounds[0] <= bounds[1] ? bounds[0]...bounds[1] : 1...10
    }

    private static func container(_ schema: Schema, _ namespace: String) throws -> ModelContainer {
      try ModelContainer(
        for: schema,
        configurations: [
          PostgresConfiguration(PostgresServer.shared().address, schema: schema, namespace: namespace)
        ])
    }

    @Test func `the server finds the rows for which the predicate is true`() throws {
      let record = TortureRecord(test: 18)
      var tally = AskTally()
      for seed in Self.seeds {
        let namespace = PostgresServer.freshNamespace()
        var made: [ModelContainer] = []
        let store = StageStore(
          make: { schema in
            let container = try Self.container(schema, namespace)
            made.append(container)
            return container
          }, reopen: { try Self.container($0, namespace) })
        Trial.predicates(seed, record, in: store)
        for case let store as PostgresStore in made.flatMap(\.dataStores) { tally.add(store.tally) }
      }
      for failure in record.failures { Issue.record("\(failure)") }
      print("\(record.count) predicates, \(record.failures.count) complaints. \(tally)")
      // Otherwise the trial would not test the conditions in SQL.
      #expect(tally.whole * 100 > tally.count * 20, "\(tally)")
      #expect(tally.all * 100 < tally.count * 60, "\(tally)")
      #expect(tally.limited > 0)
      #expect(record.count == 122 * Self.seeds.count)
    }
  }
#endif
