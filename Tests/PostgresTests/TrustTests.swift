#if Postgres
  import Foundation
  import RoostTestSupport
  import SwiftData
  import Testing

  import RoostPostgres

  @Model private final class Item {
    var name: String
    init(_ name: String) { self.name = name }
  }
  private enum Later {
    @Model final class Item {
      var name: String
      var note: String?
      init(_ name: String) { self.name = name }
    }
  }

  /// Databases that other programs changed, roles without rights, and addresses without servers.
  @Suite(.server) struct TrustTests {
    private let ground: Ground

    init() throws { ground = try Ground() }

    // MARK: Tables

    @Test func `a table of another program is not taken`() throws {
      try ground.sql("CREATE SCHEMA @")
      try ground.sql("CREATE TABLE @.item (id integer)")
      try ground.sql("CREATE TABLE @.others (id integer)")
      let error = refusal { _ = try ground.open(Item.self) }
      #expect(error?.code == .foreignTables)
      #expect(error?.detail.contains("\"item\"") == true)
      #expect(try ground.value("SELECT to_regclass('@.roost_store')::text") == nil)
    }

    @Test func `a table of another program with the name of a store's own table is not taken`() throws {
      try ground.sql("CREATE SCHEMA @")
      try ground.sql("CREATE TABLE @.roost_store (id integer)")
      #expect(refusal { _ = try ground.open(Item.self) }?.code == .foreignTables)
    }

    @Test func `a column of another program is not taken`() throws {
      _ = try ground.open(Item.self)
      try ground.sql("ALTER TABLE @.item ADD COLUMN note text")
      let error = refusal { _ = try ground.open(Later.Item.self) }
      #expect(error?.code == .foreignTables)
      #expect(error?.detail.contains("\"note\"") == true)
      #expect(refusal { _ = try ground.open(Item.self) } == nil)
    }

    @Test(
      arguments: [
        ("ALTER TABLE @.item DROP COLUMN name", "\"name\""),
        ("ALTER TABLE @.item ALTER COLUMN name TYPE varchar(10)", "character varying(10)"),
        ("ALTER TABLE @.item RENAME COLUMN pk TO id", "\"pk\""),
        ("ALTER TABLE @.item ADD COLUMN must integer NOT NULL", "\"must\""),
        ("DROP TABLE @.item", "\"item\""),
        ("UPDATE @.roost_store SET shape = '[1]'", "roost_store"),
      ])
    func `a table that another program changed is refused`(_ change: String, _ word: String) throws {
      _ = try ground.open(Item.self)
      try ground.sql(change)
      let error = refusal { _ = try ground.open(Item.self) }
      #expect(error?.code == .changedTables)
      #expect(error?.detail.contains(word) == true, "\(error?.detail ?? "")")
    }

    @Test func `tables of a newer package are refused`() throws {
      _ = try ground.open(Item.self)
      try ground.sql("UPDATE @.roost_store SET format = 99")
      #expect(refusal { _ = try ground.open(Item.self) }?.code == .newerModels)
    }

    @Test func `an opening that fails leaves nothing`() throws {
      try ground.sql("CREATE SCHEMA @")
      try ground.sql("CREATE TABLE @.other (id integer)")
      _ = refusal { _ = try ground.open(Item.self, Other.self) }
      #expect(
        try ground.sql("SELECT tablename::text FROM pg_tables WHERE schemaname = '\(ground.namespace)'") == [["other"]])
    }

    // MARK: Rights

    /// The address of a role without any rights.
    private func poorAddress() throws -> (role: String, address: String) {
      let role = ground.namespace + "_role"
      try ground.sql("CREATE ROLE \"\(role)\" LOGIN")
      return (role, ground.address.replacing("user=roost", with: "user=\(role)"))
    }

    @Test(.enabled(if: PostgresServer.given == nil, "roles need the test's own server"))
    func `the error of a role without rights names the missing right`() throws {
      let (role, address) = try poorAddress()
      func check(_ word: String, _ body: () throws -> Void = {}) throws {
        let error = refusal { _ = try ground.open(Item.self, address: address) }
        #expect(error?.code == .noRights)
        #expect(error?.state == "42501")
        #expect(error?.detail.contains(word) == true, "\(error?.detail ?? "")")
      }
      try check("GRANT CREATE")
      try ground.sql("CREATE SCHEMA @")
      try check("GRANT CREATE")
      try ground.sql("GRANT USAGE ON SCHEMA @ TO \"\(role)\"")
      try check("permission denied for schema")
      _ = try ground.open(Item.self)
      try check("permission denied for table roost_store")
      try ground.sql("GRANT SELECT ON ALL TABLES IN SCHEMA @ TO \"\(role)\"")
      let reader = try ground.open(Item.self, address: address)
      #expect(try reader.fetchCount(FetchDescriptor<Item>()) == 0)
      reader.insert(Item("a"))
      #expect(refusal { try reader.save() }?.code == .noRights)
      try ground.sql("GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA @ TO \"\(role)\"")
      try reader.save()
      #expect(try ground.value("SELECT name FROM @.item") == "a")
      let error = refusal { _ = try ground.open(Later.Item.self, address: address) }
      #expect(error?.code == .noRights)
      #expect(error?.detail.contains("must be owner of table item") == true)
      try ground.sql("DROP OWNED BY \"\(role)\"")
      try ground.sql("DROP ROLE \"\(role)\"")
    }

    // MARK: Addresses

    @Test(.enabled(if: CutProxy.socketFolder() != nil, "databases need the test's own server"))
    func `a database with another encoding is refused`() throws {
      let name = ground.namespace + "_latin"
      try ground.sql("CREATE DATABASE \"\(name)\" ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
      let error = refusal {
        _ = try ground.open(Item.self, address: ground.address.replacing("dbname=postgres", with: "dbname=\(name)"))
      }
      #expect(error?.code == .wrongEncoding)
      #expect(error?.detail.contains("LATIN1") == true)
      try ground.sql("DROP DATABASE \"\(name)\"")
    }

    @Test(
      arguments: [
        "postgresql://me:geheim@local host:x/db", "postgresql://me:geh/eim@localhost/db",
        "postgresql://me:gehe@im@localhost/db", "host=localhost password='geheim", "password=geheim port=geheim",
        "postgresql://me:geheim%zz@localhost/db", "postgresql://[::1:geheim/db", "geheim", "=geheim",
      ])
    func `an address that cannot be read is not repeated`(_ address: String) throws {
      let error = try #require(refusal { _ = try ground.open(Item.self, address: address) })
      #expect(error.code == .badAddress)
      expectNoSecret(error)
    }

    @Test(
      arguments: [
        "host=/nowhere/geheimnis password=geheim dbname=db", "postgresql://me:geheim@127.0.0.1:1/db?connect_timeout=2",
        "host=geheim.invalid password=geheim",
      ])
    func `an address without a server is unreachable`(_ address: String) throws {
      let error = try #require(refusal { _ = try ground.open(Item.self, address: address) })
      #expect(error.code == .unreachable)
      #expect(error.state == nil)
      expectNoSecret(error)
    }

    @Test func `a missing database is unreachable`() throws {
      let error = refusal {
        _ = try ground.open(Item.self, address: ground.address + " dbname=nowhere password=geheim")
      }
      #expect(error?.code == .unreachable)
      #expect(error?.detail.contains("nowhere") == true)
    }

    @Test func `nothing prints a password`() throws {
      let configuration = PostgresConfiguration(ground.address + " password=geheim", namespace: ground.namespace)
      expectNoSecret(configuration)
      let container = try ModelContainer(for: Schema([Item.self]), configurations: [configuration])
      expectNoSecret(container)
      expectNoSecret(container.configurations)
      let store = try PostgresStore(
        PostgresConfiguration(
          ground.address + " password=geheim", schema: Schema([Item.self]), namespace: ground.namespace),
        migrationPlan: nil)
      expectNoSecret(store)
    }

    private func expectNoSecret(_ value: Any, sourceLocation: SourceLocation = #_sourceLocation) {
      var text = "\(value) \(String(reflecting: value))"
      dump(value, to: &text)
      for child in Mirror(reflecting: value).children { dump(child.value, to: &text) }
      #expect(!text.contains("geheim"), sourceLocation: sourceLocation)
      #expect(!text.contains("eim@"), sourceLocation: sourceLocation)
    }
  }

  @Model private final class Other {
    var name: String
    init(_ name: String) { self.name = name }
  }
#endif
