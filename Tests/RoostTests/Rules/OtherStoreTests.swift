import SwiftData
import Testing

/// Code of the program that changes models of a second store while a save writes the first one.
@Suite struct OtherStoreTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Squad.self, Soldier.self, Bunk.self, WareGroup.self, Ware.self, Part.self, WareLabel.self, Seal.self,
      configurations:
        ModelConfiguration("squads", schema: Schema([Squad.self]), isStoredInMemoryOnly: true),
      ModelConfiguration("wares", schema: Schema([Ware.self]), isStoredInMemoryOnly: true))
    let first = ModelContext(container)
    let squad = Squad("a")
    first.insert(squad)
    squad.room = Bunk(1)
    first.insert(Ware("w"))
    try first.save()
    context = ModelContext(container)
  }

  private func stored() throws -> [String] {
    let context = ModelContext(container)
    return try context.fetch(FetchDescriptor<Squad>()).map { "\($0.code)/\($0.note)" }
      + context.fetch(FetchDescriptor<Ware>(sortBy: [SortDescriptor(\.code)])).map { "\($0.code)/\($0.title ?? "-")" }
  }

  /// Changes the wares once: a value, an insertion or a deletion.
  private func changeWares(_ way: Int) throws {
    let wares = try context.fetch(FetchDescriptor<Ware>())
    switch way {
    case 0: for ware in wares { ware.title = "set" }
    case 1: if wares.count == 1 { context.insert(Ware("x")) }
    default: for ware in wares { context.delete(ware) }
    }
  }

  private let after = [["w/set"], ["w/-", "x/-"], []]

  /// Before the fix, the merge was stored, and the change of the ware stayed pending without an error.
  @Test(arguments: 0..<3, 0..<3) func `validate in a merge cannot change a model of another store`(
    way: Int, state: Int
  ) throws {
    var wares: [Ware] = []
    // The context does not know the store yet, has its models, or has changes of them.
    if state > 0 { wares = try context.fetch(FetchDescriptor<Ware>()) }
    if state == 2 { wares[0].count = 5 }
    let new = Squad("a")
    new.note = "new"
    context.insert(new)
    let watch = SquadWatch(validate: { model, validation in
      if validation.change == .update { try changeWares(way) }
    })
    let error = #expect(throws: RoostError.self) { try SquadWatch.$current.withValue(watch) { try context.save() } }
    #expect(error?.code == .invalid && error?.faults.first?.model?.entityName == "Ware")
    #expect(try stored() == ["a/", "w/-"])
    // Its change is pending.
    #expect(context.hasChanges)
    try context.save()
    #expect(try stored() == ["a/new"] + after[way])
    #expect(!context.hasChanges)
  }

  @Test(arguments: 0..<3, [false, true]) func `changes of another store during a save are saved with it`(
    way: Int, isKnown: Bool
  ) throws {
    if isKnown { _ = try context.fetchCount(FetchDescriptor<Ware>()) }
    let bunk = try #require(try context.fetch(FetchDescriptor<Bunk>()).first)
    bunk.cost.amount = 9
    let watch = SquadWatch(encode: { try? changeWares(way) })
    try SquadWatch.$current.withValue(watch) { try context.save() }
    #expect(try stored() == ["a/"] + after[way])
    #expect(!context.hasChanges)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Bunk>()).map(\.cost.amount) == [9])
  }
}
