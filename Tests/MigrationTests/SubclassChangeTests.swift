import Foundation
import Roost
import Testing

private enum First: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Part.self, Wheel.self, SpareWheel.self, Shop.self] }

  @Model class Part {
    var name = ""
    @Relationship(inverse: \Shop.best) var bestOf: [Shop] = []
    @Relationship(inverse: \Shop.parts) var shops: [Shop] = []
    init(_ name: String) { self.name = name }
  }

  @Model class Wheel: Part {
    var size: String?
    var maker: String?
    var keeper: Shop?
    override init(_ name: String) { super.init(name) }
  }

  @Model class SpareWheel: Wheel {
    var pressure = 1
    override init(_ name: String) { super.init(name) }
  }

  @Model class Shop {
    var name = ""
    var best: Part?
    var parts: [Part] = []
    init(_ name: String) { self.name = name }
  }
}

/// Relationships to a class become relationships to its subclass.
private enum Narrow: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Part.self, Wheel.self, SpareWheel.self, Shop.self] }

  @Model class Part {
    var name = ""
    init(_ name: String) { self.name = name }
  }

  @Model class Wheel: Part {
    var size: String?
    var maker: String?
    var keeper: Shop?
    @Relationship(inverse: \Shop.best) var bestOf: [Shop] = []
    @Relationship(inverse: \Shop.parts) var shops: [Shop] = []
    override init(_ name: String) { super.init(name) }
  }

  @Model class SpareWheel: Wheel {
    var pressure = 1
    override init(_ name: String) { super.init(name) }
  }

  @Model class Shop {
    var name = ""
    var best: Wheel?
    var parts: [Wheel] = []
    init(_ name: String) { self.name = name }
  }
}

private enum NarrowPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [First.self, Narrow.self] }
  static var stages: [MigrationStage] {
    [
      .transform(from: First.Shop.self, to: Narrow.Shop.self) { old, new in
        let context = try #require(new.modelContext)
        func wheel(_ part: First.Part) throws -> Narrow.Wheel? {
          let name = part.name
          return try part is First.Wheel
            ? context.fetch(FetchDescriptor<Narrow.Wheel>(predicate: #Predicate { $0.name == name })).first : nil
        }
        new.best = try old.best.flatMap(wheel)
        new.parts = try old.parts.compactMap(wheel)
      },
      .lightweight(fromVersion: First.self, toVersion: Narrow.self),
    ]
  }
}

/// A subclass gets a new unique property, and one of its optional properties becomes required.
private enum Strict: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Part.self, Wheel.self, SpareWheel.self, Shop.self] }

  @Model class Part {
    var name = ""
    @Relationship(inverse: \Shop.best) var bestOf: [Shop] = []
    @Relationship(inverse: \Shop.parts) var shops: [Shop] = []
    init(_ name: String) { self.name = name }
  }

  @Model class Wheel: Part {
    var size: String = "16"
    var maker: String?
    var keeper: Shop?
    @Attribute(.unique) var code: Int = 7
    override init(_ name: String) { super.init(name) }
  }

  @Model class SpareWheel: Wheel {
    var pressure = 1
    override init(_ name: String) { super.init(name) }
  }

  @Model class Shop {
    var name = ""
    var best: Part?
    var parts: [Part] = []
    init(_ name: String) { self.name = name }
  }
}

private enum NeedsMaker: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
  static var models: [any PersistentModel.Type] { [Part.self, Wheel.self] }

  @Model class Part {
    var name = ""
    init(_ name: String) { self.name = name }
  }

  @Model class Wheel: Part {
    var maker: String
    override init(_ name: String) {
      maker = name
      super.init(name)
    }
  }
}

private enum NeedsKeeper: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
  static var models: [any PersistentModel.Type] { [Part.self, Wheel.self, Shop.self] }

  @Model class Part {
    var name = ""
    init(_ name: String) { self.name = name }
  }

  @Model class Wheel: Part {
    var keeper: Shop
    init(_ name: String, _ keeper: Shop) {
      self.keeper = keeper
      super.init(name)
    }
  }

  @Model class Shop {
    var name = ""
    init(_ name: String) { self.name = name }
  }
}

/// Changes of models that concern a class and its subclasses.
@Suite struct SubclassChangeTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func open(
    _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    let configuration = ModelConfiguration(url: folder.file())
    return ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan, configurations: configuration))
  }

  private func refusal(_ version: any VersionedSchema.Type) -> String {
    do {
      try open(version).container.close()
      return "opened"
    } catch { return "\(error)" }
  }

  private func make(_ body: (ModelContext) throws -> Void) throws {
    let context = try open(First.self)
    try body(context)
    try context.save()
    try context.container.close()
  }

  @Test func `a relationship that narrows to a subclass is refused while it references others`() throws {
    try make { context in
      for number in 1...7 {
        let shop = First.Shop("shop \(number)")
        context.insert(shop)
        shop.best = number == 1 ? First.Wheel("w") : First.Part("p")
        shop.parts = [First.SpareWheel("s"), First.Part("q")]
      }
    }
    let text = refusal(Narrow.self)
    #expect(
      text.contains("Shop.best") && text.contains("relationship to Wheel")
        && text.contains("6 objects refer to objects of other classes (rows 2, 3, 4, 5, 6, …)"), "\(text)")
    try make { context in
      for shop in try context.fetch(FetchDescriptor<First.Shop>()) where !(shop.best is First.Wheel) { shop.best = nil }
    }
    #expect(refusal(Narrow.self).contains("Shop.parts"))
    try make { context in
      for shop in try context.fetch(FetchDescriptor<First.Shop>()) {
        shop.parts = shop.parts.filter { $0 is First.Wheel }
      }
    }
    for _ in 0..<2 {
      let context = try open(Narrow.self)
      let shops = try context.fetch(FetchDescriptor<Narrow.Shop>(sortBy: [SortDescriptor(\.name)]))
      #expect(shops.map { $0.best?.name } == ["w", nil, nil, nil, nil, nil, nil])
      #expect(shops.allSatisfy { $0.parts.map(\.name) == ["s"] && $0.parts[0].shops.map(\.name) == [$0.name] })
      #expect(try context.container.verify().findings.isEmpty)
      try context.container.close()
    }
  }

  @Test func `a transform moves a relationship to the subclass`() throws {
    try make { context in
      for number in 1...3 {
        let shop = First.Shop("shop \(number)")
        context.insert(shop)
        shop.best = number == 1 ? First.Wheel("w") : First.Part("p")
        shop.parts = [First.SpareWheel("s\(number)"), First.Part("q")]
      }
    }
    for _ in 0..<2 {
      let context = try open(Narrow.self, NarrowPlan.self)
      let shops = try context.fetch(FetchDescriptor<Narrow.Shop>(sortBy: [SortDescriptor(\.name)]))
      #expect(shops.map { $0.best?.name } == ["w", nil, nil] && shops[0].best?.bestOf.map(\.name) == ["shop 1"])
      #expect(shops.map { $0.parts.map(\.name) } == [["s1"], ["s2"], ["s3"]])
      #expect(try context.fetchCount(FetchDescriptor<Narrow.Part>()) == 9)
      #expect(try context.container.verify().findings.isEmpty)
      try context.container.close()
    }
  }

  @Test func `a subclass requires a former optional property, with a default`() throws {
    try make { context in
      context.insert(First.Part("a"))
      context.insert(First.Part("b"))
      context.insert(First.SpareWheel("s"))
    }
    for _ in 0..<2 {
      let context = try open(Strict.self)
      let wheels = try context.fetch(FetchDescriptor<Strict.Wheel>())
      #expect(wheels.map(\.size) == ["16"] && wheels.map(\.code) == [7])
      #expect(try context.fetchCount(FetchDescriptor<Strict.Wheel>(predicate: #Predicate { $0.size == "16" })) == 1)
      #expect(try context.fetchCount(FetchDescriptor<Strict.Part>()) == 3)
      #expect(try context.container.verify().findings.isEmpty)
      try context.container.close()
    }
  }

  @Test func `a default of a new unique property belongs to at most one object`() throws {
    try make { context in
      context.insert(First.Part("a"))
      context.insert(First.Wheel("v"))
      context.insert(First.Wheel("w"))
    }
    let text = refusal(Strict.self)
    #expect(text.contains("Wheel.code: the model wants it unique, and 2 objects would get its default 7"), "\(text)")
    #expect(try open(First.self).fetchCount(FetchDescriptor<First.Wheel>()) == 2)
  }

  @Test func `a subclass requires a former optional property, without a default`() throws {
    try make { context in
      context.insert(First.Part("a"))
      context.insert(First.Wheel("w"))
      context.insert(First.Wheel("v"))
    }
    #expect(refusal(NeedsMaker.self).contains("Wheel.maker: the model requires a value, and 2 objects have none"))
    #expect(refusal(NeedsKeeper.self).contains("Wheel.keeper: the model requires a value, and 2 objects have none"))
    try make { context in
      for wheel in try context.fetch(FetchDescriptor<First.Wheel>()) {
        wheel.maker = "m"
        wheel.keeper = First.Shop("k")
      }
    }
    let makers = try open(NeedsMaker.self)
    #expect(try makers.fetch(FetchDescriptor<NeedsMaker.Wheel>()).map(\.maker) == ["m", "m"])
    try makers.container.close()
    let keepers = try open(NeedsKeeper.self)
    #expect(try keepers.fetch(FetchDescriptor<NeedsKeeper.Wheel>()).map(\.keeper.name) == ["k", "k"])
  }
}
