#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData
  import Testing

  private struct Stopped: Error {}

  @Model private final class Tenant {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Bill.tenant) var bills: [Bill] = []
    init(_ name: String) { self.name = name }
  }

  @Model private final class Bill {
    var number: Int
    var tenant: Tenant?
    /// In the same zone.
    var before: Bill?
    init(_ number: Int) { self.number = number }
  }

  /// Moving between a file and a database.
  @Suite(.server) struct MoveTests {
    private let ground: Ground
    private let folder: ScratchFolder

    init() throws {
      (ground, folder) = (try Ground(), try ScratchFolder())
    }

    private func url(_ name: String) -> URL { URL(filePath: folder.file(name)) }

    private func server(_ ground: Ground, address: String? = nil, schema: Schema = Sea.schema) -> PostgresConfiguration
    {
      PostgresConfiguration(address ?? ground.address, schema: schema, namespace: ground.namespace)
    }

    private func database(_ ground: Ground) throws -> ModelContainer {
      try ModelContainer(for: Sea.schema, configurations: [server(ground)])
    }

    private func moveError(_ body: () throws -> Void) -> MoveError? {
      do {
        try body()
        return nil
      } catch let error as MoveError { return error } catch {
        Issue.record(error)
        return nil
      }
    }

    @Test func `a file becomes a database, and the database becomes the same file again`() throws {
      let file = try Sea.open(url("first"))
      try Sea.fill(file, vessels: 2500)
      let before = try Sea.facts(file)
      var steps: [MoveProgress] = []
      let pushed = try file.push(to: server(ground), chunk: 200) { steps.append($0) }
      #expect(pushed.agrees)
      #expect(pushed.models.map(\.source.count).reduce(0, +) == before.count)
      #expect(steps.filter { $0.step == .objects }.map(\.objects).max() == before.count)
      let pulled = try database(ground).pull(into: url("second"), chunk: 300)
      #expect(pulled.models.map(\.source.count) == pushed.models.map(\.source.count))
      let after = try Sea.facts(Sea.open(url("second")))
      #expect(after.count == before.count)
      for (name, facts) in before where after[name] != facts {
        Issue.record("\(name): \(facts), then \(String(describing: after[name]))")
        break
      }
      #expect("\(pushed)".contains("Ferry: 277 objects, checksum "))
    }

    @Test func `contexts of the server change what was pushed`() throws {
      let file = try Sea.open(url("first"))
      try Sea.fill(file, vessels: 120)
      try file.push(to: server(ground), chunk: 50)
      let context = ModelContext(try database(ground))
      let ports = try context.fetch(FetchDescriptor<Sea.Port>(sortBy: [SortDescriptor(\.name)]))
      let reader = ModelContext(file)
      let original = try reader.fetch(FetchDescriptor<Sea.Port>(sortBy: [SortDescriptor(\.name)]))
      #expect(ports.map { $0.vessels.map(\.name) } == original.map { $0.vessels.map(\.name) })
      #expect(ports.map { $0.lines.map(\.number) } == original.map { $0.lines.map(\.number) })
      var random = SplitMix64(seed: 1)
      let vessel = Sea.Vessel(5000, &random)
      ports[1].vessels.insert(vessel, at: 1)
      ports[0].vessels.append(ports[1].vessels[0])
      try context.save()
      let fresh = ModelContext(try database(ground))
      let again = try fresh.fetch(FetchDescriptor<Sea.Port>(sortBy: [SortDescriptor(\.name)]))
      #expect(again.map { $0.vessels.map(\.name) } == ports.map { $0.vessels.map(\.name) })
      #expect(again[0].vessels.last?.name == original[1].vessels[0].name)
    }

    @Test(arguments: [MoveProgress.Step.objects, .relationships, .comparison])
    func `an interrupted push continues, and writes nothing twice`(_ step: MoveProgress.Step) throws {
      let file = try Sea.open(url("first"))
      try Sea.fill(file, vessels: 300)
      for stop in [1, 3, 7] {
        let ground = try Ground()
        var count = 0
        #expect(throws: Stopped.self) {
          try file.push(to: server(ground), chunk: 50) { progress in
            if progress.step == step { count += 1 }
            if count == stop { throw Stopped() }
          }
        }
        let report = try file.push(to: server(ground), chunk: 65)
        #expect(report.agrees)
        let vessels = report.models.filter { ["Vessel", "Ferry"].contains($0.name) }.map(\.target.count).reduce(0, +)
        #expect(try ground.value("SELECT count(*)::text FROM @.vessel") == "\(vessels)")
        // Two references of a vessel are written late, each of them once.
        #expect(try ground.value("SELECT max(version)::text FROM @.vessel") == "3")
        #expect(try ground.value("SELECT max(version)::text FROM @.line") == "1")
        let inserted = try ground.value(
          "SELECT sum(cardinality(keys))::text FROM @.roost_change WHERE kind = 'insert'")
        #expect(inserted == "\(report.models.map(\.target.count).reduce(0, +))")
      }
    }

    @Test(.enabled(if: CutProxy.socketFolder() != nil, "the server has no socket in a folder"))
    func `a push whose connection is cut continues`() throws {
      let file = try Sea.open(url("first"))
      try Sea.fill(file, vessels: 200)
      let proxy = try CutProxy()
      let whole = try Ground()
      let start = proxy.passed(.toServer)
      let expected = try file.push(to: server(whole, address: proxy.address), chunk: 50)
      let size = proxy.passed(.toServer) - start
      var outcomes: [String: Int] = [:]
      for number in 1...12 {
        let ground = try Ground()
        proxy.cut(.toServer, after: size * number / 13)
        let error = refusal { try file.push(to: server(ground, address: proxy.address), chunk: 50) }
        proxy.pass()
        outcomes[error?.code.rawValue ?? "pushed", default: 0] += 1
        #expect(error == nil || error?.code == .lost || error?.code == .unreachable, "\(String(describing: error))")
        let report = try file.push(to: server(ground), chunk: 50)
        #expect(report == expected)
      }
      print("pushes that were cut: \(outcomes)")
      #expect(outcomes["lost", default: 0] > 6)
    }

    @Test func `rows that are added to the file between two attempts are copied too`() throws {
      let file = try Sea.open(url("first"))
      try Sea.fill(file, vessels: 90)
      #expect(throws: Stopped.self) {
        try file.push(to: server(ground), chunk: 20) { if $0.objects > 50 { throw Stopped() } }
      }
      let context = ModelContext(file)
      context.insert(Sea.Line(1000))
      try context.save()
      #expect(try file.push(to: server(ground), chunk: 20).agrees)
      #expect(try ground.value("SELECT count(*)::text FROM @.line WHERE number = 1000") == "1")
    }

    @Test(arguments: [
      ("UPDATE @.vessel SET small = small + 1 WHERE name = 'vessel 5'", "Vessel"),
      ("UPDATE @.vessel SET hull = jsonb_set(hull, '{steel}', '1') WHERE name = 'vessel 5'", "Vessel"),
      ("UPDATE @.vessel SET kinds = '[\"other\"]' WHERE name = 'vessel 5'", "Vessel"),
      ("UPDATE @.vessel SET ferry_lanes = 1 WHERE name = 'vessel 9'", "Ferry"),
      ("UPDATE @.vessel SET port_place = -port_place WHERE name = 'vessel 6'", "Port"),
      ("UPDATE @.port_lines SET owner_place = -owner_place", "Port"),
      ("DELETE FROM @.skipper_friends", "Skipper"),
      ("UPDATE @.vessel SET next = NULL WHERE name = 'vessel 5'", "Vessel"),
    ])
    func `a difference is found`(_ change: String, _ model: String) throws {
      let file = try Sea.open(url("first"))
      try Sea.fill(file, vessels: 200)
      let report = try file.push(to: server(ground), chunk: 500)
      #expect(try file.push(to: server(ground)) == report)
      try ground.sql(change)
      let error = moveError { try file.push(to: server(ground)) }
      #expect(error?.code == .differs)
      #expect(
        error?.report?.models.filter { !$0.agrees }.map(\.name).contains(model) == true, "\(String(describing: error))")
      #expect(error?.report?.models.allSatisfy { $0.source.count == $0.target.count } == true)
      #expect(error?.description.contains("at the target") == true)
    }

    @Test func `a missing row is found, and nothing is written after the end of a push`() throws {
      let file = try Sea.open(url("first"))
      try Sea.fill(file, vessels: 60)
      try file.push(to: server(ground))
      try ground.sql("DELETE FROM @.line WHERE number = 0")
      let error = moveError { try file.push(to: server(ground)) }
      let line = error?.report?.models.first { $0.name == "Line" }
      #expect(line.map { $0.source.count - $0.target.count } == 1)
      #expect(try ground.value("SELECT count(*)::text FROM @.line WHERE number = 0") == "0")
      // After the tables are emptied, a push starts over.
      try database(ground).erase()
      #expect(try file.push(to: server(ground)).agrees)
    }

    @Test func `a zone becomes a file`() throws {
      let schema = Schema([Tenant.self, Bill.self])
      let zone = PostgresZone.properties(.property(\Tenant.name), .property(\Bill.tenant))
      let configuration = PostgresConfiguration(ground.address, zone: zone, schema: schema, namespace: ground.namespace)
      let file = try ModelContainer(for: schema, configurations: [ModelConfiguration(schema: schema, url: url("all"))])
      let context = ModelContext(file)
      for number in 0..<9 {
        let tenant = Tenant("customer \(number)")
        context.insert(tenant)
        for one in 0..<30 {
          let bill = Bill(number * 100 + one)
          context.insert(bill)
          bill.tenant = tenant
          bill.before = tenant.bills.first { $0.number < bill.number }
        }
      }
      try context.save()
      #expect(try file.push(to: configuration, chunk: 40).agrees)
      #expect(try ground.value("SELECT count(*)::text FROM @.bill WHERE zone = 'customer 7'") == "30")
      let server = try ModelContainer(for: schema, configurations: [configuration])
      let report = try server.pull(into: url("seven"), zone: "customer 7", chunk: 7)
      #expect(report.models.map(\.target.count) == [30, 1])
      let found = try ModelContext(
        ModelContainer(for: schema, configurations: [ModelConfiguration(schema: schema, url: url("seven"))])
      ).fetch(FetchDescriptor<Tenant>())
      #expect(found.map(\.name) == ["customer 7"])
      #expect(found.first?.bills.map(\.number) == Array(700..<730))
      #expect(found.first?.bills.last?.before?.number == 700)
      #expect(try server.pull(into: url("none"), zone: "customer 99").models.allSatisfy { $0.target.count == 0 })
      #expect(try server.pull(into: url("whole"), chunk: 100).models.map(\.target.count) == [270, 9])
    }

    @Test func `the side of a relationship without the reference can define the zone`() throws {
      let file = try ModelContainer(
        for: Freight.schema, configurations: [ModelConfiguration(schema: Freight.schema, url: url("freight"))])
      let context = ModelContext(file)
      try Freight.fill(context, ["acme"])
      // In the file a number is unique among all tenants.
      let parcel = Freight.Parcel(4, Freight.Tenant("other"))
      parcel.seal = Freight.Seal("other")
      context.insert(parcel)
      try context.save()
      let configuration = PostgresConfiguration(
        ground.address, zone: Freight.zone, schema: Freight.schema, namespace: ground.namespace)
      #expect(try file.push(to: configuration, chunk: 2).agrees)
      let server = try ModelContainer(for: Freight.schema, configurations: [configuration])
      let seals = try ModelContext(server).fetch(FetchDescriptor<Freight.Seal>(sortBy: [SortDescriptor(\.code)]))
      #expect(seals.map { $0.parcel?.tenant?.name } == ["acme", "other"])
    }

    @Test func `an interrupted pull leaves no file, and can be repeated`() throws {
      let file = try Sea.open(url("first"))
      try Sea.fill(file, vessels: 60)
      try file.push(to: server(ground))
      for stop in 1...12 {
        var count = 0
        do {
          try database(ground).pull(into: url("second"), chunk: 20) { _ in
            count += 1
            if count == stop { throw Stopped() }
          }
          Issue.record("it was not stopped")
        } catch is Stopped {}
        #expect(
          try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("second") } == [])
      }
      // A file that a killed program left.
      try Data("old".utf8).write(to: url("second.pull"))
      try database(ground).pull(into: url("second"))
      #expect(try Sea.facts(Sea.open(url("second"))) == Sea.facts(file))
    }

    @Test func `wrong places are refused`() throws {
      let file = try Sea.open(url("first"))
      try Sea.fill(file, vessels: 20)
      let other = try Sea.open(url("other"))
      try Sea.fill(other, vessels: 20)
      try other.push(to: server(ground))
      let full = moveError { try file.push(to: server(ground)) }
      #expect(full?.code == .notEmpty)
      #expect(full?.detail.contains("Vessel") == true)
      let there = moveError { try database(ground).pull(into: url("first")) }
      #expect(there?.code == .fileExists)
      #expect(moveError { try file.pull(into: url("new")) }?.code == .wrongStore)
      #expect(moveError { try database(ground).push(to: server(Ground())) }?.code == .wrongStore)
      #expect(moveError { try database(ground).pull(into: url("new"), zone: "one") }?.code == .noZones)
    }
  }
#endif
