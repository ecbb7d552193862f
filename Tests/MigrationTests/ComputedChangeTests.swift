import Foundation
import RoostTestSupport
import SwiftData
import Testing

private enum FirstMill: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Mill.self, Wheelstone.self] }

  @Model final class Mill {
    #Index<Mill>([\.total], [\.weight])
    var name: String
    var grain: Int?
    var note: String?
    @Relationship(inverse: \Wheelstone.mill) var stones: [Wheelstone] = []
    @Derived(\Mill.amount) var total: Int
    @Derived(.sum(\Mill.stones, \.weight)) var weight: Int
    var amount: Int { (grain ?? 0) * 2 }

    init(_ name: String) { self.name = name }
  }

  @Model final class Wheelstone {
    var weight: Int
    var load: Double
    var mill: Mill?
    init(_ weight: Int, in mill: Mill) { (self.weight, load, self.mill) = (weight, Double(weight) / 2, mill) }
  }
}

/// Two derived properties change their types.
private enum SecondMill: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Mill.self, Wheelstone.self] }

  @Model final class Mill {
    #Index<Mill>([\.total], [\.weight])
    #FullText<Mill>([\.total])
    var name: String
    var grain: Int?
    var note: String?
    @Relationship(inverse: \Wheelstone.mill) var stones: [Wheelstone] = []
    @Derived(\Mill.amount) var total: String
    @Derived(.sum(\Mill.stones, \.load)) var weight: Double
    var amount: String { "amount \((grain ?? 0) * 2)" }

    init(_ name: String) { self.name = name }
  }

  @Model final class Wheelstone {
    var weight: Int
    var load: Double
    var mill: Mill?
    init(_ weight: Int, in mill: Mill) { (self.weight, load, self.mill) = (weight, Double(weight) / 2, mill) }
  }
}

/// An optional property becomes required, and the computation uses its former name.
private enum ThirdMill: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(3, 0, 0) }
  static var models: [any PersistentModel.Type] { [Mill.self, Wheelstone.self] }

  @Model final class Mill {
    @Attribute(.unique) var name: String
    var grain: Int = 9
    var note: String?
    @Relationship(inverse: \Wheelstone.mill) var stones: [Wheelstone] = []
    @Derived(\Mill.amount) var total: Int
    var amount: Int { grain * 2 }

    init(_ name: String) { self.name = name }
  }

  @Model final class Wheelstone {
    var weight: Int
    var load: Double
    var mill: Mill?
    init(_ weight: Int, in mill: Mill) { (self.weight, load, self.mill) = (weight, Double(weight) / 2, mill) }
  }
}

/// The first version. Its objects are merged to one of each name.
private enum SoleMill: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 5, 0) }
  static var models: [any PersistentModel.Type] { [Mill.self, Wheelstone.self] }

  @Model final class Mill {
    #Index<Mill>([\.total], [\.weight])
    @Attribute(.unique) var name: String
    var grain: Int?
    var note: String?
    @Relationship(inverse: \Wheelstone.mill) var stones: [Wheelstone] = []
    @Derived(\Mill.amount) var total: Int
    @Derived(.sum(\Mill.stones, \.weight)) var weight: Int
    var amount: Int { (grain ?? 0) * 2 }

    init(_ name: String) { self.name = name }
  }

  @Model final class Wheelstone {
    var weight: Int
    var load: Double
    var mill: Mill?
    init(_ weight: Int, in mill: Mill) { (self.weight, load, self.mill) = (weight, Double(weight) / 2, mill) }
  }
}

private enum MillPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [FirstMill.self, SoleMill.self] }
  static var stages: [MigrationStage] {
    [.removeDuplicates(of: FirstMill.Mill.self, by: \.name, policy: .mergeNonNil)]
  }
}

@Model private final class Payroll {
  var name: String
  var payload: Data?
  @Derived(\Payroll.bytes) var size: Int
  var bytes: Int { payload?.count ?? -1 }

  init(_ number: Int) {
    name = "p\(number)"
    payload = Data((0..<3000).map { UInt8(truncatingIfNeeded: $0 &* number) })
  }
}

/// Computed values after a change of the models, or after damage of the file.
@Suite struct ComputedChangeTests {
  private let folder: ScratchFolder
  private var configuration: ModelConfiguration { ModelConfiguration(url: url("mills.roost")) }

  init() throws { folder = try ScratchFolder() }

  private func url(_ name: String) -> URL { URL(filePath: folder.file(name)) }

  private func fill(_ names: [String], grains: [Int?]) throws {
    let container = try ModelContainer(
      for: FirstMill.Mill.self, FirstMill.Wheelstone.self, configurations: configuration)
    let context = ModelContext(container)
    for (name, grain) in zip(names, grains) {
      let mill = FirstMill.Mill(name)
      mill.grain = grain
      context.insert(mill)
      context.insert(FirstMill.Wheelstone(3, in: mill))
      context.insert(FirstMill.Wheelstone(4, in: mill))
    }
    try context.save()
    try container.close()
  }

  @Test func `a derived value of another type is computed again`() throws {
    try fill(["a", "b"], grains: [4, nil])
    let container = try ModelContainer(
      for: SecondMill.Mill.self, SecondMill.Wheelstone.self, configurations: configuration)
    let context = ModelContext(container)
    let found = try context.fetch(
      FetchDescriptor<SecondMill.Mill>(predicate: #Predicate { $0.total == "amount 8" && $0.weight == 3.5 }))
    #expect(found.map(\.name) == ["a"])
    #expect(
      try context.fetchCount(FetchDescriptor<SecondMill.Mill>(predicate: #Predicate { $0.matches("amount") })) == 2)
    #expect(try container.verify().isSound)
    try container.close()
    // The change is undone.
    let first = try ModelContainer(
      for: FirstMill.Mill.self, FirstMill.Wheelstone.self, configurations: configuration)
    let mills = try ModelContext(first).fetch(FetchDescriptor<FirstMill.Mill>(sortBy: [SortDescriptor(\.total)]))
    #expect(mills.map(\.total) == [0, 8] && mills.map(\.weight) == [7, 7])
    try first.close()
  }

  @Test func `a property that becomes required changes what is computed from it`() throws {
    try fill(["a", "b"], grains: [4, nil])
    let container = try ModelContainer(
      for: ThirdMill.Mill.self, ThirdMill.Wheelstone.self, configurations: configuration)
    let mills = try ModelContext(container).fetch(FetchDescriptor<ThirdMill.Mill>(sortBy: [SortDescriptor(\.name)]))
    #expect(mills.map(\.grain) == [4, 9] && mills.map(\.total) == [8, 18])
    try container.close()
  }

  @Test func `objects that a stage merged have computed values`() throws {
    try fill(["a", "a", "b"], grains: [nil, 5, 6])
    let container = try ModelContainer(
      for: Schema(versionedSchema: SoleMill.self), migrationPlan: MillPlan.self, configurations: [configuration])
    let mills = try ModelContext(container).fetch(FetchDescriptor<SoleMill.Mill>(sortBy: [SortDescriptor(\.name)]))
    #expect(mills.map(\.total) == [10, 12] && mills.map(\.weight) == [14, 7])
    try container.close()
  }

  @Test(arguments: [3, 5, 8]) func `salvaged objects have computed values`(step: Int) throws {
    let container = try ModelContainer(
      for: Payroll.self, configurations: ModelConfiguration(url: url("payroll.roost")))
    try ModelContext(container).insert(batch: (1...150).map { Payroll($0) })
    try container.close()
    let file = try FileHandle(forUpdating: url("payroll.roost"))
    let pages = try Int(file.seekToEnd()) / 4096
    for page in stride(from: 6, to: pages - 4, by: pages / step) {
      try file.seek(toOffset: UInt64(page * 4096))
      try file.write(contentsOf: Data(repeating: 0x55, count: 4096))
    }
    try file.close()
    let found = try ModelContainer.salvage(url("payroll.roost"), to: url("rescued.roost"))
    #expect(!found.losses.isEmpty)
    let rescued = try ModelContainer(
      for: Payroll.self, configurations: ModelConfiguration(url: url("rescued.roost")))
    let all = try ModelContext(rescued).fetch(FetchDescriptor<Payroll>())
    #expect(all.count > 20 && all.allSatisfy { $0.size == $0.bytes })
    #expect(try rescued.verify().isSound)
    try rescued.close()
  }
}
