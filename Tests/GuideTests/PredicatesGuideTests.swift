import Foundation
import SwiftData
import Testing

enum Genre: String, Codable { case folk, jazz }

struct Wish {
  var year: Int
  var words: [String]
}

@Model final class Song {
  var title: String
  var length: Double
  var year: Int
  var genre: Genre
  var note: String?
  var tags: [String]
  var band: Band?
  #Index<Song>([\.year])

  init(_ title: String, length: Double = 200, year: Int = 1970, genre: Genre = .folk) {
    self.title = title
    self.length = length
    self.year = year
    self.genre = genre
    tags = []
  }

  /// Computed, so the store knows nothing of it.
  var minutes: Int { Int(length / 60) }
}

@Model final class Band {
  var name: String
  var town: String
  @Relationship(inverse: \Song.band) var songs: [Song] = []

  init(_ name: String, _ town: String) {
    self.name = name
    self.town = town
  }
}

/// The code of the guide to predicates.
@Suite struct PredicatesGuideTests {
  private static func context() throws -> ModelContext {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let context = ModelContext(try ModelContainer(for: Song.self, configurations: configuration))
    let bands = [Band("The Sloes", "Bern"), Band("Four", "Ulm")]
    for band in bands { context.insert(band) }
    for number in 0..<12 {
      let song = Song(
        ["Blue", "Étude", "Case", "Rain"][number % 4], length: Double(100 + number * 30), year: 1964 + number,
        genre: number % 2 == 0 ? .folk : .jazz)
      context.insert(song)
      song.note = number % 3 == 0 ? nil : "live at home \(number)"
      song.tags = number % 5 == 0 ? ["favourite"] : []
      song.band = number % 4 == 3 ? nil : bands[number % 2]
    }
    try context.save()
    return context
  }

  /// Checks that a fetch finds exactly the models for which the predicate is true, and their
  /// number.
  private func check<Model: PersistentModel>(_ context: ModelContext, _ predicate: Predicate<Model>, _ count: Int)
    throws
  {
    let found = try context.fetch(FetchDescriptor(predicate: predicate))
    let expected = try context.fetch(FetchDescriptor<Model>()).filter { try predicate.evaluate($0) }
    #expect(Set(found.map(\.persistentModelID)) == Set(expected.map(\.persistentModelID)))
    #expect(found.count == count)
  }

  @Test func `what a predicate can contain`() throws {
    let context = try Self.context()
    let early = #Predicate<Song> { $0.year < 1970 }
    let songs = try context.fetch(FetchDescriptor(predicate: early))
    #expect(songs.count == 6)

    let wish = Wish(year: 1971, words: ["case", "blue"])
    let wished = #Predicate<Song> { $0.year == wish.year && $0.length > Double(wish.words.count * 60) }
    let folk = #Predicate<Song> { $0.genre == .folk && $0.year < Calendar.current.component(.year, from: .now) }
    try check(context, wished, 1)
    try check(context, folk, 6)

    let named = #Predicate<Song> { $0.title.hasPrefix("Blue") || $0.title.localizedStandardContains("étude") }
    try check(context, named, 6)

    let noted = #Predicate<Song> { ($0.note?.contains("live") ?? false) && $0.band?.name != nil }
    let long = #Predicate<Song> { song in
      guard let note = song.note else { return song.length > 300 }
      return note.count > 20
    }
    try check(context, noted, 6)
    try check(context, long, 1)

    let years = [1967, 1971]
    let listed = #Predicate<Song> { years.contains($0.year) || $0.tags.contains("favourite") }
    try check(context, listed, 5)

    let local = #Predicate<Song> { $0.band?.town == "Bern" }
    let busy = #Predicate<Band> { band in band.songs.contains { $0.year > 1970 } && band.songs.count < 10 }
    try check(context, local, 6)
    try check(context, busy, 2)

    let longer = #Predicate<Song> { $0.length > ($0.band?.songs.average(\.length) ?? 0) }
    let stored = try context.fetch(FetchDescriptor<Song>())
    let expected = stored.count { $0.length > ($0.band?.songs.average(\.length) ?? 0) }
    try check(context, longer, expected)
    #expect(expected > 0)

    let both = #Predicate<Song> { early.evaluate($0) && $0.genre == .folk }
    try check(context, both, 3)

    let many = #Predicate { (song: Song) in
      song.year > 1960 && song.year < 1980 && song.length > 60 && song.note == nil || song.genre == .jazz
        || song.band?.name == "The Sloes" && song.tags.isEmpty || song.title == "Blue" && song.band?.town != nil
    }
    try check(context, many, 11)
  }

  @Test func `how a predicate is tested`() throws {
    let context = try Self.context()
    let mixed = #Predicate<Song> { $0.year == 1971 && $0.minutes > 2 }
    let plan = try context.explain(FetchDescriptor(predicate: mixed))
    #expect(plan.description.contains("test in memory $0.(a computed Int) > 2"))
    #expect(plan.description.contains("year"))
    try check(context, mixed, 1)
  }

  @Test func `errors in a predicate`() throws {
    let context = try Self.context()
    var text = ""
    do {
      _ = try context.fetch(FetchDescriptor<Song>(predicate: #Predicate { $0.note!.count > 3 }))
    } catch let error as RoostError {
      text = error.description
    }
    #expect(
      text == "badCondition: it is nil, in $0.note!: first test for nil, or for the type, or give a default with ??")
    try check(context, #Predicate<Song> { $0.note != nil && $0.note!.count > 3 }, 8)
    try check(context, #Predicate<Song> { ($0.note?.count ?? 0) > 3 }, 8)
  }
}
