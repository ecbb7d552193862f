#if canImport(Roost)
  import Foundation
  import SwiftData
  import Testing

  @Model class Craft {
    var name: String
    var weight: Int
    var port: Port?
    @Relationship(inverse: \Craft.towedBy) var tows: Craft?
    var towedBy: Craft?

    init(_ name: String, weight: Int) {
      self.name = name
      self.weight = weight
    }

    var facts: String { "craft \(name) \(weight)" }
  }

  @Model class Boat: Craft {
    var oars: Int

    init(_ name: String, weight: Int, oars: Int) {
      self.oars = oars
      super.init(name, weight: weight)
    }

    override var facts: String { "boat \(name) \(weight) \(oars)" }
  }

  @Model final class Ferry: Boat {
    var cars: Int

    init(_ name: String, weight: Int, cars: Int) {
      self.cars = cars
      super.init(name, weight: weight, oars: cars + 1)
    }

    override var facts: String { "ferry \(name) \(weight) \(oars) \(cars)" }
  }

  @Model final class Barge: Craft {
    var load: Double

    init(_ name: String, weight: Int, load: Double) {
      self.load = load
      super.init(name, weight: weight)
    }

    override var facts: String { "barge \(name) \(weight) \(load)" }
  }

  @Model final class Port {
    var name: String
    @Relationship(inverse: \Craft.port) var crafts: [Craft] = []
    /// A class in the middle of the hierarchy.
    var flagship: Boat?

    init(_ name: String) { self.name = name }
  }

  @Model final class Sailor {
    var name: String
    var pay = 0
    var home: Craft?
    var crafts: [Craft] = []

    init(_ name: String) { self.name = name }
  }

  /// Models of several classes of one hierarchy, in working sets that have loaded nothing.
  ///
  /// Before the fix, the first read of a reference loaded the rows after it with the class of the
  /// first one. Objects of other classes showed defaults, and the context could not save.
  @Suite struct FamilyStoreTests {
    /// The contexts that ask questions.
    enum Asker: CaseIterable { case child, grandchild, json, remote, childOfJSON }

    private static let schema = Schema([
      Craft.self, Boat.self, Ferry.self, Barge.self, Port.self, Sailor.self,
    ])

    private static func plainContainer() throws -> ModelContainer {
      try ModelContainer(for: schema, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
    }

    /// Saves crafts of the classes with these numbers, and sailors and ports that refer to them.
    private static func fill(_ context: ModelContext, classes: [Int], _ random: inout RandomSource) throws {
      let crafts = classes.enumerated().map { number, one -> Craft in
        let (name, weight) = ("c\(number)", number + 2)
        return switch one {
        case 0: Craft(name, weight: weight)
        case 1: Boat(name, weight: weight, oars: number + 4)
        case 2: Ferry(name, weight: weight, cars: number + 6)
        default: Barge(name, weight: weight, load: Double(number) + 0.5)
        }
      }
      for craft in crafts { context.insert(craft) }
      let ports = ["p", "q"].map { Port($0) }
      for port in ports {
        context.insert(port)
        port.flagship = crafts.compactMap { $0 as? Boat }.randomElement(using: &random)
      }
      for craft in crafts { craft.port = [ports[0], ports[1], nil].randomElement(using: &random)! }
      for (one, other) in zip(crafts, crafts.dropFirst()) where random.next(below: 2) == 0 { one.tows = other }
      for number in crafts.indices {
        let sailor = Sailor("s\(number)")
        context.insert(sailor)
        sailor.home = crafts[number]
        sailor.crafts = crafts.filter { _ in random.next(below: 3) == 0 }
      }
      try context.save()
    }

    /// Returns a function that makes contexts which have loaded nothing of a filled store.
    private static func contexts(
      _ asker: Asker?, classes: [Int], seed: UInt64
    ) throws -> () throws -> ModelContext {
      var random = RandomSource(seed)
      var make: () throws -> ModelContainer
      switch asker {
      case .json, .childOfJSON:
        let file = freshFile()
        make = {
          try ModelContainer(for: schema, configurations: [JSONStore.Configuration(schema: schema, file: file)])
        }
      case .remote:
        let server = Server(seed: seed)
        make = {
          try ModelContainer(for: schema, configurations: [RemoteStore.Configuration(schema: schema, server: server)])
        }
      default:
        let container = try plainContainer()
        make = { container }
      }
      try fill(ModelContext(make()), classes: classes, &random)
      return {
        let context = ModelContext(try make())
        switch asker {
        case .child, .childOfJSON: return try ModelContext(parent: context)
        case .grandchild: return try ModelContext(parent: ModelContext(parent: context))
        default: return context
        }
      }
    }

    private typealias Question = (name: String, ask: @Sendable (ModelContext) throws -> [String])

    private static let sailors = FetchDescriptor<Sailor>(sortBy: [SortDescriptor(\.name)])
    private static let ports = FetchDescriptor<Port>(sortBy: [SortDescriptor(\.name)])
    private static let crafts = FetchDescriptor<Craft>(sortBy: [SortDescriptor(\.name)])

    private static func facts(_ craft: Craft?) -> String {
      craft.map { "\($0.facts) \($0.persistentModelID.entityName)" } ?? "-"
    }

    private static let questions: [Question] = [
      ("references", { try $0.fetch(sailors).map { facts($0.home) } }),
      ("references, last first", { try $0.fetch(sailors).reversed().map { facts($0.home) } }),
      ("one reference", { try $0.fetch(sailors).map { "\($0.home?.weight ?? -1)" } }),
      (
        "one sailor",
        { try $0.fetch(FetchDescriptor<Sailor>(predicate: #Predicate { $0.name == "s1" })).map { facts($0.home) } }
      ),
      (
        "lists",
        { try $0.fetch(ports).flatMap { $0.crafts.map(facts) } }
      ),
      ("links", { try $0.fetch(sailors).flatMap { $0.crafts.map(facts) } }),
      ("partners", { try $0.fetch(crafts).map { "\(facts($0.tows)) \(facts($0.towedBy))" } }),
      (
        "flagships",
        { try $0.fetch(ports).map { "\($0.flagship?.oars ?? -1)" } }
      ),
      ("boats", { try $0.fetch(FetchDescriptor<Boat>(sortBy: [SortDescriptor(\.name)])).map { facts($0.towedBy) } }),
      (
        "boats by class",
        { try $0.fetch(FetchDescriptor<Craft>(predicate: #Predicate { $0 is Boat }, sortBy: crafts.sortBy)).map(facts) }
      ),
      (
        "selected columns",
        { try $0.select(Sailor.self, \.name, \.home?.weight, sortBy: sailors.sortBy).map { "\($0)" } }
      ),
      (
        "prefetched references",
        {
          var descriptor = sailors
          descriptor.relationshipKeyPathsForPrefetching = [\.home, \.crafts]
          return try $0.fetch(descriptor).map { "\(facts($0.home)) \($0.crafts.map(facts))" }
        }
      ),
      (
        "a condition with an unsaved change",
        {
          try $0.fetch(sailors)[0].pay = 3
          return try $0.fetch(
            FetchDescriptor<Sailor>(predicate: #Predicate { ($0.home?.weight ?? 0) > 2 }, sortBy: sailors.sortBy)
          ).map(\.name)
        }
      ),
      (
        "a condition with an unsaved craft",
        {
          try $0.fetch(crafts)[0].weight = 40
          return try $0.fetch(
            FetchDescriptor<Sailor>(predicate: #Predicate { ($0.home?.weight ?? 0) > 2 }, sortBy: sailors.sortBy)
          ).map(\.name)
        }
      ),
      (
        "a condition on a subclass with an unsaved change",
        {
          try $0.fetch(sailors)[0].pay = 3
          try $0.fetch(ports)[0].name += "2"
          return try $0.fetch(FetchDescriptor<Port>(predicate: #Predicate { ($0.flagship?.oars ?? 0) > 5 })).map(\.name)
            .sorted()
        }
      ),
      (
        "groups",
        {
          try $0.aggregate(Sailor.self, .count, by: \.home?.weight).map { "\($0.key ?? -1): \($0.values)" }.sorted()
        }
      ),
      (
        "running totals",
        {
          try $0.select(Sailor.self, \.name, over: .running(.sum(\Sailor.home?.weight)), sortBy: sailors.sortBy)
            .map { "\($0)" }
        }
      ),
      (
        "changes along references",
        {
          for sailor in try $0.fetch(sailors) { sailor.home?.weight += 10 }
          return try $0.fetch(crafts).map(facts)
        }
      ),
    ]

    private func compare(_ asker: Asker, classes: [Int], seed: UInt64) throws {
      let plain = try Self.contexts(nil, classes: classes, seed: seed)
      let asked = try Self.contexts(asker, classes: classes, seed: seed)
      for question in Self.questions {
        let note: Comment = "\(asker), seed \(seed), classes \(classes): \(question.name)"
        let (context, other) = (try asked(), try plain())
        #expect(try question.ask(context) == question.ask(other), note)
        do {
          for one in [context, other] {
            try one.fetch(Self.sailors).first?.pay += 1
            for saved in sequence(first: one, next: \.parent) { try saved.save() }
          }
          #expect(try asked().fetch(Self.crafts).map(Self.facts) == plain().fetch(Self.crafts).map(Self.facts), note)
        } catch { Issue.record(error, note) }
      }
    }

    /// 0 is the root class, 1 its subclass, 2 the subclass of that, 3 another subclass of the root.
    @Test(
      arguments: Asker.allCases,
      [[1, 0], [0, 1], [2, 0, 1], [3, 1, 2, 0]])
    func `a fresh context reads models of several classes`(asker: Asker, classes: [Int]) throws {
      try compare(asker, classes: classes, seed: 1)
    }

    @Test(arguments: Asker.allCases, 1...3 as ClosedRange<UInt64>)
    func `a fresh context reads models of random classes`(asker: Asker, seed: UInt64) throws {
      var random = RandomSource(seed + 100)
      let classes = (0..<2 + random.next(below: 7)).map { _ in random.next(below: 4) }
      try compare(asker, classes: classes, seed: seed)
    }

    /// An object cannot change its class. Before the fix, the context showed a craft with defaults.
    @Test func `a store that names a reference by a superclass gets an error`() throws {
      let file = freshFile()
      // Identifiers can name only the models of a container.
      let models = try Self.plainContainer()
      defer { withExtendedLifetime(models) {} }
      func name(_ entity: String) throws -> PersistentIdentifier {
        try .identifier(for: file.lastPathComponent, entityName: entity, primaryKey: 1)
      }
      let none: [PersistentIdentifier] = []
      let snapshots = [
        try DefaultSnapshot(name("Ferry"), values: ["name": "f", "weight": 2, "oars": 3, "cars": 4]),
        try DefaultSnapshot(name("Sailor"), values: ["name": "s", "pay": 1, "home": name("Craft"), "crafts": none]),
      ]
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try JSONEncoder().encode(snapshots).write(to: file)
      let container = try ModelContainer(
        for: Self.schema, configurations: [JSONStore.Configuration(schema: Self.schema, file: file)])
      let context = ModelContext(container)
      let sailor = try #require(try context.fetch(Self.sailors).first)
      let error = #expect(throws: RoostError.self) { try context.fetch(Self.crafts) }
      #expect(error?.code == .badValue)
      #expect(error?.description.contains("returned the Ferry") == true && error?.description.contains("Craft") == true)
      #expect(sailor.home?.weight == 0)
      sailor.pay = 2
      #expect(throws: RoostError.self) { try context.save() }
      // The class is known already.
      let other = ModelContext(
        try ModelContainer(for: Self.schema, configurations: [JSONStore.Configuration(schema: Self.schema, file: file)])
      )
      #expect(try other.fetch(Self.crafts).map(\.facts) == ["ferry f 2 3 4"])
      #expect(try other.fetch(Self.sailors).first?.home?.facts == "ferry f 2 3 4")
    }

    @Test(arguments: 0..<3) func `children show models of random classes as their parents do`(_ part: UInt64) throws {
      for seed in part * 6..<part * 6 + 6 {
        let container: ModelContainer
        switch seed % 3 {
        case 0: container = try Self.plainContainer()
        case 1: container = try StoreKind.json.container(Self.schema)
        default: container = try StoreKind.remote.container(Self.schema)
        }
        let play = try FamilyPlay(seed: seed, container)
        #expect(play.difference == nil, "seed \(seed): \(play.story)")
      }
    }

    /// The child gets the crafts again, and with them the crafts that they reference.
    @Test(arguments: [[1, 0], [2, 0, 1], [0, 3, 2, 1]]) func `a child merges the parent's changes of several classes`(
      classes: [Int]
    ) throws {
      for seed in 1...4 as ClosedRange<UInt64> {
        var random = RandomSource(seed)
        let parent = ModelContext(try Self.plainContainer())
        try Self.fill(parent, classes: classes, &random)
        let child = try ModelContext(parent: parent)
        for sailor in try child.fetch(Self.sailors) {
          sailor.home?.name += "b"
          sailor.pay = 4
        }
        let all = try parent.fetch(Self.crafts)
        for craft in all { craft.weight += 10 }
        for sailor in try parent.fetch(Self.sailors) { sailor.home = all.randomElement(using: &random) }
        try child.save()
        #expect(all.map(\.name) == classes.indices.map { "c\($0)b" }, "seed \(seed)")
        #expect(all.map(\.weight) == classes.indices.map { $0 + 12 }, "seed \(seed)")
        let homes = try child.fetch(Self.sailors).map { Self.facts($0.home) }
        #expect(try homes == parent.fetch(Self.sailors).map { Self.facts($0.home) }, "seed \(seed)")
        child.insert(Sailor("last"))
        try child.save()
        try parent.save()
      }
    }
  }
#endif
