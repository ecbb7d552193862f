import SwiftData
import Testing

@Suite struct FetchTests {
  private func context() throws -> ModelContext {
    let context = ModelContext(try makeContainer())
    for (number, title) in ["d", "b", "e", "a", "c"].enumerated() {
      let album = Album(title, year: 1990 + number % 2, price: Double(number), isLive: number % 2 == 0)
      album.note = number == 2 ? nil : "note \(number)"
      album.grade = [.good, .poor, .best][number % 3]
      album.genre = Genre.allCases[number % 3]
      context.insert(album)
    }
    try context.save()
    return context
  }

  private func titles(_ context: ModelContext, _ descriptor: FetchDescriptor<Album>) throws -> String {
    try context.fetch(descriptor).map(\.title).joined()
  }

  private func check(_ sort: [SortDescriptor<Album>], _ expected: String) throws {
    let context = try context()
    #expect(try titles(context, FetchDescriptor(sortBy: sort)) == expected)
    // Again in memory, where all changes are unsaved.
    for album in try context.fetch(FetchDescriptor<Album>()) { album.shown = true; album.tags = ["x"] }
    #expect(context.changedModelsArray.count == 5)
    #expect(try titles(context, FetchDescriptor(sortBy: sort)) == expected)
  }

  @Test func `models are sorted by any stored value`() throws {
    try check([SortDescriptor(\.title)], "abcde")
    try check([SortDescriptor(\.title, order: .reverse)], "edcba")
    try check([SortDescriptor(\.year), SortDescriptor(\.title)], "cdeab")
    try check([SortDescriptor(\.year, order: .reverse), SortDescriptor(\.price, order: .reverse)], "abced")
    try check([SortDescriptor(\.note)], "edbac")
    try check([SortDescriptor(\.note, order: .reverse)], "cabde")
    try check([SortDescriptor(\.isLive), SortDescriptor(\.title)], "abcde")
    try check([SortDescriptor(\.isLive, order: .reverse), SortDescriptor(\.title)], "cdeab")
    try check([SortDescriptor(\.price, order: .reverse)], "caebd")
    // A type with its own order, and a value that is not stored.
    try check([SortDescriptor(\.grade), SortDescriptor(\.title)], "eadbc")
    try check([SortDescriptor(\.decade), SortDescriptor(\.title)], "abcde")
    try check([SortDescriptor(\.title.count), SortDescriptor(\.title)], "abcde")
  }

  @Test func `models are sorted by values of referenced models`() throws {
    let context = try context()
    for (album, name) in zip(try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title)])), "zyxwv") {
      album.artist = Artist(String(name))
    }
    try context.save()
    #expect(try titles(context, FetchDescriptor(sortBy: [SortDescriptor(\.artist?.name)])) == "edcba")
  }

  @Test func `offset and limit apply to the sorted models`() throws {
    let context = try context()
    var descriptor = FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title)])
    descriptor.fetchLimit = 2
    #expect(try titles(context, descriptor) == "ab")
    descriptor.fetchOffset = 3
    #expect(try titles(context, descriptor) == "de")
    #expect(try context.fetchCount(descriptor) == 2)
    descriptor.fetchOffset = 9
    #expect(try titles(context, descriptor) == "")
    #expect(try context.fetchCount(descriptor) == 0)
    let late = Album("bb")
    context.insert(late)
    descriptor.fetchOffset = 1
    descriptor.fetchLimit = 3
    #expect(try titles(context, descriptor) == "bbbc")
    #expect(try context.fetchIdentifiers(descriptor)[1] == late.persistentModelID)
    #expect(try context.fetch(descriptor, batchSize: 2).map(\.title) == ["b", "bb", "c"])
    #expect(try context.fetchIdentifiers(descriptor, batchSize: 2).count == 3)
  }

  @Test func `unsaved changes count unless excluded`() throws {
    let context = try context()
    let all = try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.title)]))
    all[0].title = "z"
    context.delete(all[1])
    context.insert(Album("m"))
    var descriptor = FetchDescriptor<Album>(
      predicate: #Predicate { $0.title > "b" }, sortBy: [SortDescriptor(\.title)])
    #expect(try titles(context, descriptor) == "cdemz")
    #expect(try context.fetchCount(descriptor) == 5)
    descriptor.includePendingChanges = false
    #expect(try context.fetchCount(descriptor) == 3)
    #expect(try context.fetchIdentifiers(descriptor).count == 3)
  }

  @Test func `referenced models may be unsaved too`() throws {
    let context = try context()
    let album = try #require(try context.fetch(FetchDescriptor<Album>()).first)
    album.artist = Artist("Ella")
    try context.save()
    let descriptor = FetchDescriptor<Album>(predicate: #Predicate { $0.artist?.name == "Louis" })
    #expect(try context.fetchCount(descriptor) == 0)
    album.artist?.name = "Louis"
    #expect(try context.fetch(descriptor).first === album)
    #expect(try context.fetchCount(descriptor) == 1)
    try context.save()
    #expect(try context.fetch(descriptor).first === album)
  }

  @Test func `a corrected value causes no error while it is unsaved`() throws {
    let context = try context()
    let descriptor = FetchDescriptor<Album>(predicate: #Predicate { $0.note!.count > 3 })
    #expect(throws: RoostError.self) { try context.fetch(descriptor) }
    #expect(throws: RoostError.self) { try context.fetchCount(descriptor) }
    let nothing = FetchDescriptor<Album>(predicate: #Predicate { $0.note == nil })
    try #require(try context.fetch(nothing).first).note = "mended"
    #expect(try context.fetch(descriptor).count == 5)
    #expect(try context.fetchCount(descriptor) == 5)
  }

  @Test func `subclasses are fetched with their own class`() throws {
    let container = try ModelContainer(
      for: Animal.self, Dog.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Animal("cat"))
    context.insert(Dog("rex", tricks: 2))
    context.insert(Animal("ant"))
    try context.save()
    let other = ModelContext(container)
    let all = try other.fetch(FetchDescriptor<Animal>(sortBy: [SortDescriptor(\.name)]))
    #expect(all.map(\.name) == ["ant", "cat", "rex"])
    #expect((all.last as? Dog)?.tricks == 2 && all.first is Dog == false)
    #expect(try other.fetchCount(FetchDescriptor<Animal>()) == 3)
    #expect(try other.fetchCount(FetchDescriptor<Dog>()) == 1)
    #expect(all.last?.persistentModelID.entityName == "Dog")
    let dogs = FetchDescriptor<Animal>(predicate: #Predicate { $0 is Dog })
    #expect(try other.fetch(dogs).map(\.name) == ["rex"])
    let clever = FetchDescriptor<Animal>(predicate: #Predicate { ($0 as? Dog)?.tricks == 2 })
    #expect(try other.fetch(clever).map(\.name) == ["rex"])
    let named = FetchDescriptor<Dog>(predicate: #Predicate { $0.name == "rex" && $0.tricks > 1 })
    #expect(try other.fetch(named).count == 1)
    try other.delete(model: Animal.self, includeSubclasses: false)
    try other.save()
    #expect(try other.fetchCount(FetchDescriptor<Animal>()) == 1)
  }

  @Test func `equal descriptors compare as equal`() {
    func descriptor(_ year: Int) -> FetchDescriptor<Album> {
      FetchDescriptor(predicate: #Predicate { $0.year > year }, sortBy: [SortDescriptor(\.title)])
    }
    #expect(descriptor(1) == descriptor(1) && descriptor(1) != descriptor(2))
  }
}
