import Foundation
import SwiftData
import Testing

@Model private final class Stranger {
  var name = ""
  init() {}
}

private enum Tint: String, Codable { case light, dark }

private struct Measures: Codable, Equatable {
  var width: Int
  var unit: String?
}

/// The models of existing stores.
private enum Old {
  @Model final class Box {
    var name: String
    var left: Int
    var right: Int
    var owner: Holder?
    var lone: Holder?
    init(_ name: String) {
      self.name = name
      left = 1
      right = 2
    }
  }

  @Model final class Holder {
    var name: String
    @Relationship(inverse: \Box.owner) var boxes: [Box] = []
    var way: [Box] = []
    init(_ name: String) { self.name = name }
  }
}

private enum Required {
  enum Number {
    @Model final class Box {
      var name: String
      var count: Int
      init() {
        name = ""
        count = 7
      }
    }
  }
  enum List {
    @Model final class Box {
      var name: String
      var words: [String]
      init() {
        name = ""
        words = []
      }
    }
  }
  enum Case {
    @Model final class Box {
      var name: String
      var shade: Tint
      init() {
        name = ""
        shade = .dark
      }
    }
  }
  enum Structure {
    @Model final class Box {
      var name: String
      var size: Measures
      init() {
        name = ""
        size = Measures(width: 1)
      }
    }
  }
  enum Reference {
    @Model final class Box {
      var name: String
      var maker: Holder
      init(_ maker: Holder) {
        name = ""
        self.maker = maker
      }
    }
    @Model final class Holder {
      var name: String
      init() { name = "" }
    }
  }
}

private enum Added {
  @Model final class Box {
    var name: String
    var count: Int = 7
    var note: String?
    var shade: Tint = Tint.dark
    var size: Measures = Measures(width: 5, unit: "cm")
    var loose: Measures?
    var words: [String] = ["a"]
    var maker: Holder?
    var parts: [Holder] = []
    init() { name = "" }
  }
  @Model final class Holder {
    var name: String
    init() { name = "" }
  }
}

private enum Renamed {
  enum Lone {
    @Model final class Box {
      @Relationship(originalName: "lone") var boss: Holder?
      init() {}
    }
    @Model final class Holder { init() {} }
  }
  enum One {
    @Model final class Box {
      @Relationship(originalName: "owner") var boss: Holder?
      init() {}
    }
    @Model final class Holder {
      @Relationship(inverse: \Box.boss) var boxes: [Box] = []
      init() {}
    }
  }
  enum Many {
    @Model final class Box {
      var owner: Holder?
      init() {}
    }
    @Model final class Holder {
      @Relationship(originalName: "boxes", inverse: \Box.owner) var things: [Box] = []
      init() {}
    }
  }
  enum Both {
    @Model final class Box {
      @Relationship(originalName: "owner") var boss: Holder?
      init() {}
    }
    @Model final class Holder {
      @Relationship(originalName: "boxes", inverse: \Box.boss) var things: [Box] = []
      init() {}
    }
  }
  enum Way {
    @Model final class Box { init() {} }
    @Model final class Holder {
      @Relationship(originalName: "way") var list: [Box] = []
      init() {}
    }
  }
}

private enum Exchanged {
  @Model final class Box {
    @Attribute(originalName: "right") var left: Int
    @Attribute(originalName: "left") var right: Int
    init() {
      left = 10
      right = 20
    }
  }
  /// Here names become free one after the other, whatever the order of declaration.
  enum Forward {
    @Model final class Box {
      @Attribute(originalName: "left") var first: Int
      @Attribute(originalName: "right") var left: Int
      init() {
        first = 0
        left = 0
      }
    }
  }
  enum Backward {
    @Model final class Box {
      @Attribute(originalName: "right") var left: Int
      @Attribute(originalName: "left") var first: Int
      init() {
        first = 0
        left = 0
      }
    }
  }
}

/// Regression tests: a required property without values got an invented one, a renamed relationship
/// lost its members, and two properties that exchanged names kept their values. None of that was
/// reported.
@Suite struct SchemaChangeTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func open(_ models: any PersistentModel.Type..., in file: String = "store.roost") throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: Schema(models), configurations: [ModelConfiguration(url: folder.file(file))]))
  }

  private func makeOld(isEmpty: Bool = false) throws {
    let context = try open(Old.Box.self, Old.Holder.self)
    if !isEmpty {
      let (box, holder) = (Old.Box("box"), Old.Holder("holder"))
      context.insert(box)
      (box.owner, box.lone) = (holder, holder)
      holder.way.append(box)
      try context.save()
    }
    try context.container.close()
  }

  /// Checks that the store is unchanged.
  private func checkOld() throws {
    let context = try open(Old.Box.self, Old.Holder.self)
    let box = try #require(try context.fetch(FetchDescriptor<Old.Box>()).first)
    #expect(box.name == "box" && box.left == 1 && box.right == 2)
    #expect(box.owner?.name == "holder" && box.lone?.way.count == 1 && box.owner?.boxes.count == 1)
  }

  private func refusal(_ models: any PersistentModel.Type...) throws -> String {
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Schema(models), configurations: [ModelConfiguration(url: folder.file())])
    }
    #expect(error == .loadIssueModelContainer)
    return error?.description ?? ""
  }

  // MARK: Required properties

  @Test(arguments: 0..<5) func `a required property without values is refused and named`(way: Int) throws {
    try makeOld()
    let (text, property, cure) =
      switch way {
      case 0: (try refusal(Required.Number.Box.self), "Box.count", "default value")
      case 1: (try refusal(Required.List.Box.self), "Box.words", "default value")
      case 2: (try refusal(Required.Case.Box.self), "Box.shade", "default value")
      case 3: (try refusal(Required.Structure.Box.self), "Box.size", "default value")
      default:
        (
          try refusal(Required.Reference.Box.self, Required.Reference.Holder.self), "Box.maker",
          "make it optional"
        )
      }
    #expect(text.contains(property) && text.contains(cure), "\(text)")
    try checkOld()
  }

  @Test func `a store without objects accepts a required property`() throws {
    try makeOld(isEmpty: true)
    let context = try open(Required.Number.Box.self)
    context.insert(Required.Number.Box())
    try context.save()
    try context.container.close()
    #expect(try open(Required.Number.Box.self).fetch(FetchDescriptor<Required.Number.Box>()).map(\.count) == [7])
  }

  @Test func `a property with a default, or an optional one, is added`() throws {
    try makeOld()
    for _ in 0..<2 {
      let context = try open(Added.Box.self, Added.Holder.self)
      let box = try #require(try context.fetch(FetchDescriptor<Added.Box>()).first)
      #expect(box.count == 7 && box.note == nil && box.shade == .dark && box.words == ["a"])
      #expect(box.size == Measures(width: 5, unit: "cm") && box.loose == nil && box.maker == nil && box.parts.isEmpty)
      let wide = #Predicate<Added.Box> { $0.size.width == 5 && $0.count == 7 }
      #expect(try context.fetchCount(FetchDescriptor(predicate: wide)) == 1)
      try context.container.close()
    }
    try checkOld()
  }

  // MARK: Names

  @Test(arguments: 0..<5) func `a renamed relationship is found`(way: Int) throws {
    try makeOld()
    for _ in 0..<2 {
      switch way {
      case 0:
        let context = try open(Renamed.Lone.Box.self, Renamed.Lone.Holder.self)
        #expect(try context.fetch(FetchDescriptor<Renamed.Lone.Box>()).first?.boss != nil)
        try context.container.close()
      case 1:
        let context = try open(Renamed.One.Box.self, Renamed.One.Holder.self)
        #expect(try context.fetch(FetchDescriptor<Renamed.One.Box>()).first?.boss?.boxes.count == 1)
        try context.container.close()
      case 2:
        let context = try open(Renamed.Many.Box.self, Renamed.Many.Holder.self)
        #expect(try context.fetch(FetchDescriptor<Renamed.Many.Box>()).first?.owner?.things.count == 1)
        try context.container.close()
      case 3:
        let context = try open(Renamed.Both.Box.self, Renamed.Both.Holder.self)
        #expect(try context.fetch(FetchDescriptor<Renamed.Both.Box>()).first?.boss?.things.count == 1)
        try context.container.close()
      default:
        let context = try open(Renamed.Way.Box.self, Renamed.Way.Holder.self)
        #expect(try context.fetch(FetchDescriptor<Renamed.Way.Holder>()).first?.list.count == 1)
        try context.container.close()
      }
    }
  }

  @Test func `a new store, and one in memory, accepts renamed relationships`() throws {
    for _ in 0..<2 {
      let context = try open(Renamed.Both.Box.self, Renamed.Both.Holder.self)
      let (box, holder) = (Renamed.Both.Box(), Renamed.Both.Holder())
      context.insert(box)
      box.boss = holder
      try context.save()
      #expect(holder.things.count == 1)
      try context.container.close()
    }
    _ = try ModelContainer(
      for: Renamed.Both.Box.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test func `properties exchange names once, and not in a new store`() throws {
    for round in 1...3 {
      let context = try open(Exchanged.Box.self, in: "new.roost")
      context.insert(Exchanged.Box())
      try context.save()
      let boxes = try context.fetch(FetchDescriptor<Exchanged.Box>())
      #expect(boxes.count == round && boxes.allSatisfy { $0.left == 10 && $0.right == 20 })
      try context.container.close()
    }
    _ = try ModelContainer(for: Exchanged.Box.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    try makeOld()
    for _ in 0..<2 {
      let context = try open(Exchanged.Box.self)
      let box = try #require(try context.fetch(FetchDescriptor<Exchanged.Box>()).first)
      #expect(box.left == 2 && box.right == 1)
      try context.container.close()
    }
  }

  @Test(arguments: [false, true]) func `another property takes the name of a renamed one`(isForward: Bool)
    throws
  {
    try makeOld()
    for _ in 0..<2 {
      if isForward {
        let context = try open(Exchanged.Forward.Box.self)
        let box = try #require(try context.fetch(FetchDescriptor<Exchanged.Forward.Box>()).first)
        #expect(box.first == 1 && box.left == 2)
        try context.container.close()
      } else {
        let context = try open(Exchanged.Backward.Box.self)
        let box = try #require(try context.fetch(FetchDescriptor<Exchanged.Backward.Box>()).first)
        #expect(box.first == 1 && box.left == 2)
        try context.container.close()
      }
    }
  }
}

// MARK: Plans

private enum PlantsV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Plant.self] }
  @Model final class Plant {
    var name: String
    init(_ name: String) { self.name = name }
  }
}

private enum PlantsV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Plant.self] }
  @Model final class Plant {
    var genus: String = ""
    var species: String = ""
    init(_ genus: String, _ species: String) {
      self.genus = genus
      self.species = species
    }
  }
}

private enum PlantsV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Plant.self, Pot.self] }
  @Model final class Plant {
    var genus: String
    var species: String
    var height: Double?
    init(_ genus: String, _ species: String) {
      self.genus = genus
      self.species = species
    }
  }
  @Model final class Pot {
    var size = 1
    init() {}
  }
}

private enum PlantPlan: SchemaMigrationPlan {
  // Unsafe, because only the tests of one serialized suite use it, one after the other.
  nonisolated(unsafe) static var ran = 0
  static var schemas: [any VersionedSchema.Type] { [PlantsV1.self, PlantsV2.self, PlantsV3.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: PlantsV1.self, toVersion: PlantsV2.self, willMigrate: { _ in ran += 1 },
        didMigrate: { _ in ran += 1 }),
      .lightweight(fromVersion: PlantsV2.self, toVersion: PlantsV3.self),
    ]
  }
}

/// Regression tests: a plan's custom stages were left out with one line on standard error, and the
/// program continued with half migrated objects.
@Suite(.serialized) struct CustomStageTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  private func open(_ version: any VersionedSchema.Type, hasPlan: Bool = true) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: hasPlan ? PlantPlan.self : nil,
        configurations: ModelConfiguration(url: folder.file())))
  }

  private func make<T: PersistentModel>(_ version: any VersionedSchema.Type, _ model: T) throws {
    let context = try open(version, hasPlan: false)
    context.insert(model)
    try context.save()
    try context.container.close()
  }

  @Test func `a store that needs a stage gets it`() throws {
    PlantPlan.ran = 0
    try make(PlantsV1.self, PlantsV1.Plant("Bellis perennis"))
    for _ in 0..<2 {
      let context = try open(PlantsV3.self)
      #expect(try context.fetchCount(FetchDescriptor<PlantsV3.Plant>()) == 1)
      try context.container.close()
    }
    #expect(PlantPlan.ran == 2)
    PlantPlan.ran = 0
  }

  @Test func `a store after the stage is migrated to the newest version`() throws {
    try make(PlantsV2.self, PlantsV2.Plant("Bellis", "perennis"))
    for _ in 0..<2 {
      let context = try open(PlantsV3.self)
      #expect(try context.fetch(FetchDescriptor<PlantsV3.Plant>()).map(\.species) == ["perennis"])
      try context.container.close()
    }
    #expect(PlantPlan.ran == 0)
  }

  @Test func `a new store, one in memory, and one that matches are opened`() throws {
    for round in 1...2 {
      let context = try open(PlantsV3.self)
      context.insert(PlantsV3.Plant("Bellis", "annua"))
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<PlantsV3.Plant>()) == round)
      try context.container.close()
    }
    let memory = try ModelContainer(
      for: Schema(versionedSchema: PlantsV3.self), migrationPlan: PlantPlan.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    #expect(try ModelContext(memory).fetchCount(FetchDescriptor<PlantsV3.Plant>()) == 0)
    #expect(PlantPlan.ran == 0)
  }

  @Test func `each store of a container is examined separately`() throws {
    func container() throws -> ModelContainer {
      try ModelContainer(
        for: Schema(versionedSchema: PlantsV3.self), migrationPlan: PlantPlan.self,
        configurations: [
          ModelConfiguration(schema: Schema([PlantsV3.Plant.self]), url: folder.file()),
          ModelConfiguration(schema: Schema([PlantsV3.Pot.self]), url: folder.file("pots.roost")),
        ])
    }
    try make(PlantsV2.self, PlantsV2.Plant("Bellis", "perennis"))
    for _ in 0..<2 {
      let container = try container()
      #expect(try ModelContext(container).fetch(FetchDescriptor<PlantsV3.Plant>()).map(\.genus) == ["Bellis"])
      try container.close()
    }
  }

  @Test func `a store of other models is no version of the plan`() throws {
    let other = try ModelContainer(for: Stranger.self, configurations: ModelConfiguration(url: folder.file()))
    let context = ModelContext(other)
    context.insert(Stranger())
    try context.save()
    try other.close()
    #expect(try open(PlantsV3.self).fetchCount(FetchDescriptor<PlantsV3.Plant>()) == 0)
  }
}
