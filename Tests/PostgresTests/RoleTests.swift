#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Testing

  /// The roles of the page `PostgreSQLRoles`. The test runs its SQL unchanged, with another schema.
  @Suite(
    .server, .serialized,
    .enabled(if: PostgresServer.given == nil, "roles are made on a server that the tests have started"))
  struct RoleTests {
    private typealias Tenant = Freight.Tenant
    private typealias Parcel = Freight.Parcel

    private let ground: Ground
    private let blocks: [String]

    init() throws {
      ground = try Ground()
      let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
      let page = try String(
        contentsOf: root.appending(path: "Sources/Roost/Roost.docc/PostgreSQLRoles.md"), encoding: .utf8)
      let namespace = ground.namespace
      blocks = page.components(separatedBy: "```sql\n").dropFirst().map {
        $0.components(separatedBy: "```")[0].replacing("shop", with: namespace)
      }
      try #require(blocks.count == 4)
      try run(blocks[0], "roost")
    }

    private func address(_ role: String) -> String { "\(ground.address) user=\(role)" }
    private func name(_ role: String) -> String { "\(ground.namespace)_\(role)" }

    /// Runs the statements of a block. The last line of each statement has no indentation, and ends
    /// with a semicolon.
    private func run(_ block: String, _ role: String) throws {
      let connection = try Connection(address(role))
      var statement = ""
      for line in block.split(separator: "\n") {
        statement += line + "\n"
        guard line.hasSuffix(";"), !line.hasPrefix(" ") else { continue }
        try connection.run(statement)
        statement = ""
      }
      #expect(statement.isEmpty)
    }

    private func container(_ role: String, _ more: String = "") throws -> ModelContainer {
      try Freight.container(ground, address: address(name(role)) + more)
    }

    private func open(_ role: String, _ more: String = "") throws -> ModelContext {
      ModelContext(try container(role, more))
    }

    /// The tables of the owner, with two tenants, and the rights of the others.
    private func prepare() throws {
      try Freight.fill(open("owner"), ["acme", "other"])
      try run(blocks[1], name("owner"))
    }

    private func rows() throws -> [[String?]] {
      try ground.sql(
        "SELECT (SELECT count(*) FROM @.parcel)::text, (SELECT sum(weight) FROM @.parcel)::text, "
          + "(SELECT count(*) FROM @.roost_change)::text, (SELECT count(*) FROM @.roost_commit)::text")
    }

    @Test func `a writer saves, fetches and follows`() async throws {
      try prepare()
      let (writer, reader) = (try open("writer"), try open("reader"))
      let seen = try reader.fetch(FetchDescriptor<Parcel>())
      #expect(seen.count == 6)
      let tenant = try #require(
        try writer.fetch(FetchDescriptor<Tenant>(predicate: #Predicate { $0.name == "acme" })).first)
      tenant.parcels[0].weight = 5
      tenant.parcels.append(Parcel(9))
      writer.delete(tenant.parcels[1])
      try writer.save()
      #expect(tenant.parcels.map(\.number) == [1, 3, 9])
      let isSeen = try await eventually {
        try reader.save()
        return seen.contains { $0.weight == 5 }
      }
      #expect(isSeen && seen.filter { $0.weight == 5 }.count == 1)
      _ = try writer.fetchHistory(HistoryDescriptor<PostgresHistoryTransaction>())
      try writer.deleteHistory(HistoryDescriptor<PostgresHistoryTransaction>())
    }

    @Test func `a writer cannot change tables, and the error says what the owner has to do`() throws {
      let early = try #require(refusal { _ = try open("writer") })
      #expect(early.code == .noRights)
      #expect(early.detail.contains("needs a role that owns the tables"), "\(early)")
      try prepare()
      for schema in [Schema([Wider.Tenant.self]), Schema([Wider.Label.self])] {
        let error = try #require(
          refusal {
            _ = try ModelContainer(
              for: schema,
              configurations: [
                PostgresConfiguration(
                  address(name("writer")), zone: Wider.zone(schema), schema: schema, namespace: ground.namespace)
              ])
          })
        #expect(error.code == .noRights, "\(error)")
        #expect(error.detail.contains("needs a role that owns the tables"), "\(error)")
      }
      #expect(throws: ServerFault.self) {
        try Connection(address(name("writer"))).run("UPDATE \(ground.namespace).roost_store SET format = 2")
      }
      #expect(try open("writer").fetchCount(FetchDescriptor<Parcel>()) == 6)
    }

    @Test func `the save of a reader is refused, and nothing of it is done`() throws {
      try prepare()
      let before = try rows()
      let context = try open("reader")
      let parcels = try context.fetch(FetchDescriptor<Parcel>())
      #expect(parcels[0].tenant?.name != nil)
      parcels[0].weight = 5
      context.insert(Parcel(9, parcels[0].tenant))
      let error = try #require(refusal { try context.save() })
      #expect(error.code == .noRights)
      #expect(error.state == "42501")
      #expect(error.detail.contains("INSERT, UPDATE and DELETE to save"), "\(error)")
      #expect(try rows() == before)
      context.rollback()
      #expect(parcels[0].weight == 0)
      #expect(try context.fetchCount(FetchDescriptor<Parcel>()) == 6)
    }

    @Test func `a tenant sees and writes only its own zone`() async throws {
      try prepare()
      try run(blocks[2], "roost")
      try run(blocks[3], name("owner"))
      try await ground.settle()
      let before = try rows()
      let context = try open("acme")
      let parcels = try context.fetch(FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.number)]))
      #expect(parcels.map { $0.tenant?.name } == ["acme", "acme", "acme"])
      #expect(parcels.flatMap(\.stickers).count == 6)
      let history = try context.fetchHistory(HistoryDescriptor<PostgresHistoryTransaction>())
      let identifiers = history.flatMap(\.changes).map { "\($0.changedPersistentIdentifier)" }
      #expect(!identifiers.isEmpty && !identifiers.contains { $0.contains("other") })

      // Another zone cannot be written.
      context.insert(Tenant("third"))
      let error = try #require(refusal { try context.save() })
      #expect(error.code == .noRights && error.detail.contains("row-level security"), "\(error)")
      #expect(try rows() == before)
      context.rollback()

      // Its own zone can be written.
      parcels[0].weight = 5
      parcels[1].stickers.removeFirst()
      parcels[1].tenant?.parcels.append(Parcel(9))
      context.delete(parcels[2])
      try context.save()
      #expect(try ground.value("SELECT sum(weight)::text FROM @.parcel") == "5")

      let connection = try Connection(address(name("acme")))
      for table in ["tenant", "parcel", "sticker", "seal", "parcel_stickers", "roost_change", "roost_commit"] {
        let zones = try connection.run("SELECT DISTINCT zone FROM \(ground.namespace).\(table)")
        #expect((0..<zones.count).map { zones.text($0, 0) } == ["acme"], "\(table)")
      }
      try connection.run("UPDATE \(ground.namespace).parcel SET weight = 100 WHERE zone = 'other'")
      #expect(try ground.value("SELECT sum(weight)::text FROM @.parcel") == "5")
      #expect(throws: ServerFault.self) {
        try connection.run(
          "INSERT INTO \(ground.namespace).roost_commit (zone, id, done) VALUES ('other', gen_random_uuid(), true)")
      }
      // A role without a zone sees nothing; the others see everything.
      #expect(try open("acme", " options='-c roost.zone='").fetchCount(FetchDescriptor<Parcel>()) == 0)
      #expect(try open("reader").fetchCount(FetchDescriptor<Parcel>()) == 6)
      #expect(try open("writer").fetchCount(FetchDescriptor<Parcel>()) == 6)
    }

    /// PostgreSQL refuses `COPY` to a role under a row-level security policy.
    @Test func `a role with policies pushes rows, and the error says why it cannot import`() throws {
      try Freight.fill(open("owner"), [])
      for (block, role) in [(1, name("owner")), (2, "roost"), (3, name("owner"))] { try run(blocks[block], role) }
      // A push records its progress in its own table.
      try ground.sql("GRANT CREATE ON SCHEMA @ TO \(name("writer"))")
      let file = try ModelContainer(
        for: Freight.schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      let source = ModelContext(file)
      // A number is unique in a file, and in each zone.
      for (name, numbers) in [("acme", 1...3), ("other", 4...6)] {
        let tenant = Tenant(name)
        source.insert(tenant)
        for number in numbers { source.insert(Parcel(number, tenant)) }
      }
      try source.save()
      try file.push(
        to: PostgresConfiguration(
          address(name("writer")), zone: Freight.zone, schema: Freight.schema, namespace: ground.namespace))
      #expect(try open("writer").fetchCount(FetchDescriptor<Parcel>()) == 6)
      let container = try container("writer")
      let error = refusal { try container.importer(for: Tenant.self).run(models: [Tenant("third")]) }
      #expect(error?.detail.contains("BYPASSRLS") == true, "\(String(describing: error))")
    }

    // MARK: Consumers of the history

    private func consumer(_ name: String, _ role: String) throws -> HistoryConsumer<PostgresHistoryTransaction> {
      try container(role).historyConsumer(named: name, of: PostgresHistoryTransaction.self)
    }

    @Test func `a writer consumes the history, and a reader looks at what a consumer has not read`() async throws {
      try prepare()
      try await ground.settle()
      // A reader cannot add a consumer.
      let early = try #require(refusal { _ = try consumer("search", "reader").changes() })
      #expect(early.code == .noRights)
      #expect(early.detail.contains("INSERT and UPDATE for its first reading"), "\(early)")

      let search = try consumer("search", "writer")
      let all = try search.changes()
      try #require(!all.isEmpty)
      let seen = try consumer("search", "reader")
      #expect(try seen.changes() == all)
      #expect(try seen.position == search.position)
      #expect(try container("reader").historyConsumers(of: PostgresHistoryTransaction.self).map(\.name) == ["search"])
      for call in [{ try seen.acknowledge(all[0].token) }, { _ = try seen.remove() }] {
        #expect(try #require(refusal(call)).code == .noRights)
      }
      try search.acknowledge(try #require(all.last).token)
      #expect(try seen.changes().isEmpty)
      #expect(try search.remove())
    }

    @Test func `a role that may not make tables works in a database of an earlier version`() async throws {
      try prepare()
      try ground.sql("DROP TABLE @.roost_consumer")
      try await ground.settle()
      try ground.sql("UPDATE @.roost_change SET time = now() - interval '40 days'")
      let writer = try open("writer")
      try writer.fetch(FetchDescriptor<Parcel>())[0].weight = 5
      try writer.save()
      let error = try #require(refusal { _ = try consumer("search", "writer").changes() })
      #expect(error.code == .noRights)
      #expect(error.detail.contains("start a program once as the role that owns them"), "\(error)")
      _ = try open("owner")
      try await ground.settle()
      #expect(try consumer("search", "writer").changes().count > 1)
    }

    @Test func `a tenant has no consumers, and can save while old history waits to be removed`() async throws {
      try prepare()
      try run(blocks[2], "roost")
      try run(blocks[3], name("owner"))
      try await ground.settle()
      try ground.sql("UPDATE @.roost_change SET time = now() - interval '40 days'")
      let count = try ground.value("SELECT count(*)::text FROM @.roost_change WHERE time < now() - interval '1 day'")
      let tenant = try open("acme")
      try tenant.fetch(FetchDescriptor<Parcel>())[0].weight = 5
      try tenant.save()
      tenant.insert(Parcel(9, try tenant.fetch(FetchDescriptor<Tenant>())[0]))
      try tenant.save()
      #expect(
        try ground.value("SELECT count(*)::text FROM @.roost_change WHERE time < now() - interval '1 day'") == count)
      let error = try #require(refusal { _ = try consumer("search", "acme").changes() })
      #expect(error.code == .noRights)
      // The next save of a writer removes it.
      let writer = try open("writer")
      try writer.fetch(FetchDescriptor<Parcel>())[0].weight = 6
      try writer.save()
      #expect(
        try ground.value("SELECT count(*)::text FROM @.roost_change WHERE time < now() - interval '1 day'") == "0")
    }

    @Test func `an address names the zone`() throws {
      try prepare()
      try run(blocks[2], "roost")
      try run(blocks[3], name("owner"))
      let context = try open("acme", " options='-c roost.zone=other'")
      #expect(Set(try context.fetch(FetchDescriptor<Parcel>()).map { $0.tenant?.name }) == ["other"])
    }
  }

  /// Models that need other tables.
  private enum Wider {
    @Model final class Tenant {
      var name: String
      var city: String?
      init(_ name: String) { self.name = name }
    }

    @Model final class Label {
      var word: String
      init(_ word: String) { self.word = word }
    }

    static func zone(_ schema: Schema) -> PostgresZone {
      schema.entitiesByName["Label"] != nil ? .property(\Label.word) : .property(\Tenant.name)
    }
  }
#endif
