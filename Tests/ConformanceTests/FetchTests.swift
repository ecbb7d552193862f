import Foundation
import SwiftData
import Testing

@Suite(.everyStore) struct FetchTests {
  private let context: ModelContext

  init() throws {
    context = try makeContext()
    for number in 0..<20 {
      let garden = Garden(
        name: "garden \(number)", opened: Date(timeIntervalSinceReferenceDate: Double(number)),
        season: Season.allCases[number % 4])
      garden.area = Double(number % 5)
      garden.isPublic = number % 2 == 0
      garden.note = number % 3 == 0 ? "note \(number)" : nil
      garden.tags = number % 4 == 0 ? ["roses", "lawn"] : []
      garden.spot = number < 10 ? Spot(name: "spot \(number)", latitude: 1, longitude: nil) : nil
      for bed in 0..<number % 3 { garden.beds.append(Bed(bed)) }
      context.insert(garden)
    }
    try context.save()
  }

  private func count(_ predicate: Predicate<Garden>) throws -> Int {
    let descriptor = FetchDescriptor(predicate: predicate)
    let found = try context.fetch(descriptor).count
    #expect(try context.fetchCount(descriptor) == found)
    #expect(try context.all(Garden.self).filter { try predicate.evaluate($0) }.count == found)
    return found
  }

  @Test func `sorted and limited`() throws {
    var descriptor = FetchDescriptor<Garden>(sortBy: [SortDescriptor(\.area, order: .reverse), SortDescriptor(\.name)])
    descriptor.fetchLimit = 3
    descriptor.fetchOffset = 1
    #expect(try context.fetch(descriptor).map(\.name) == ["garden 19", "garden 4", "garden 9"])
    let newest = FetchDescriptor<Garden>(sortBy: [.init(\.opened, order: .reverse)])
    #expect(try context.fetch(newest).first?.name == "garden 19")
    #expect(try context.fetchIdentifiers(newest).count == 20)
  }

  @Test func `hints are accepted`() throws {
    var descriptor = FetchDescriptor<Garden>(predicate: #Predicate { $0.area > 3 })
    descriptor.propertiesToFetch = [\.name, \.area]
    descriptor.relationshipKeyPathsForPrefetching = [\.beds]
    #expect(try context.fetch(descriptor).count == 4)
    descriptor.includePendingChanges = false
    let batch = try context.fetch(descriptor, batchSize: 2)
    #expect(batch.count == 4 && batch[0].area == 4 && batch.indices == 0..<4)
  }

  @Test func `unsaved changes count unless they are excluded`() throws {
    context.insert(Garden(name: "new"))
    var descriptor = FetchDescriptor<Garden>()
    #expect(descriptor.includePendingChanges)
    #expect(try context.fetch(descriptor).count == 21)
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor).count == 20)
  }

  @Test func `enumerating models`() throws {
    var names: Set<String> = []
    try context.enumerate(FetchDescriptor<Garden>(), batchSize: 3) { names.insert($0.name) }
    #expect(names.count == 20)
  }

  @Test func comparisons() throws {
    let (name, limit, day) = ("garden 3", 2.0, Date(timeIntervalSinceReferenceDate: 10))
    #expect(try count(#Predicate { $0.name == name }) == 1)
    #expect(try count(#Predicate { $0.name != name && $0.area < limit }) == 8)
    #expect(try count(#Predicate { $0.opened >= day || $0.isPublic }) == 15)
    #expect(try count(#Predicate { !$0.isPublic && $0.area == 0 }) == 2)
    #expect(try count(#Predicate { _ in true }) == 20)
    #expect(try count(#Predicate { _ in false }) == 0)
    #expect(try count(#Predicate { $0.isPublic == true }) == 10)
  }

  @Test func optionals() throws {
    let text: String? = "note 3"
    #expect(try count(#Predicate { $0.note == nil }) == 13)
    #expect(try count(#Predicate { $0.note != nil && $0.area > 1 }) == 4)
    #expect(try count(#Predicate { $0.note == text }) == 1)
    #expect(try count(#Predicate { $0.note?.contains("1") == true }) == 3)
    #expect(try count(#Predicate { ($0.note ?? "").isEmpty }) == 13)
    #expect(try count(#Predicate { if let note = $0.note { note.count > 6 } else { false } }) == 3)
  }

  @Test func texts() throws {
    #expect(try count(#Predicate { $0.name.contains("1") }) == 11)
    #expect(try count(#Predicate { $0.name.starts(with: "garden 1") }) == 11)
    #expect(try count(#Predicate { $0.name.localizedStandardContains("GARDÉN 1") }) == 11)
    #expect(try count(#Predicate { $0.note?.localizedStandardContains("NOTE") ?? false }) == 7)
    let same = ComparisonResult.orderedSame
    #expect(try count(#Predicate { $0.name.caseInsensitiveCompare("GARDEN 2") == same }) == 1)
  }

  @Test func collections() throws {
    let names = ["garden 1", "garden 2", "none"]
    let few: Set<Double> = [1, 2]
    #expect(try count(#Predicate { names.contains($0.name) }) == 2)
    #expect(try count(#Predicate { few.contains($0.area) }) == 8)
    #expect(try count(#Predicate { $0.tags.contains("roses") }) == 5)
    #expect(try count(#Predicate { $0.tags.isEmpty }) == 15)
    #expect(try count(#Predicate { $0.beds.isEmpty }) == 7)
    #expect(try count(#Predicate { $0.beds.count > 1 }) == 6)
    #expect(try count(#Predicate { $0.beds.contains { $0.number == 1 } }) == 6)
    #expect(try count(#Predicate { $0.beds.allSatisfy { $0.number == 0 } }) == 14)
  }

  @Test func structures() throws {
    let name = "spot 3"
    #expect(try count(#Predicate { $0.spot?.name == name }) == 1)
    #expect(try count(#Predicate { $0.spot == nil }) == 10)
  }

  @Test func relationships() throws {
    let name = "garden 5"
    let descriptor = FetchDescriptor<Garden>(predicate: #Predicate { $0.name == name })
    let garden = try #require(try context.fetch(descriptor).first)
    let identifier = garden.persistentModelID
    let beds = try context.fetch(FetchDescriptor<Bed>(predicate: #Predicate { $0.garden?.name == name }))
    #expect(beds.count == 2)
    let same = try context.fetch(
      FetchDescriptor<Bed>(predicate: #Predicate { $0.garden?.persistentModelID == identifier }))
    #expect(Set(same) == Set(beds))
    let one = try context.fetch(FetchDescriptor<Garden>(predicate: #Predicate { $0.persistentModelID == identifier }))
    #expect(one == [garden])
  }

  @Test func `fetches in generic functions`() throws {
    func first<Model: PersistentModel>(_ type: Model.Type, where predicate: Predicate<Model>? = nil) throws -> Model? {
      var descriptor = FetchDescriptor<Model>(predicate: predicate)
      descriptor.fetchLimit = 1
      return try context.fetch(descriptor).first
    }
    #expect(try first(Garden.self, where: #Predicate { $0.name == "garden 7" })?.name == "garden 7")
    #expect(try first(Gardener.self) == nil)
    let types: [any PersistentModel.Type] = [Garden.self, Bed.self]
    for type in types { #expect(try count(any: type) > 0) }
  }

  private func count<Model: PersistentModel>(any type: Model.Type) throws -> Int {
    try context.fetchCount(FetchDescriptor<Model>())
  }

  #if canImport(Roost)
    @Test func `sorting by flags`() throws {
      let sorted = try context.fetch(FetchDescriptor<Garden>(sortBy: [SortDescriptor(\.isPublic)]))
      #expect(sorted.first?.isPublic == false && sorted.last?.isPublic == true)
    }
  #endif
}
