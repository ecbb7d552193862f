import Foundation
import SwiftData
import Testing

@Model final class Station {
  #Unique<Station>([\.town, \.name])
  @Attribute(.unique) var code: String
  var town: String?
  var name: String
  var height: Double?
  var updatedAt: Date?

  init(_ code: String, town: String? = nil, name: String = "", height: Double? = nil, updatedAt: Date? = nil) {
    self.code = code
    self.town = town
    self.name = name
    self.height = height
    self.updatedAt = updatedAt
  }
}

@Suite struct UniquenessGuideTests {
  private let context: ModelContext

  init() throws {
    context = ModelContext(
      try ModelContainer(for: Station.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  private func stored() throws -> [Station] {
    try ModelContext(context.container).fetch(FetchDescriptor<Station>(sortBy: [SortDescriptor(\.code)]))
  }

  private func insert(_ stations: Station...) throws {
    for station in stations { context.insert(station) }
    try context.save()
  }

  @Test func `a second model is merged into the first`() throws {
    context.insert(Station("HH", town: "Hamburg", name: "Hafen", height: 4))
    try context.save()
    context.insert(Station("HH", town: "Hamburg", name: "Hafen", height: 5))
    try context.save()
    #expect(try stored().map(\.height) == [5])

    for merge in context.lastSave.merges {
      print("\(merge.inserted) became \(merge.existing) by \(merge.policy): \(merge.fields)")
    }
    #expect(
      context.lastSave.merges.map(\.policy) == ["upsert"] && context.lastSave.merges.map(\.fields) == [["height"]])

    let again = Station("HH")
    if let known = try context.existingModel(like: again) {
      print("that is \(known.name)")
    }
    #expect(try context.existingModel(like: again)?.name == "Hafen")
    #expect(throws: RoostError.self) { try context.insertUnique(again) }
  }

  @Test func `nil equals no value`() throws {
    try insert(Station("a", name: "Hafen"), Station("b", name: "Hafen"))
    #expect(try stored().count == 2)
    try insert(Station("c", town: "Kiel", name: "Hafen"))
    context.uniquePolicy = .throw
    context.insert(Station("d", town: "Kiel", name: "Hafen"))
    #expect(throws: RoostError.self) { try context.save() }
  }

  @Test func `the newest wins`() throws {
    try context.setUniquePolicy(.newest(by: \.updatedAt), for: Station.self)
    try insert(Station("a", height: 1, updatedAt: Date(timeIntervalSince1970: 5)))
    try insert(Station("a", height: 2, updatedAt: Date(timeIntervalSince1970: 4)), Station("a", height: 3))
    #expect(try stored().map(\.height) == [1])
    try insert(Station("a", height: 4, updatedAt: Date(timeIntervalSince1970: 5)))
    #expect(try stored().map(\.height) == [4])
  }

  @Test func `the stored model takes some properties`() throws {
    try context.setUniquePolicy(.fields(\.height, \.updatedAt), for: Station.self)
    try insert(Station("a", name: "first", height: 1), Station("a", name: "second", height: 2))
    #expect(try stored().map(\.height) == [2] && stored().map(\.name) == ["first"])
  }

  @Test func `a closure decides`() throws {
    try context.setUniquePolicy(
      .resolve { inserted, existing in
        if inserted.name.isEmpty { return .keepExisting }
        inserted.height = max(inserted.height ?? 0, existing.height ?? 0)
        return .upsert
      }, for: Station.self)
    try insert(Station("a", name: "x", height: 5), Station("a", height: 9), Station("a", name: "y", height: 3))
    #expect(try stored().map(\.name) == ["y"] && stored().map(\.height) == [5])
  }
}
