import Foundation
import SwiftData
import Testing

/// What a program can do with the models that the closure of a bulk write, or `validate`, gets.
@Suite struct ShownModelTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try Squad.container("a")
    context = ModelContext(container)
  }

  /// The ways to get a model that no identity map has.
  enum Way: CaseIterable { case update, merge, deletion }

  /// Calls `body` once with the squad, or its first man, as a bulk write or a merge shows it.
  private func show(_ way: Way, _ body: @escaping (any PersistentModel) throws -> Void) throws {
    var isDone = false
    func once(_ model: any PersistentModel) throws {
      if isDone || !(model is Squad || way == .deletion) { return }
      isDone = true
      try body(model)
    }
    let watch = SquadWatch(validate: { model, validation in
      if way != .update, validation.change != .insert, model.modelContext === context { try once(model) }
    })
    try SquadWatch.$current.withValue(watch) {
      switch way {
      case .update: try context.update(model: Squad.self) { try once($0) }
      case .merge:
        context.insert(Squad("a"))
        try context.save()
      case .deletion: try context.deleteAll(model: Soldier.self, where: #Predicate { $0.name == "a1" })
      }
    }
    #expect(isDone)
  }

  private func stored() throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Squad>()).map { squad in
      "\(squad.code)/\(squad.note): \(squad.men.map(\.name).joined(separator: ", ")): \(squad.room?.number ?? -1)"
    }
  }

  // MARK: Snapshots

  @Test(arguments: Way.allCases) func `a snapshot has the links that the getters show`(way: Way) throws {
    var taken: ModelSnapshot<Squad>?
    var man: ModelSnapshot<Soldier>?
    try show(way) { model in
      if let squad = model as? Squad {
        // Before any getter has read a value.
        let snapshot = squad.snapshot
        #expect(snapshot.code == squad.code && snapshot.men == squad.men.map(\.persistentModelID))
        #expect(snapshot.room == squad.room?.persistentModelID && snapshot == squad.snapshot)
        taken = snapshot
      } else if let soldier = model as? Soldier {
        man = soldier.snapshot
        #expect(man?.squad == soldier.squad?.persistentModelID && man?.name == soldier.name)
        taken = soldier.squad?.snapshot
      }
    }
    let squad = try #require(try context.fetch(FetchDescriptor<Squad>()).first)
    let snapshot = try #require(taken)
    #expect(snapshot.persistentModelID == squad.persistentModelID && snapshot.men.count == 3 && snapshot.room != nil)
    #expect(way != .deletion || man?.squad == squad.persistentModelID)
    if way == .deletion { return }
    squad.note = "later"
    squad.men.removeLast()
    try context.apply(snapshot)
    try context.save()
    #expect(try stored() == ["a/: a0, a1, a2: 0"])
  }

  @Test(arguments: Way.allCases, [false, true]) func `a kept model has the values and links of its row in snapshots`(
    way: Way, reads: Bool
  ) throws {
    var kept: [any PersistentModel] = []
    try show(way) { model in
      kept.append(model)
      guard reads else { return }
      if let squad = model as? Squad { _ = (squad.men.count, squad.room) }
      if let soldier = model as? Soldier { _ = soldier.squad?.men.count }
    }
    let squad = try #require(try context.fetch(FetchDescriptor<Squad>()).first)
    #expect(kept.count == 1 && kept[0] !== squad && kept[0].modelContext == nil)
    if let soldier = kept[0] as? Soldier {
      #expect(soldier.snapshot.name == "a1" && soldier.snapshot.squad == squad.persistentModelID)
    } else {
      let copy = try #require(kept[0] as? Squad)
      #expect(copy.snapshot == squad.snapshot && squad.snapshot.room != nil && squad.snapshot.men.count > 1)
    }
  }

  @Test func `a snapshot in the closure of an update has the values and references that it set`() throws {
    let room = Bunk(5)
    context.insert(room)
    try context.save()
    try context.update(model: Bunk.self, where: #Predicate { $0.number == 5 }) { bunk in
      #expect(bunk.snapshot.squad == nil && bunk.snapshot.cost.amount == 5)
      bunk.number = 6
      #expect(bunk.snapshot.number == 6 && bunk.snapshot.cost.amount == 5)
    }
    try context.update(model: Soldier.self, where: #Predicate { $0.name == "a1" }) { man in
      man.squad = nil
      #expect(man.snapshot.squad == nil && man.snapshot.name == "a1")
    }
    #expect(try stored() == ["a/: a0, a2: 0"])
  }

  // MARK: Misuse

  @Test(arguments: Way.allCases) func `a model that a closure gets cannot be inserted`(way: Way) throws {
    let error = #expect(throws: RoostError.self) {
      try show(way) { model in
        func insert<Model: PersistentModel>(_ model: Model) { model.modelContext?.insert(model) }
        insert(model)
      }
    }
    #expect(error?.code == .badValue && error?.faults.first?.model != nil)
    #expect(error?.detail.contains("it cannot be inserted in a bulk write or in validate(_:)") == true)
    #expect(try stored() == ["a/: a0, a1, a2: 0"])
    context.rollback()
    #expect(!context.hasChanges)
    try context.save()
  }

  @Test func `an insertion in the closure of an update leaves no change`() throws {
    #expect(throws: RoostError.self) { try context.update(model: Squad.self) { context.insert($0) } }
    #expect(!context.hasChanges)
    try context.save()
  }

  @Test(arguments: Way.allCases) func `faults of such a model are refused by name`(way: Way) throws {
    var found: RoostError?
    try show(way) { model in
      func faults<Model: PersistentModel>(_ model: Model) throws { _ = try context.faults(of: model) }
      found = #expect(throws: RoostError.self) { try faults(model) }
    }
    #expect(found?.code == .foreign && found?.detail.contains("a bulk write or validate(_:) shows it") == true)
    #expect(found?.detail.contains("another context") == false && !context.hasChanges)
  }

  @Test(arguments: Way.allCases, 0..<4) func `a write in such a closure says that a write is running`(
    way: Way, call: Int
  ) throws {
    var found: RoostError?
    try show(way) { _ in
      found = #expect(throws: RoostError.self) {
        switch call {
        case 0: try context.update(model: Soldier.self) { $0.pay = 2 }
        case 1: try context.deleteAll(model: Soldier.self)
        case 2: try context.insert(batch: [Soldier("new")])
        default:
          let other = ModelContext(container)
          other.insert(Soldier("new"))
          try other.save()
        }
      }
    }
    #expect(found?.code == .store && found?.storeError?.code == .nestedWrite)
    #expect(found?.detail.contains("update(model:)") == true && found?.detail.contains("after it") == true)
    #expect(found?.detail.contains("Use the transaction") == false)
  }

  @Test func `a deleted model without a row has no number in errors`() throws {
    var number: String?
    let watch = SquadWatch(validate: { model, _ in
      guard number == nil, let squad = model as? Squad else { return }
      let found = context.model(for: squad.persistentModelID) as? Squad
      #expect(found !== squad && found?.isDeleted == true)
      found?.note = "lost"
      number = found.map { "\($0.persistentModelID)" }
    })
    try SquadWatch.$current.withValue(watch) { try context.insert(batch: [Squad("new")]) }
    #expect(number != nil)
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .deleted && error?.detail.hasPrefix("Squad.note: it is deleted") == true)
  }
}
