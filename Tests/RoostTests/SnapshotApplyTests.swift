import RoostTestSupport
import SwiftData
import Testing

@Suite struct SnapshotApplyTests {
  private func makeContext() throws -> ModelContext { ModelContext(try makeContainer()) }

  @Test func `only different values are set`() throws {
    let context = try makeContext()
    let ella = Artist("Ella")
    context.insert(ella)
    try context.save()
    var snapshot = ella.snapshot
    #expect(try context.apply(snapshot) === ella && !context.hasChanges)
    try snapshot.set(\.born, to: Date(timeIntervalSinceReferenceDate: 1))
    try snapshot.set(\.address, to: Address(street: "Oak", number: 2))
    let other = ModelContext(context.container)
    let same = try #require(try other.fetch(FetchDescriptor<Artist>()).first)
    same.name = "Other"
    try context.apply(snapshot)
    try context.save()
    try other.save()
    #expect(same.born == snapshot.born && same.address.street == "Oak" && same.name == "Other")
  }

  @Test func `a snapshot finds its model by identifier, then by unique values, or makes one`() throws {
    let (here, there) = (try makeContext(), try makeContext())
    let ella = Artist("Ella", street: "Elm")
    here.insert(ella)
    try here.save()
    let known = Artist("Ella", street: "Oak")
    there.insert(known)
    try there.save()
    #expect(try there.apply(ella.snapshot) === known && known.address.street == "Elm")
    var renamed = ella.snapshot
    try renamed.set(\.name, to: "Billie")
    let made = try there.apply(renamed)
    #expect(made !== known && made.name == "Billie" && there.insertedModelsArray.count == 1)
    try there.save()
    #expect(try there.fetchCount(FetchDescriptor<Artist>()) == 2)
    // A deleted model is restored with another identifier.
    let gone = ella.snapshot
    here.delete(ella)
    try here.save()
    let again = try here.apply(gone)
    try here.save()
    #expect(again.name == "Ella" && again.persistentModelID != gone.persistentModelID && again !== ella)
  }

  @Test func `snapshots that reference each other are applied together`() throws {
    let (here, there) = (try makeContext(), try makeContext())
    let ella = Artist("Ella")
    here.insert(ella)
    for title in ["c", "a", "b"] { ella.albums.append(Album(title)) }
    try here.save()
    let albums = try here.fetchSnapshots(FetchDescriptor<Album>())
    let error = #expect(throws: RoostError.self) { try there.apply(contentsOf: albums) }
    #expect(error?.code == .foreign && !there.hasChanges)
    var artist = ella.snapshot
    try artist.set(\.albums, to: [])
    try there.apply(artist)
    try there.save()
    // No row has its old identifier there, but its unique name is found.
    let all = albums.map { snapshot in
      var copy = snapshot
      try? copy.set(\.artist, to: nil)
      return copy
    }
    let made = try there.apply(contentsOf: all)
    try there.save()
    #expect(made.map(\.title).sorted() == ["a", "b", "c"])
    let found = try #require(try there.fetch(FetchDescriptor<Artist>()).first)
    var whole = found.snapshot
    try whole.set(\.albums, to: made.map(\.persistentModelID).reversed())
    try there.apply(whole)
    try there.save()
    let reader = ModelContext(there.container)
    let shown = try reader.fetch(FetchDescriptor<Artist>())[0]
    #expect(
      shown.albums.map(\.title) == made.reversed().map(\.title) && shown.albums.allSatisfy { $0.artist === shown })
  }

  @Test func `new models of one class that reference each other come in any order`() throws {
    func container() throws -> ModelContext {
      ModelContext(
        try ModelContainer(for: Vehicle.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    }
    let (here, there) = (try container(), try container())
    let (one, two, three) = (Vehicle("1"), Vehicle("2"), Vehicle("3"))
    here.insert(one)
    one.tows = two
    two.tows = three
    try here.save()
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
      let all = [one, two, three].map(\.snapshot)
      let made = try there.apply(contentsOf: order.map { all[$0] })
      try there.save()
      #expect(Set(made.map(\.plate)) == ["1", "2", "3"])
      #expect(made.first { $0.plate == "1" }?.tows?.tows?.plate == "3")
      #expect(try there.fetchCount(FetchDescriptor<Vehicle>()) == 3)
    }
  }

  @Test(arguments: 0..<30) func `by seed, applied snapshots restore the former state`(_ seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let context = try makeContext()
    func number(_ below: Int) -> Int { Int(generator.next() % UInt64(below)) }
    for name in 0..<4 { context.insert(Artist("\(name)", street: "s\(name)")) }
    for title in 0..<8 { context.insert(Album("\(title)", year: title)) }
    let sort = [SortDescriptor(\Artist.name)]
    func artists() throws -> [Artist] { try context.fetch(FetchDescriptor(sortBy: sort)) }
    func albums() throws -> [Album] { try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Album.year)])) }
    let (all, some) = (try artists(), try albums())
    func change() {
      for _ in 0..<10 {
        let (artist, album) = (all[number(4)], some[number(8)])
        switch number(6) {
        case 0: artist.address.number = number(3)
        case 1: artist.home = number(2) == 0 ? nil : Address(street: "h", number: number(3))
        case 2: album.artist = number(3) == 0 ? nil : artist
        case 3: artist.albums.append(album)
        case 4: artist.albums.shuffle(using: &generator)
        default: album.tags.append("\(number(9))")
        }
      }
    }
    change()
    if number(2) == 0 { try context.save() }
    let (before, beforeAlbums) = (try context.fetchSnapshots(FetchDescriptor(sortBy: sort)), some.map(\.snapshot))
    #expect(before == all.map(\.snapshot))
    change()
    if number(2) == 0 { try context.save() }
    let changed = zip(all, before).filter { !$0.snapshot.differences(from: $1).isEmpty }.map { $0.0 }
    if number(2) == 0 {
      try context.apply(contentsOf: before)
      try context.apply(contentsOf: beforeAlbums)
    } else {
      try context.apply(contentsOf: beforeAlbums)
      try context.apply(contentsOf: before)
    }
    #expect(all.map(\.snapshot) == before && some.map(\.snapshot) == beforeAlbums, "seed \(seed), \(changed.count)")
    try context.save()
    let other = ModelContext(context.container)
    #expect(try other.fetchSnapshots(FetchDescriptor(sortBy: sort)) == before, "seed \(seed)")
    let wrong = try other.fetchSnapshots(FetchDescriptor(sortBy: [SortDescriptor(\Album.year)])) != beforeAlbums
    #expect(!wrong, "seed \(seed)")
  }

  @Test func `a snapshot of a model without a row finds that model after its insertion`() throws {
    let context = try makeContext()
    let ella = Artist("Ella")
    var snapshot = ella.snapshot
    context.insert(ella)
    try snapshot.set(\.name, to: "E")
    #expect(try context.apply(snapshot) === ella && ella.name == "E")
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Artist>()) == 1)
  }
}
