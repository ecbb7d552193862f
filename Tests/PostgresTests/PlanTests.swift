#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Synchronization
  import Testing

  /// Migration plans with code: all steps are one transaction of the server.
  @Suite(.server, .serialized) struct PlanTests {
    private let ground: Ground

    init() throws {
      ground = try Ground()
      StageWatch.shared.reset()
    }

    private func open(
      _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil, address: String? = nil
    ) throws -> ModelContext {
      var configuration = PostgresConfiguration(address ?? ground.address, namespace: ground.namespace)
      configuration.followsOthers = false
      return ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: version), migrationPlan: plan, configurations: [configuration]))
    }

    private func makeFirst() throws {
      let context = try open(BookV1.self)
      let city = BookV1.City("London")
      for name in ["Ada Byron", "Ann Byron", "Eve Jones", "Nobody"] {
        let person = BookV1.Person(name)
        context.insert(person)
        person.home = city
      }
      try context.save()
      try context.container.close()
    }

    private func people(_ context: ModelContext) throws -> [String] {
      try context.fetch(FetchDescriptor<BookV3.Person>(sortBy: [SortDescriptor(\.last)])).map {
        "\($0.first) \($0.last) \($0.home?.name ?? "-")"
      }
    }

    /// The whole schema of the database: columns, indexes, constraints and rows.
    private func state() throws -> [String] {
      let columns = try ground.sql(
        "SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable FROM information_schema.columns "
          + "WHERE table_schema = '\(ground.namespace)' ORDER BY 1")
      let rules = try ground.sql(
        "SELECT indexdef::text FROM pg_indexes WHERE schemaname = '\(ground.namespace)' UNION ALL "
          + "SELECT pg_get_constraintdef(c.oid)::text FROM pg_constraint AS c "
          + "WHERE connamespace = '@'::regnamespace ORDER BY 1")
      let tables = try ground.sql(
        "SELECT tablename::text FROM pg_tables WHERE schemaname = '\(ground.namespace)' ORDER BY 1")
      let rows = try tables.flatMap { table in
        try ground.sql("SELECT '\(table[0] ?? "")' || t::text FROM @.\"\(table[0] ?? "")\" AS t ORDER BY 1")
      }
      return (columns + rules + rows).map { $0[0] ?? "" }
    }

    // MARK: Custom stages

    @Test func `stages run from the first version to the last, each over its own models, and once`() throws {
      try makeFirst()
      let context = try open(BookV3.self, BookPlan.self)
      #expect(try people(context) == ["Ada Byron London", "Eve Jones London"])
      #expect(StageWatch.shared.calls == ["will 2", "did 2", "will 3", "did 3"])
      #expect(StageWatch.shared.steps.map(\.step) == [1, 2] && StageWatch.shared.steps.allSatisfy { $0.steps == 2 })
      #expect(StageWatch.shared.steps.last?.to == Schema.Version(3, 0, 0))
      #expect(try context.fetch(FetchDescriptor<BookV3.Note>()).map(\.text) == ["migrated"])
      #expect(try context.fetch(FetchDescriptor<BookV3.City>()).map { $0.people.count } == [2])
      #expect(try ground.isNullable("person", "age") == false)
      #expect(try ground.rules("person").contains { $0.contains("last") })
      let after = try state()
      // There is nothing left to do.
      StageWatch.shared.reset()
      #expect(try people(open(BookV3.self, BookPlan.self)).count == 2 && StageWatch.shared.calls.isEmpty)
      #expect(try people(open(BookV3.self)).count == 2)
      #expect(try state() == after)
    }

    @Test func `a program names its models, a plan and an address`() throws {
      try makeFirst()
      let context = ModelContext(
        try ModelContainer(
          for: BookV3.Person.self, BookV3.City.self, BookV3.Note.self, migrationPlan: BookPlan.self,
          configurations: PostgresConfiguration(ground.address, namespace: ground.namespace)))
      #expect(try people(context) == ["Ada Byron London", "Eve Jones London"])
      StageWatch.shared.reset()
      #expect(try people(open(BookV3.self, BookPlan.self)).count == 2 && StageWatch.shared.calls.isEmpty)
    }

    @Test func `a database starts with its version, and a new one with the newest`() throws {
      let context = try open(BookV2.self)
      for name in ["a", "b"] {
        let person = BookV2.Person(name)
        (person.first, person.last) = ("x", "same")
        context.insert(person)
      }
      try context.save()
      #expect(try people(open(BookV3.self, BookPlan.self)) == ["x same -"])
      #expect(StageWatch.shared.calls == ["will 3", "did 3"])
      StageWatch.shared.reset()
      let other = PostgresConfiguration(ground.address, namespace: PostgresServer.freshNamespace())
      _ = try ModelContainer(
        for: Schema(versionedSchema: BookV3.self), migrationPlan: BookPlan.self, configurations: [other])
      #expect(StageWatch.shared.calls.isEmpty)
    }

    @Test(arguments: ["will 2", "did 2", "will 3", "did 3"])
    func `a stage that throws leaves the database as it was`(call: String) throws {
      try makeFirst()
      let before = try state()
      StageWatch.shared.failing = call
      let error = #expect(throws: SwiftDataError.self) { try open(BookV3.self, BookPlan.self) }
      #expect(error == .loadIssueModelContainer && error?.underlyingError is StageRefusal)
      let text = error?.description ?? ""
      for part in ["BookPlan", call.hasSuffix("2") ? "from version 1.0.0 to 2.0.0" : "2.0.0 to 3.0.0", "as it was"] {
        #expect(text.contains(part), "\(text)")
      }
      #expect(try state() == before)
      StageWatch.shared.reset()
      #expect(try people(open(BookV3.self, BookPlan.self)).count == 2)
    }

    @Test func `identifiers and the history continue`() throws {
      try makeFirst()
      let before = try open(BookV1.self)
      let eve = try #require(
        try before.fetch(FetchDescriptor<BookV1.Person>(predicate: #Predicate { $0.name == "Eve Jones" })).first)
      let identifier = eve.persistentModelID
      let context = try open(BookV3.self, BookPlan.self)
      let same = try #require(context.model(for: identifier) as? BookV3.Person)
      #expect(same.last == "Jones")
      // The saves of all stages are recorded in one transaction.
      let saves = try ground.sql(
        "SELECT xid::text, count(DISTINCT id)::text FROM @.roost_change GROUP BY xid ORDER BY xid")
      #expect(saves.map { $0[1] } == ["1", "4"])
    }

    @Test func `a value that the code should have set is reported, and nothing is changed`() throws {
      try makeFirst()
      let before = try state()
      StageWatch.shared.leavesAge = true
      let error = #expect(throws: SwiftDataError.self) { try open(BookV3.self, BookPlan.self) }
      let text = error?.description ?? ""
      #expect(text.contains("Person.age: 2 objects have no value for it after the stage"), "\(text)")
      #expect(try state() == before)
    }

    @Test func `the code of a stage cannot open the database that is being migrated`() throws {
      try makeFirst()
      StageWatch.shared.during = { _ in _ = try open(BookV3.self) }
      let error = #expect(throws: SwiftDataError.self) { try open(BookV3.self, BookPlan.self) }
      #expect(error?.description.contains("use the context that it gets") == true, "\(String(describing: error))")
    }

    @Test func `a cancelled task leaves the database as it was`() async throws {
      try makeFirst()
      let before = try state()
      let ground = ground
      let task = Task {
        StageWatch.shared.during = { _ in withUnsafeCurrentTask { $0?.cancel() } }
        _ = try ModelContainer(
          for: Schema(versionedSchema: BookV3.self), migrationPlan: BookPlan.self,
          configurations: [PostgresConfiguration(ground.address, namespace: ground.namespace)])
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try state() == before)
    }

    @Test func `steps without code run in their order`() throws {
      try makeFirst()
      let context = try open(BookV2.self, PlainBookPlan.self)
      #expect(try context.fetch(FetchDescriptor<BookV2.Person>()).allSatisfy { $0.first == "" })
      #expect(StageWatch.shared.calls.isEmpty)
    }

    // MARK: Lost connections and other programs

    @Test(.enabled(if: CutProxy.socketFolder() != nil, "the server has no socket in a folder"))
    func `a migration whose connection is cut is complete or absent`() throws {
      try makeFirst()
      let whole = try CutProxy()
      let other = try Self.filled()
      _ = try PlanTests(other).open(BookV3.self, BookPlan.self, address: whole.address)
      let size = whole.passed(.toServer)
      let before = try state()
      for bytes in stride(from: size / 24, to: size - 300, by: size / 12) {
        StageWatch.shared.reset()
        let proxy = try CutProxy()
        proxy.cut(.toServer, after: bytes)
        let error = refusal { _ = try open(BookV3.self, BookPlan.self, address: proxy.address) }
        #expect(
          error.map { [.lost, .unreachable].contains($0.code) } == true, "\(bytes): \(String(describing: error))")
        #expect(try state() == before, "after \(bytes) of \(size) bytes")
      }
      #expect(try people(open(BookV3.self, BookPlan.self)).count == 2)
    }

    private static func filled() throws -> Ground {
      let tests = try PlanTests()
      try tests.makeFirst()
      return tests.ground
    }

    private init(_ ground: Ground) { self.ground = ground }

    @Test func `two programs that start at the same time migrate once`() throws {
      try makeFirst()
      let found = Mutex<[[String]]>([])
      DispatchQueue.concurrentPerform(iterations: 2) { _ in
        do {
          let names = try people(open(BookV3.self, BookPlan.self))
          found.withLock { $0.append(names) }
        } catch { Issue.record(error) }
      }
      #expect(found.withLock { $0 } == Array(repeating: ["Ada Byron London", "Eve Jones London"], count: 2))
      #expect(StageWatch.shared.calls == ["will 2", "did 2", "will 3", "did 3"])
    }

    @Test func `other programs see nothing of a migration before it is committed`() throws {
      try makeFirst()
      let other = try Connection(ground.address)
      StageWatch.shared.during = { _ in
        // The tables are locked, so this program does not wait for them.
        #expect(throws: ServerFault.self) {
          try other.run("SELECT count(*) FROM \"\(ground.namespace)\".person")
        }
        let version = try ground.value("SELECT shape->'version'->>'major' FROM @.roost_store")
        #expect(version == "1")
      }
      try other.run("SET lock_timeout = 10")
      _ = try open(BookV3.self, BookPlan.self)
      #expect(StageWatch.shared.calls.count == 4)
    }

    @Test(.enabled(if: PostgresServer.given == nil, "roles are made on a server that the tests have started"))
    func `a role that may only write rows gets the error about its rights`() throws {
      try makeFirst()
      let before = try state()
      let role = "\(ground.namespace)_writer"
      try ground.sql("CREATE ROLE \(role) LOGIN")
      try ground.sql("GRANT USAGE ON SCHEMA @ TO \(role)")
      try ground.sql("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA @ TO \(role)")
      let address = "\(ground.address) user=\(role)"
      let error = refusal { _ = try open(BookV3.self, BookPlan.self, address: address) }
      #expect(error?.code == .noRights, "\(String(describing: error))")
      #expect(try state() == before)
      // It opens the database if its models fit.
      #expect(
        try open(BookV1.self, OlderBookPlan.self, address: address).fetchCount(FetchDescriptor<BookV1.Person>()) == 4)
    }

    // MARK: Versions

    @Test func `the error of an older program names the version that wrote the database`() throws {
      try makeFirst()
      try open(BookV3.self, BookPlan.self).container.close()
      for plan in [BookPlan.self, OlderBookPlan.self] as [any SchemaMigrationPlan.Type] {
        let error = #expect(throws: SwiftDataError.self) { try open(BookV2.self, plan) }
        #expect(
          error == .backwardMigration && error?.description.contains("3.0.0") == true, "\(String(describing: error))")
      }
      #expect(refusal { _ = try open(BookV2.self) }?.code == .newerModels)
    }

    @Test func `a database that matches no version is refused, and the error lists the differences`() throws {
      let stranger = ModelContext(
        try ModelContainer(
          for: OddBook.Person.self,
          configurations: PostgresConfiguration(ground.address, namespace: ground.namespace)))
      stranger.insert(OddBook.Person())
      try stranger.save()
      let before = try state()
      let error = #expect(throws: SwiftDataError.self) { try open(BookV3.self, BookPlan.self) }
      let text = error?.description ?? ""
      #expect(error == .loadIssueModelContainer)
      for part in ["none of the versions", "1.0.0, 2.0.0, 3.0.0", "Person", "+ age: int64"] {
        #expect(text.contains(part), "\(part): \(text)")
      }
      #expect(try state() == before && StageWatch.shared.calls.isEmpty)
    }

    @Test func `a database of an older Roost is recognized by its tables`() throws {
      for isOdd in [false, true] {
        let ground = isOdd ? try Ground() : self.ground
        let tests = PlanTests(ground)
        StageWatch.shared.reset()
        if isOdd { _ = try ground.open(OddBook.Person.self) } else { try tests.makeFirst() }
        try ground.sql(
          "UPDATE @.roost_store SET shape = jsonb_set(shape, '{tables}', "
            + "(SELECT jsonb_agg(t - 'outlines') FROM jsonb_array_elements(shape->'tables') AS t))")
        if isOdd {
          let error = #expect(throws: SwiftDataError.self) { try tests.open(BookV3.self, BookPlan.self) }
          #expect(error?.description.contains("+ age: int64") == true, "\(String(describing: error))")
        } else {
          // A start without changes writes nothing.
          _ = try tests.open(BookV1.self)
          #expect(try ground.value("SELECT (shape::text LIKE '%outlines%')::text FROM @.roost_store") == "false")
          #expect(try tests.people(tests.open(BookV3.self, BookPlan.self)).count == 2)
          #expect(StageWatch.shared.calls.count == 4)
        }
      }
    }

    @Test func `each store of a container migrates by itself`() throws {
      let folder = try ScratchFolder()
      let url = URL(filePath: folder.file("notes"))
      func open(_ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)?) throws -> ModelContext {
        let there = PostgresConfiguration(
          ground.address, schema: Schema([version.models[0]]), namespace: ground.namespace)
        let here = ModelConfiguration(schema: Schema([version.models[1]]), url: url)
        return ModelContext(
          try ModelContainer(
            for: Schema(versionedSchema: version), migrationPlan: plan, configurations: [there, here]))
      }
      let old = try open(SplitV1.self, nil)
      old.insert(SplitV1.Item("a"))
      old.insert(SplitV1.Note("four"))
      try old.save()
      try old.container.close()
      for round in 0..<2 {
        let new = try open(SplitV2.self, SplitPlan.self)
        #expect(try new.fetch(FetchDescriptor<SplitV2.Item>()).map(\.price) == [5])
        #expect(try new.fetch(FetchDescriptor<SplitV2.Note>()).map(\.size) == [4])
        #expect(StageWatch.shared.calls == (round == 0 ? ["Item", "Note"] : []))
        StageWatch.shared.reset()
        try new.container.close()
      }
      #expect(
        try ground.sql(
          "SELECT tablename::text FROM pg_tables WHERE schemaname = '\(ground.namespace)' AND tablename = 'note'"
        ).isEmpty)
    }

    // MARK: Transforms

    private func makePrices(_ prices: [String] = ["1", "2", "3", "4", "5"]) throws {
      let context = try open(PriceV1.self)
      let shelves = [PriceV1.Shelf("left"), PriceV1.Shelf("right")]
      for (number, price) in prices.enumerated() {
        let item = PriceV1.Item(number == 3 ? "gone" : "item \(number)", price: price)
        context.insert(item)
        item.shelf = shelves[number % 2]
        if number == 2 { item.bestOf = shelves[0] }
      }
      try context.save()
    }

    @Test func `a transform sees both versions of each model`() throws {
      try makePrices()
      let context = try open(PriceV2.self, PricePlan.self)
      let items = try context.fetch(FetchDescriptor<PriceV2.Item>(sortBy: [SortDescriptor(\.price)]))
      #expect(items.map(\.price) == [1, 2, 3, 5] && items.map(\.name) == ["item 0", "item 1", "item 2", "item 4"])
      let labels = try context.fetch(FetchDescriptor<PriceV2.Label>(sortBy: [SortDescriptor(\.text)]))
      #expect(labels.map(\.text) == ["left", "right"])
      #expect(labels.map { $0.shelf?.code } == [3, 2] && labels.map { $0.shelf?.items.count } == [3, 1])
      #expect(try ground.type("item", "price") == "bigint" && ground.isNullable("item", "price") == false)
      #expect(items.map(\.sizes) == Array(repeating: ["1", "2"], count: 4))
      #expect(labels.map { $0.shelf?.best?.name } == ["item 2", nil])
      // The old values stay beside the new values.
      #expect(try ground.type("item", "price_parked") == "text")
      let progress = StageWatch.shared.steps.filter { $0.total == 5 }.map(\.models)
      #expect(progress == [0, 2, 4])
      let after = try state()
      _ = try open(PriceV2.self, PricePlan.self)
      #expect(try state() == after)
    }

    @Test func `a migration uses the zones of the tables, and a refused save leaves the stage usable`() throws {
      let old = PostgresConfiguration(
        ground.address, zone: .properties(.property(\ZonedV1.Tenant.name), .property(\ZonedV1.Parcel.tenant)),
        namespace: ground.namespace)
      let context = ModelContext(
        try ModelContainer(for: Schema(versionedSchema: ZonedV1.self), configurations: [old]))
      for name in ["acme", "other"] {
        let tenant = ZonedV1.Tenant(name)
        context.insert(tenant)
        for weight in ["1", "2"] {
          let parcel = ZonedV1.Parcel(weight)
          context.insert(parcel)
          parcel.tenant = tenant
        }
      }
      try context.save()
      try ground.sql("ALTER TABLE @.parcel ADD CONSTRAINT is_good CHECK (weight <> 'bad')")
      let new = PostgresConfiguration(
        ground.address, zone: .properties(.property(\ZonedV2.Tenant.name), .property(\ZonedV2.Parcel.tenant)),
        namespace: ground.namespace)
      let migrated = ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: ZonedV2.self), migrationPlan: ZonedPlan.self, configurations: [new]))
      #expect(StageWatch.shared.calls == ["refused"])
      let tenants = try migrated.fetch(FetchDescriptor<ZonedV2.Tenant>(sortBy: [SortDescriptor(\.name)]))
      #expect(tenants.map { $0.parcels.map(\.weight).sorted() } == [[4, 5, 103], [4, 5, 103]])
      #expect(try ground.sql("SELECT DISTINCT zone FROM @.parcel ORDER BY 1").map { $0[0] } == ["acme", "other"])
    }

    @Test(.oneServer("a cluster allows no triggers"))
    func `an import that the server refuses leaves no rows in the stage`() throws {
      let context = try open(SplitV1.self)
      context.insert(SplitV1.Item("own"))
      try context.save()
      // The rows are copied before their note is refused.
      try ground.sql(
        """
        CREATE FUNCTION @.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.kind = 'insert' AND NEW.class = 'Item' THEN RAISE EXCEPTION 'no'; END IF; RETURN NEW; END $$
        """)
      try ground.sql("CREATE TRIGGER refuse BEFORE INSERT ON @.roost_change FOR EACH ROW EXECUTE FUNCTION @.refuse()")
      let migrated = try open(SplitV2.self, ImportingPlan.self)
      #expect(StageWatch.shared.calls.count == 1)
      #expect(try migrated.fetch(FetchDescriptor<SplitV2.Item>()).map { "\($0.name) \($0.price)" } == ["own 5"])
      #expect(try migrated.fetch(FetchDescriptor<SplitV2.Note>()).map(\.text) == ["after"])
    }

    @Test func `a transform that throws names the model and changes nothing`() throws {
      try makePrices(["1", "2", "many"])
      let before = try state()
      let error = #expect(throws: SwiftDataError.self) { try open(PriceV2.self, PricePlan.self) }
      #expect(error?.underlyingError is StageRefusal)
      #expect(error?.description.contains("the transform of Item") == true, "\(String(describing: error))")
      #expect(try state() == before)
    }
  }
#endif
