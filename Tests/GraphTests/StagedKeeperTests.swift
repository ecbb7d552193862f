import RoostFile
import RoostPages
import RoostRecords
import RoostTestSupport
import Testing

@testable import Roost
@testable import RoostGraph

private enum Tint: String, Codable { case light, dark }

private struct Measures: Codable, Equatable {
  var width: Int
}

private enum Old {
  @Model final class Crate {
    var number: Int
    var level: Int?
    var loose: Measures?
    var size: Measures
    @Attribute(.unique) var code: Int
    var keeper: Keeper?
    var keepers: [Keeper] = []
    var plain: Int
    var mate: Keeper?
    init(_ number: Int) {
      self.number = number
      level = number == 1 ? nil : number
      size = Measures(width: number)
      code = number
      plain = number
    }
  }
  @Model final class Keeper {
    var number: Int
    @Relationship(inverse: \Crate.keeper) var crates: [Crate] = []
    init(_ number: Int) { self.number = number }
  }
}

private enum New {
  @Model final class Crate {
    var number: Int
    var level: Int
    var loose: Measures
    var size: String
    @Attribute(.unique) var code: String?
    var keeper: [Keeper] = []
    var keepers: Keeper?
    var plain: Keeper?
    var mate: Crate?
    @Attribute(.unique) var added: Int
    var shade: Tint
    var words: [String]
    var must: Keeper
    init(_ must: Keeper) {
      number = 0
      level = 0
      loose = Measures(width: 0)
      size = ""
      added = 0
      shade = .light
      words = []
      self.must = must
    }
  }
  @Model final class Keeper {
    var number: Int
    @Relationship(inverse: \Crate.keeper) var crates: Crate?
    init(_ number: Int) { self.number = number }
  }
}

/// A store during a migration to a version whose values the code of a migration plan sets.
@Suite struct StagedKeeperTests {
  private let files = SimulatedFileSystem()

  private func plans(_ models: [any PersistentModel.Type]) -> [ModelPlan] {
    let schema = Schema(models)
    return schema.models.compactMap { model in
      schema.entitiesByName[model._$type.name].map { ModelPlan($0, model) }
    }
  }

  private func makeOld() throws {
    let container = try ModelContainer(Schema([Old.Crate.self, Old.Keeper.self])) { plans, _ in
      try GraphStore("/store.roost", plans, fileSystem: files)
    }
    let context = ModelContext(container)
    let (one, two) = (Old.Crate(1), Old.Crate(2))
    let keeper = Old.Keeper(7)
    for model in [one, two] { context.insert(model) }
    one.keeper = keeper
    two.keeper = keeper
    one.keepers = [keeper]
    one.mate = keeper
    try context.save()
    try container.close()
  }

  @Test func `values that a plan's code must set begin empty, and values of another type are parked`() throws {
    try makeOld()
    let plans = plans([New.Crate.self, New.Keeper.self])
    let records = try RecordStore("/store.roost", reservesRows: true, fileSystem: files)
    #expect(throws: MigrationFault.self) {
      var keeper = SchemaKeeper(plans)
      _ = try keeper.settle(records)
    }
    var keeper = SchemaKeeper(plans, isStaged: true)
    let catalog = try keeper.settle(records)
    #expect(
      Set(keeper.pending.map { $0.entity + "." + $0.property }) == [
        "Crate.level", "Crate.loose", "Crate.size", "Crate.code", "Crate.keepers", "Crate.plain", "Crate.mate",
        "Crate.added", "Crate.shade", "Crate.words", "Crate.must", "Keeper.crates", "Crate.keeper",
      ])
    let entity = try #require(catalog.entity("Crate"))
    for name in ["size.width", "code", "plain", "mate"] {
      #expect(entity.field("@parked " + name) != nil, "\(entity.fields.map(\.name))")
    }
    try records.read { reader in
      let table = try reader.table(entity.id)
      for row in [RowID(1), RowID(2)] {
        let values = try #require(try table.values(row))
        #expect(values["@parked code"] == .int(Int64(row.number)) && values["code"] == .null)
        #expect(values["@parked size.width"] == .int(Int64(row.number)) && values["size"] == .string(""))
        #expect(values["level"] == .int(row.number == 1 ? 0 : 2))
        #expect(values["added"] == .int(0) && values["shade"] == .string("") && values["words"] == .array([]))
        #expect(values["must"] == .null && values["plain"] == .null)
      }
      #expect(try reader.links("@parked keepers", of: "Crate").rows(of: RowID(1)).count == 1)
    }
    #expect(try records.verify().isSound)
    // It becomes unique after it has values.
    #expect(!catalog.indexes(of: entity.id).contains { $0.name == "unique added" })
    try records.write { writer in
      for row in [RowID(1), RowID(2)] { try writer.table(entity.id).update(row, ["added": .int(Int64(row.number))]) }
    }
    // Unique values are checked after the code of all stages has run.
    var filled = SchemaKeeper(plans, isStaged: true)
    let last = try filled.settle(records)
    #expect(!last.indexes(of: entity.id).contains { $0.name == "unique added" })
    // A second run changes nothing more.
    var again = SchemaKeeper(plans, isStaged: true)
    #expect(try again.settle(records) == last)
    #expect(try records.verify().isSound)
    try records.close()
  }
}
