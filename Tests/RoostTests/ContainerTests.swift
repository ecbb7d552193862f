import SwiftData
import Testing

@Suite struct ContainerTests {
  @Test func `models are stored after the store is opened again`() throws {
    let folder = try Folder()
    do {
      let container = try ModelContainer(for: Artist.self, configurations: ModelConfiguration(url: folder.file()))
      let context = ModelContext(container)
      let ella = Artist("Ella", street: "Elm")
      context.insert(ella)
      for title in ["c", "a", "b"] { ella.albums.append(Album(title)) }
      try context.save()
    }
    let container = try ModelContainer(for: Artist.self, configurations: ModelConfiguration(url: folder.file()))
    let ella = try #require(try ModelContext(container).fetch(FetchDescriptor<Artist>()).first)
    #expect(ella.address.street == "Elm" && ella.albums.map(\.title) == ["c", "a", "b"])
  }

  @Test func `two containers of one file share it`() throws {
    let folder = try Folder()
    let configuration = ModelConfiguration(url: folder.file())
    let one = try ModelContainer(for: Artist.self, configurations: configuration)
    let two = try ModelContainer(for: Artist.self, configurations: configuration)
    #expect(one != two)
    let (writing, reading) = (ModelContext(one), ModelContext(two))
    writing.insert(Artist("Ella"))
    try writing.save()
    #expect(try reading.fetch(FetchDescriptor<Artist>()).map(\.name) == ["Ella"])
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Stranger.self, configurations: configuration)
    }
    #expect(error == .loadIssueModelContainer)
    #expect(try reading.fetchCount(FetchDescriptor<Artist>()) == 1)
  }

  @Test func `a container for reading does not separate those that write`() throws {
    let folder = try Folder()
    let one = try ModelContainer(for: Artist.self, configurations: ModelConfiguration(url: folder.file()))
    let writing = ModelContext(one)
    let artist = Artist("Ella")
    writing.insert(artist)
    try writing.save()
    let readOnly = try ModelContainer(
      for: Artist.self, configurations: ModelConfiguration(url: folder.file(), allowsSave: false))
    #expect(try ModelContext(readOnly).fetchCount(FetchDescriptor<Artist>()) == 1)
    let two = try ModelContainer(for: Artist.self, configurations: ModelConfiguration(url: folder.file()))
    let context = ModelContext(two)
    let seen = try #require(try context.fetch(FetchDescriptor<Artist>()).first)
    artist.name = "Louis"
    try writing.save()
    #expect(!context.hasChanges && seen.name == "Louis")
  }

  /// Before, such a fetch said that the file is damaged, and what to do about damage.
  @Test func `a container for reading says that another process has overwritten its pages`() throws {
    let folder = try Folder()
    var configuration = ModelConfiguration(url: folder.file(), allowsSave: false)
    configuration.cacheBytes = 1 << 20
    func write(_ round: Int) throws {
      let container = try ModelContainer(for: Artist.self, configurations: ModelConfiguration(url: folder.file()))
      let context = ModelContext(container)
      for (number, artist) in try context.fetch(FetchDescriptor<Artist>()).enumerated() {
        artist.name = "round \(round), \(number)"
      }
      if round == 0 { for number in 0..<20_000 { context.insert(Artist("artist \(number)")) } }
      try context.save()
      // Writes the pages into the file.
      try container.close()
    }
    try write(0)
    let reading = try ModelContainer(for: Artist.self, configurations: configuration)
    let context = ModelContext(reading)
    #expect(try context.fetchCount(FetchDescriptor<Artist>()) == 20_000)
    for round in 1...3 { try write(round) }
    let error = #expect(throws: RoostError.self) { try context.fetch(FetchDescriptor<Artist>()) }
    #expect(error?.reference == "E0131", "\(error as Any)")
    #expect(error?.description.contains("open it again") == true)
    try reading.close()
    let again = try ModelContainer(for: Artist.self, configurations: configuration)
    let names = try ModelContext(again).fetch(FetchDescriptor<Artist>()).map(\.name)
    #expect(names.count == 20_000 && names.allSatisfy { $0.hasPrefix("round 3") })
  }

  @Test func `a store larger than its cache works, and one without a cache is refused`() throws {
    let folder = try Folder()
    var configuration = ModelConfiguration(url: folder.file())
    for wrong in [0, -1, 1000] {
      configuration.cacheBytes = wrong
      let error = #expect(throws: SwiftDataError.self) {
        try ModelContainer(for: Artist.self, configurations: configuration)
      }
      #expect(error == .loadIssueModelContainer)
    }
    configuration.cacheBytes = 1 << 20
    let container = try ModelContainer(for: Artist.self, configurations: configuration)
    let long = String(repeating: "street ", count: 200)
    for part in 0..<10 {
      let context = ModelContext(container)
      for number in 0..<500 { context.insert(Artist("\(part * 500 + number)", street: long)) }
      try context.save()
    }
    let names = try ModelContext(container).fetch(FetchDescriptor<Artist>()).map {
      ($0.name, $0.address.street == long)
    }
    #expect(Set(names.map(\.0)).count == 5000 && names.allSatisfy(\.1))
  }

  @Test func `each model is stored where its configuration says`() throws {
    let folder = try Folder()
    let schema = Schema([Artist.self, Stranger.self])
    let places = [
      ModelConfiguration("music", schema: Schema([Artist.self]), url: folder.file("music.roost")),
      ModelConfiguration("rest", schema: Schema([Stranger.self]), url: folder.file("rest.roost")),
    ]
    do {
      let container = try ModelContainer(for: schema, configurations: places)
      #expect(container.configurations.count == 2 && container.schema.entities.count == 3)
      let context = ModelContext(container)
      context.insert(Album("Mack"))
      context.insert(Stranger())
      try context.save()
    }
    let rest = try ModelContainer(for: Stranger.self, configurations: places[1])
    #expect(try ModelContext(rest).fetchCount(FetchDescriptor<Stranger>()) == 1)
    let music = try ModelContainer(for: Artist.self, configurations: places[0])
    #expect(try ModelContext(music).fetchCount(FetchDescriptor<Album>()) == 1)
  }

  @Test func `an invalid configuration is refused`() throws {
    let folder = try Folder()
    func refused(_ expected: SwiftDataError, _ configurations: ModelConfiguration..., types: Schema? = nil) {
      let error = #expect(throws: SwiftDataError.self) {
        try ModelContainer(for: types ?? Schema([Stranger.self]), configurations: configurations)
      }
      #expect(error == expected)
    }
    let one = ModelConfiguration(url: folder.file())
    refused(.duplicateConfiguration, one, one)
    refused(.configurationFileNameTooLong, ModelConfiguration(String(repeating: "x", count: 300)))
    refused(.configurationFileNameContainsInvalidCharacters, ModelConfiguration("a/b"))
    let other = Schema([Animal.self])
    refused(.configurationSchemaNotFoundInContainerSchema, ModelConfiguration(schema: other, url: folder.file()))
    refused(.loadIssueModelContainer, ModelConfiguration(schema: Schema(), url: folder.file()))
    refused(.unknownSchema, one, types: Schema(Schema.Entity("Loose")))
  }

  @Test func `configurations of any type are accepted, and only Roost's can be used`() throws {
    let ours: [any DataStoreConfiguration] = [ModelConfiguration(isStoredInMemoryOnly: true)]
    let context = ModelContext(try ModelContainer(for: Schema([Stranger.self]), configurations: ours))
    context.insert(Stranger())
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Stranger>()) == 1)
  }

  @Test func `a store opened without saving is read and never written`() throws {
    let folder = try Folder()
    do {
      let context = ModelContext(
        try ModelContainer(for: Stranger.self, configurations: ModelConfiguration(url: folder.file())))
      context.insert(Stranger())
      try context.save()
    }
    let container = try ModelContainer(
      for: Stranger.self, configurations: ModelConfiguration(url: folder.file(), allowsSave: false))
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<Stranger>()) == 1)
    context.insert(Stranger())
    let error = #expect(throws: RoostError.self) { try context.save() }
    #expect(error?.code == .store)
  }

  @Test func `erasing removes everything`() throws {
    let container = try makeContainer()
    let context = ModelContext(container)
    let ella = Artist("Ella")
    context.insert(Album("Mack", artist: ella))
    try context.save()
    try container.erase()
    #expect(try context.fetchCount(FetchDescriptor<Artist>()) == 0)
    #expect(try context.fetch(FetchDescriptor<Album>()).isEmpty)
    context.insert(Artist("Ella"))
    try context.save()
    container.deleteAllData()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Artist>()) == 0)
  }

  @Test func `a default file URL is found`() {
    let configuration = ModelConfiguration("things")
    #expect(configuration.url.lastPathComponent == "things.roost" && configuration.id == configuration.url)
    #expect(ModelConfiguration().name == "default")
    #expect(ModelConfiguration(isStoredInMemoryOnly: true).isStoredInMemoryOnly)
    #expect(ModelConfiguration(for: Artist.self).schema?.entities.count == 2)
  }
}
