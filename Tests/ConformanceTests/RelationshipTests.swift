import Foundation
import SwiftData
import Testing

@Suite(.everyStore) struct RelationshipTests {
  @Test func `both sides agree`() throws {
    let context = try makeContext()
    let garden = Garden(name: "a")
    context.insert(garden)
    let bed = Bed(1)
    garden.beds.append(bed)
    #expect(bed.garden === garden && bed.modelContext == context)
    let other = Bed(2)
    context.insert(other)
    other.garden = garden
    #expect(Set(garden.beds.map(\.number)) == [1, 2])
    try context.save()
    let fresh = ModelContext(context.container)
    let again = try #require(try fresh.all(Garden.self).first)
    #expect(Set(again.beds.map(\.number)) == [1, 2] && again.beds.allSatisfy { $0.garden === again })
  }

  @Test func `many to many`() throws {
    let context = try makeContext()
    let gardens = ["a", "b"].map { Garden(name: $0) }
    let people = ["x", "y", "z"].map { Gardener($0) }
    for garden in gardens { context.insert(garden) }
    gardens[0].gardeners = people
    people[0].gardens.append(gardens[1])
    try context.save()
    let fresh = ModelContext(context.container)
    let again = try fresh.all(Gardener.self).sorted()
    #expect(again.map { $0.gardens.count } == [2, 1, 1])
  }

  @Test func `a relationship within one class`() throws {
    let context = try makeContext()
    let teacher = Gardener("t")
    context.insert(teacher)
    for name in ["a", "b"] {
      let pupil = Gardener(name)
      context.insert(pupil)
      pupil.teacher = teacher
    }
    try context.save()
    #expect(teacher.pupils?.count == 2)
    let fresh = ModelContext(context.container)
    let again = try #require(
      try fresh.fetch(FetchDescriptor<Gardener>(predicate: #Predicate { $0.name == "t" })).first)
    #expect(Set((again.pupils ?? []).map(\.name)) == ["a", "b"])
  }

  @Test func `delete rules`() throws {
    let context = try makeContext()
    let garden = Garden(name: "a")
    garden.beds = [Bed(1), Bed(2)]
    garden.gardeners = [Gardener("x")]
    context.insert(garden)
    try context.save()
    context.delete(garden)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Bed>()) == 0)
    #expect(try context.all(Gardener.self).map(\.gardens) == [[]])
  }

  @Test func `objects that reference each other before they are inserted`() throws {
    let garden = Garden(name: "a")
    let gardener = Gardener("x")
    gardener.hut = Hut(street: "s", number: 1)
    garden.gardeners = [gardener]
    let context = try makeContext()
    context.insert(garden)
    try context.save()
    #expect(try context.all(Hut.self).map(\.street) == ["s"])
    #expect(try context.all(Gardener.self).first?.hut?.number == 1)
  }

  #if canImport(Roost)
    @Test func `order is kept`() throws {
      let context = try makeContext()
      let garden = Garden(name: "a")
      context.insert(garden)
      garden.beds = [3, 1, 2].map { Bed($0) }
      try context.save()
      garden.beds.insert(Bed(0), at: 1)
      try context.save()
      let fresh = ModelContext(context.container)
      let again = try #require(try fresh.all(Garden.self).first)
      #expect(again.beds.map(\.number) == [3, 0, 1, 2])
    }
  #endif
}
