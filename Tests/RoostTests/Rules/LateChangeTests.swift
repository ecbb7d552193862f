import Foundation
import SwiftData
import Testing

/// Changes that code of the program makes while a save merges and writes: each is stored, or pending, or the save throws.
@Suite struct LateChangeTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try Squad.container("a", "b")
    context = ModelContext(container)
  }

  /// Calls `body` with the squad that `validate` gets after a merge.
  private func merge(_ body: @escaping (Squad) throws -> Void) throws {
    let watch = SquadWatch(validate: { model, validation in
      if let squad = model as? Squad, squad.code == "a", validation.change == .update { try body(squad) }
    })
    let new = Squad("a")
    new.note = "new"
    context.insert(new)
    try SquadWatch.$current.withValue(watch) { try context.save() }
  }

  private func squads(_ context: ModelContext) throws -> [Squad] {
    try context.fetch(FetchDescriptor<Squad>(sortBy: [SortDescriptor(\.code)]))
  }

  private func shown(_ context: ModelContext) throws -> [String] {
    try squads(context).map { squad in
      "\(squad.code)/\(squad.note): \(squad.men.map { "\($0.name) \($0.pay)" }.joined(separator: ", ")): "
        + "\(squad.room?.number ?? -1)"
    }
  }

  private func stored() throws -> [String] { try shown(ModelContext(container)) }

  private let before = ["a/: a0 1, a1 1, a2 1: 0", "b/: b0 1, b1 1, b2 1: 1"]

  private func bunk(_ number: Int) throws -> Bunk {
    try #require(try context.fetch(FetchDescriptor<Bunk>(predicate: #Predicate { $0.number == number })).first)
  }

  // MARK: Models that validate shows

  @Test func `values of models that validate shows are stored`() throws {
    let room = try bunk(0)
    try merge { squad in
      squad.room?.number = 99
      squad.men[1].pay = 20
      if squad.note == "new" { squad.note = "checked" }
    }
    #expect(try stored() == ["a/checked: a0 1, a1 20, a2 1: 99", before[1]])
    #expect(try shown(context) == stored())
    #expect(room.number == 99 && !context.hasChanges)
  }

  @Test func `models that validate changes are validated again`() throws {
    let error = #expect(throws: RoostError.self) { try merge { $0.men[1].pay = 100 } }
    #expect(error?.faults.map(\.detail) == ["too much"])
    #expect(try stored() == before)
    context.rollback()
    // One model mends what the other one sets.
    let new = Squad("a")
    context.insert(new)
    let watch = SquadWatch(validate: { model, validation in
      if let squad = model as? Squad, squad.modelContext != nil, squad.men.count == 3, squad.note == "" {
        squad.note = "raised"
        squad.men[0].pay = 100
      }
      if let man = model as? Soldier, man.pay == 100 { man.pay = 50 }
    })
    try SquadWatch.$current.withValue(watch) { try context.save() }
    #expect(try stored() == ["a/raised: a0 50, a1 1, a2 1: 0", before[1]])
  }

  @Test func `a validate that always changes a model of a merge is an error`() throws {
    let error = #expect(throws: RoostError.self) { try merge { $0.note += "." } }
    #expect(error?.code == .invalid && error?.detail.contains("100 rounds") == true)
    #expect(try stored() == before)
  }

  @Test(arguments: 0..<5) func `relationships of a merge cannot be changed`(way: Int) throws {
    let error = #expect(throws: RoostError.self) {
      try merge { squad in
        switch way {
        case 0: squad.men.removeFirst()
        case 1: squad.room = nil
        case 2: squad.men[0].squad = nil
        case 3: squad.men.append(Soldier("new"))
        default: squad.modelContext?.delete(squad.men[0])
        }
      }
    }
    #expect(error?.code == .badValue && error?.faults.first?.model != nil)
    #expect(try stored() == before)
    context.rollback()
    try merge { _ in }
    #expect(try stored() == ["a/new: a0 1, a1 1, a2 1: 0", before[1]])
  }

  @Test func `a bulk write validates again too`() throws {
    let watch = SquadWatch(validate: { model, validation in (model as? Squad)?.men.first?.pay = 100 })
    let error = #expect(throws: RoostError.self) {
      try SquadWatch.$current.withValue(watch) {
        try context.deleteAll(model: Soldier.self, where: #Predicate { $0.name == "a1" })
      }
    }
    #expect(error?.faults.map(\.detail) == ["too much"])
    #expect(try stored() == before)
  }

  // MARK: Models of the context

  @Test(arguments: 0..<6) func `a change of the context's models in a merge is an error and stays`(way: Int) throws {
    let (room, two) = (try bunk(1), try squads(context)[1])
    if way == 1 { room.number = 5 }
    let error = #expect(throws: RoostError.self) {
      try merge { squad in
        switch way {
        case 0, 1: room.number = 99
        case 2: two.men.removeFirst()
        case 3: if let last = two.men.last { context.delete(last) }
        case 4: if context.insertedModelsArray.count == 1 { context.insert(Soldier("new")) }
        default: if squad.modelContext?.insertedModelsArray.count == 1 { squad.modelContext?.insert(Soldier("new")) }
        }
      }
    }
    #expect(error?.code == .invalid && error?.faults.first?.detail.contains("let it only read models") == true)
    let names = [Bunk._$type.name, Bunk._$type.name, Squad._$type.name, Soldier._$type.name]
    #expect(error?.faults.first?.model?.entityName == (way < 4 ? names[way] : "Soldier"))
    #expect(try stored() == before && context.hasChanges)
    // The changes are pending, and the next save writes them.
    try context.save()
    let rooms = way < 2 ? "99" : "1"
    let men = way == 2 ? "b1 1, b2 1" : way == 3 ? "b0 1, b1 1" : "b0 1, b1 1, b2 1"
    #expect(try stored() == ["a/new: a0 1, a1 1, a2 1: 0", "b/: \(men): \(rooms)"])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Soldier>()) == (way == 3 ? 5 : way < 4 ? 6 : 7))
    #expect(!context.hasChanges && (way > 1 || room.number == 99))
  }

  @Test func `a value that stays is no change`() throws {
    let (room, two) = (try bunk(1), try squads(context)[1])
    two.note = "pending"
    try merge { _ in
      room.number = 1
      two.note = "pending"
    }
    #expect(try stored() == ["a/new: a0 1, a1 1, a2 1: 0", "b/pending: b0 1, b1 1, b2 1: 1"])
  }

  @Test func `a rollback in a merge is an error`() throws {
    let error = #expect(throws: RoostError.self) { try merge { _ in context.rollback() } }
    #expect(error?.code == .conflict)
    #expect(try stored() == before && !context.hasChanges)
    #expect(try shown(context) == before)
  }

  @Test func `the models of a merge and of a bulk write know the context that writes`() throws {
    var kept: [Squad] = []
    let two = try squads(context)[1]
    two.note = "unsaved"
    try merge { squad in
      kept.append(squad)
      let found = try squad.modelContext?.fetch(FetchDescriptor<Squad>(predicate: #Predicate { $0.note == "unsaved" }))
      #expect(found?.first === two)
    }
    try context.update(model: Squad.self, where: #Predicate { $0.code == "b" }) { squad in
      kept.append(squad)
      #expect(squad.modelContext === context)
      squad.note = "\((try? squad.modelContext?.fetchCount(FetchDescriptor<Soldier>())) ?? 0)"
    }
    #expect(try stored().map { $0.prefix(5) } == ["a/new", "b/6: "])
    #expect(kept.count == 2 && kept.allSatisfy { $0.modelContext == nil && $0.isDeleted })
  }

  // MARK: Kept models

  /// Way 0 keeps the model of a merge, way 1 that of a bulk deletion; way 2 reads lists in a `deinit`.
  @Test(arguments: 0..<3) func `a model kept from validate takes no relationship of its row`(way: Int) throws {
    var kept: [Squad] = []
    var ends = 0
    let watch = SquadWatch(
      validate: { model, validation in
        // It reads no list here, so the list is loaded after the call.
        if way < 2, let squad = model as? Squad, validation.change == .update { kept.append(squad) }
      },
      end: { squad in
        if way == 2 { ends += squad.men.count + (squad.room?.number ?? 0) }
      })
    try SquadWatch.$current.withValue(watch) {
      if way == 1 {
        try context.deleteAll(model: Soldier.self, where: #Predicate { $0.name == "a2" })
      } else {
        context.insert(Squad("a"))
        try context.save()
      }
    }
    #expect(way == 2 ? ends > 0 : !kept.isEmpty)
    for squad in kept { #expect(squad.men.count > 1 && squad.room?.number == 0 && squad.isDeleted) }
    let one = try squads(context)[0]
    #expect(!kept.contains { $0 === one })
    one.men.append(Soldier("more"))
    one.room = Bunk(5)
    try context.save()
    #expect(try stored()[0].hasSuffix("a1 1, \(way == 1 ? "" : "a2 1, ")more 1: 5"))
    #expect(kept.allSatisfy { $0.men.count > 1 })
  }

  // MARK: Values that are stored

  /// Saves a changed bunk and a new one, and calls `body` for each value that is stored.
  private func store(_ body: @escaping () -> Void) throws {
    try bunk(0).cost = SquadMoney(amount: 7)
    context.insert(Bunk(7))
    try SquadWatch.$current.withValue(SquadWatch(encode: body)) { try context.save() }
  }

  @Test(arguments: 0..<4) func `models that a value's encoding changes are stored`(way: Int) throws {
    let (squad, room) = (try squads(context)[1], try bunk(1))
    if way == 1 { squad.note = "old" }
    var isDone = false
    try store {
      switch way {
      case 0, 1: squad.note = "encoded"
      case 2:
        if !exchange(&isDone, with: true) { context.insert(Soldier("new")) }
      default: context.delete(room)
      }
    }
    #expect(!context.hasChanges)
    #expect(try shown(context) == stored())
    let note = way < 2 ? "encoded" : ""
    #expect(try stored()[1] == "b/\(note): b0 1, b1 1, b2 1: \(way == 3 ? -1 : 1)")
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Soldier>()) == (way == 2 ? 7 : 6))
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Bunk>()) == (way == 3 ? 2 : 3))
  }

  /// Before the fix, the encoding called itself without end.
  @Test func `an encoding may set values of a model with such a value, and that value itself`() throws {
    let room = try bunk(1)
    try store {
      room.number = 42
      room.cost = SquadMoney(amount: 9)
    }
    #expect(!context.hasChanges)
    let found = try ModelContext(container).fetch(FetchDescriptor<Bunk>(predicate: #Predicate { $0.number == 42 }))
    #expect(found.map(\.cost.amount) == [9])
  }

  /// The first encoding runs before the save knows that it merges.
  @Test(arguments: [true, false]) func `a list that the encoding changes before a merge stays whole`(
    appends: Bool
  ) throws {
    let new = Squad("a")
    context.insert(new)
    var isDone = false
    try store {
      if exchange(&isDone, with: true) { return }
      guard let squad = try? squads(context).first(where: { $0 !== new }), squad.code == "a" else { return }
      if appends { squad.men.append(Soldier("more")) } else { squad.men.removeFirst() }
    }
    #expect(isDone && new.isDeleted && !context.hasChanges)
    let men = appends ? "a0 1, a1 1, a2 1, more 1" : "a1 1, a2 1"
    #expect(try stored()[0] == "a/: \(men): 0")
    #expect(try shown(context) == stored())
    try squads(context)[0].men.append(Soldier("again"))
    try context.save()
    #expect(try stored()[0] == "a/: \(men), again 1: 0")
  }

  @Test func `a model that the encoding always changes is an error`() throws {
    let two = try squads(context)[1]
    let error = #expect(throws: RoostError.self) { try store { two.note += "." } }
    #expect(error?.code == .conflict && error?.detail.contains("encode(to:)") == true)
    #expect(try stored() == before && two.hasChanges)
    try context.save()
    #expect(try squads(ModelContext(container))[1].note == two.note)
  }

  private func exchange<Value>(_ value: inout Value, with new: Value) -> Value {
    defer { value = new }
    return value
  }
}
