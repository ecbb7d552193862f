import Foundation
import SwiftData
import Testing

/// The `validate` of models.
@Suite struct OwnRuleTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try Vouchers.container()
    context = ModelContext(container)
  }

  private func count<T: PersistentModel>(_ model: T.Type) throws -> Int {
    try ModelContext(container).fetchCount(FetchDescriptor<T>())
  }

  @Test func `new and changed models are validated`() throws {
    let lodging = Lodging("a", first: 3, last: 1)
    context.insert(lodging)
    lodging.lodgers = [Roomer("")]
    let error = try #require(throws: RoostError.self) { try context.save() }
    #expect(error.code == .invalid && error.faults.map(\.property) == ["last", nil])
    #expect(error.faults[0].model == lodging.persistentModelID && error.faults[0].rule == nil)
    #expect(try count(Lodging.self) == 0)
    (lodging.last, lodging.lodgers[0].name) = (3, "x")
    try context.save()
    lodging.first = 4
    #expect(throws: RoostError.self) { try context.save() }
    #expect(try context.faults(of: lodging).map(\.detail) == ["it ends before it begins"])
    lodging.first = 2
    try context.save()
    #expect(try count(Lodging.self) == 1)
  }

  @Test func `an error becomes the cause`() throws {
    context.insert(Lodging("closed"))
    context.insert(Voucher("v", stars: 0))
    let error = try #require(throws: RoostError.self) { try context.save() }
    #expect(error.faults.count == 2 && error.faults[0].underlyingError as? LodgingError == LodgingError(name: "closed"))
    #expect(error.faults[1].property == "stars")
  }

  @Test func `a deletion is validated, including one by a delete rule`() throws {
    let lodging = Lodging("a")
    context.insert(lodging)
    lodging.lodgers = [Roomer("goes"), Roomer("stays")]
    try context.save()
    let other = ModelContext(container)
    let same = try #require(try other.fetch(FetchDescriptor<Lodging>()).first)
    // No lodger is loaded there.
    other.delete(same)
    let error = try #require(throws: RoostError.self) { try other.save() }
    #expect(error.faults.map(\.detail) == ["stays cannot be deleted"] && error.faults[0].property == "name")
    #expect(try count(Roomer.self) == 2)
    other.rollback()
    let bulk = try #require(throws: RoostError.self) { try other.deleteAll(model: Lodging.self) }
    #expect(bulk.faults.map(\.detail) == ["stays cannot be deleted"])
    #expect(try count(Lodging.self) == 1)
    lodging.lodgers.first { $0.name == "stays" }?.name = "may go"
    try context.save()
    context.delete(lodging)
    try context.save()
    #expect(try count(Roomer.self) == 0)
  }

  @Test func `errors of a deleted model, and of one of another context`() throws {
    let lodging = Lodging("a")
    context.insert(lodging)
    lodging.lodgers = [Roomer("stays")]
    try context.save()
    let roomer = lodging.lodgers[0]
    context.delete(roomer)
    #expect(try context.faults(of: roomer).map(\.property) == ["name"])
    #expect(throws: RoostError.self) { try context.validate() }
    let other = ModelContext(container)
    let error = #expect(throws: RoostError.self) { try other.faults(of: lodging) }
    #expect(error?.code == .foreign)
    context.rollback()
    #expect(try context.faults(of: roomer).isEmpty)
  }

  @Test func `models that validate inserts are validated too`() throws {
    context.insert(Lodging("chain"))
    try context.save()
    #expect(try count(Lodging.self) == 2)
  }

  @Test func `an endless validate is an error`() throws {
    context.insert(Lodging("endless"))
    let error = try #require(throws: RoostError.self) { try context.save() }
    #expect(error.code == .invalid && error.detail.contains("100 rounds"))
    #expect(try count(Lodging.self) == 0)
  }

  @Test func `a validate that saves is refused`() throws {
    context.insert(Lodging("saves"))
    let error = try #require(throws: RoostError.self) { try context.save() }
    #expect(error.faults.first?.detail.contains("validate(_:) called save()") == true)
    #expect(try count(Lodging.self) == 0)
  }

  @Test func `bulk writes validate`() throws {
    #expect(throws: RoostError.self) { try context.insert(batch: [Lodging("a"), Lodging("b", first: 9)]) }
    #expect(try count(Lodging.self) == 0)
    try context.insert(batch: [Lodging("a"), Lodging("b")])
    let error = try #require(throws: RoostError.self) {
      try context.update(model: Lodging.self) { $0.first = $0.name == "b" ? 9 : 0 }
    }
    #expect(error.faults.map(\.property) == ["last"] && error.faults[0].model?.entityName == "Lodging")
    #expect(try ModelContext(container).fetch(FetchDescriptor<Lodging>()).map(\.first) == [1, 1])
  }

  @Test func `closing a context validates`() throws {
    do {
      let last = ModelContext(container)
      last.autosaveEnabled = true
      last.insert(Lodging("a", first: 5))
      last.insert(Voucher("v", stars: 0))
    }
    #expect(try count(Lodging.self) == 0 && count(Voucher.self) == 0)
  }
}
