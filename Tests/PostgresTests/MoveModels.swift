#if Postgres
  import Foundation
  import RoostPostgres
  import RoostTestSupport
  import SwiftData

  /// Models with every kind of value and relationship, to move between a file and a database.
  enum Sea {
    enum Flag: String, Codable { case white, black }

    enum Load: Codable, Hashable {
      case none
      case boxes(Int, marks: Set<String>)
    }

    struct Hull: Codable, Equatable {
      var steel: Double
      var ribs: [Int] = []
      var maker: String?
    }

    @Model class Vessel {
      @Attribute(.unique) var name: String
      var note: String?
      var isReady = false
      var small: Int8 = 0
      var count: UInt64 = 0
      var ratio: Float = 0
      var tons: Double = 0
      var price: Decimal = 0
      var built: Date
      var key: UUID
      var photo = Data()
      var link: URL?
      var flag = Flag.white
      var load = Load.none
      var hull: Hull
      var kinds: Set<String> = []
      var sizes: [Int?] = []
      var levels: [String: Int] = [:]
      @Relationship(inverse: \Port.vessels) var port: Port?
      @Relationship(inverse: \Skipper.vessel) var skipper: Skipper?
      /// Objects that reference each other in a circle.
      var next: Vessel?

      init(_ number: Int, _ random: inout SplitMix64) {
        name = "vessel \(number)"
        built = Date(timeIntervalSinceReferenceDate: Double(random.next() % 1_000_000_000) / 7)
        key = UUID()
        hull = Hull(
          steel: Double(random.next() % 1000) / 3, ribs: [number, 2, 1],
          maker: number % 3 == 0 ? nil : "é \"\\ \(number)")
        note = number % 4 == 0 ? nil : "note\n\(number)"
        isReady = number % 2 == 0
        small = Int8(truncatingIfNeeded: number)
        count = .max - UInt64(number)
        ratio = Float(number) / 3
        tons = number % 5 == 0 ? -0.0 : .infinity
        price = Decimal(number) / 8 + 100
        photo = Data((0..<number % 50).map { UInt8($0) })
        link = URL(string: "https://sea.example/\(number)")
        flag = number % 2 == 0 ? .white : .black
        load = number % 3 == 0 ? .none : .boxes(number, marks: ["a", "b", "c", "\(number)"])
        kinds = Set((0..<number % 7).map { "kind \($0)" })
        sizes = number % 6 == 0 ? [] : [nil, number, 0]
        levels = ["low": number, "high": -number]
      }
    }

    @available(macOS 26, *) @Model final class Ferry: Vessel {
      var lanes = 0
      /// It is required, and its object may be made later than the ferry.
      var tender: Vessel

      init(_ number: Int, tender: Vessel, _ random: inout SplitMix64) {
        self.tender = tender
        lanes = number
        super.init(number, &random)
      }
    }

    @Model final class Port {
      var name: String
      var vessels: [Vessel] = []
      /// The other direction, so that two tables reference each other.
      var best: Vessel?
      @Relationship(inverse: \Line.ports) var lines: [Line] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Line {
      var number: Int
      var ports: [Port] = []
      init(_ number: Int) { self.number = number }
    }

    @Model final class Skipper {
      var name: String
      var vessel: Vessel?
      var friends: [Skipper] = []
      init(_ name: String) { self.name = name }
    }

    static let schema = Schema([Vessel.self, Ferry.self, Port.self, Line.self, Skipper.self])

    static func open(_ url: URL) throws -> ModelContainer {
      try ModelContainer(for: schema, configurations: [ModelConfiguration(schema: schema, url: url)])
    }

    /// Fills a file. Half of its lists have another order than their members' rows.
    static func fill(_ container: ModelContainer, vessels count: Int) throws {
      var random = SplitMix64(seed: 7)
      let context = ModelContext(container)
      let ports = (0..<max(2, count / 60)).map { Port("port \($0)") }
      let lines = (0..<max(2, count / 40)).map { Line($0) }
      let skippers = (0..<count / 10).map { Skipper("skipper \($0)") }
      for one in ports { context.insert(one) }
      for one in lines { context.insert(one) }
      for one in skippers { context.insert(one) }
      var vessels: [Vessel] = []
      var ferries: [Ferry] = []
      for number in 0..<count {
        if number > 0, number % 9 == 0 {
          let ferry = Ferry(number, tender: vessels[number / 2], &random)
          ferries.append(ferry)
          vessels.append(ferry)
        } else {
          vessels.append(Vessel(number, &random))
        }
        context.insert(vessels[number])
      }
      try context.save()
      for (number, vessel) in vessels.enumerated() {
        vessel.next = vessels[(number + 7) % count]
        if number % 5 != 0 { vessel.port = ports[number % ports.count] }
        if number % 10 == 3, number / 10 < skippers.count { vessel.skipper = skippers[number / 10] }
      }
      for (number, ferry) in ferries.enumerated() where number % 2 == 0 {
        ferry.tender = vessels[min(count - 1, ferry.lanes + 5)]
      }
      try context.save()
      for (number, port) in ports.enumerated() {
        port.best = vessels[(number * 13) % count]
        port.lines = (0..<number % 5).map { lines[(number * 3 + $0 * 7) % lines.count] }
        if number % 2 == 0 { port.vessels.reverse() }
      }
      for line in lines where line.number % 2 == 1 { line.ports.reverse() }
      for (number, skipper) in skippers.enumerated() where number % 3 == 1 {
        skipper.friends = [skippers[number - 1], skippers[(number + 5) % skippers.count]]
      }
      try context.save()
    }

    /// The facts about each object: its stored values, and the names of its related objects, in
    /// order.
    static func facts(_ container: ModelContainer) throws -> [String: AnyHashable] {
      let context = ModelContext(container)
      var names: [PersistentIdentifier: String] = [:]
      var snapshots: [DefaultSnapshot] = []
      func add<Model: PersistentModel>(_ type: Model.Type, _ name: (Model) -> String) throws {
        for model in try context.fetch(FetchDescriptor<Model>()) {
          names[model.persistentModelID] = name(model)
          snapshots.append(DefaultSnapshot(model))
        }
      }
      try add(Vessel.self) { $0.name }
      try add(Port.self) { $0.name }
      try add(Line.self) { "line \($0.number)" }
      try add(Skipper.self) { $0.name }
      var all: [String: AnyHashable] = [:]
      for one in snapshots {
        let content = one.content
        let links = content.links.map { link -> [String?] in
          switch link {
          case .absent: ["?"]
          case .one(let one): [one.flatMap { names[$0] }]
          case .many(let many): many.map { names[$0] }
          }
        }
        // The elements of a set in a value with its own encoding may be in any order.
        let values = content.form.type.properties.indices.filter { content.type.propertyName($0) != "load" }
          .map { content.values.raw($0) }
        all["\(content.identifier.entityName) \(names[content.identifier] ?? "")"] = [
          AnyHashable(values), AnyHashable(one["load"] as? Load), AnyHashable(links),
        ]
      }
      return all
    }
  }
#endif
