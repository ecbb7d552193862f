import SwiftData

enum Genre: String, Codable, CaseIterable { case rock, jazz, folk }

/// An enum with its own order, which is not that of its numbers.
enum Grade: Int, Codable, Comparable {
  case best = 3
  case good = 1
  case poor = 2

  private var rank: Int {
    switch self {
    case .best: 0
    case .good: 1
    case .poor: 2
    }
  }

  static func < (one: Grade, other: Grade) -> Bool { one.rank < other.rank }
}

struct Address: Codable, Hashable {
  var street: String
  var number: Int?
}

/// The coding keys of two properties are exchanged.
struct Swapped: Codable, Hashable {
  var first: String
  var second: String

  enum CodingKeys: String, CodingKey {
    case first = "second"
    case second = "first"
  }
}

@Model final class Artist {
  @Attribute(.unique) var name: String
  var born: Date?
  var address: Address
  var home: Address?
  @Relationship(deleteRule: .cascade, inverse: \Album.artist) var albums: [Album] = []

  init(_ name: String, born: Date? = nil, street: String = "") {
    self.name = name
    self.born = born
    address = Address(street: street, number: nil)
  }
}

/// A protocol of models of several classes.
protocol Titled { var title: String { get } }

@Model final class Album: Titled {
  var title: String
  var year: Int
  var price: Double
  var genre: Genre
  var other: Genre?
  var isLive: Bool
  var note: String?
  var tags: [String]
  var ratings: [String: Int]
  var grade: Grade
  var swapped: Swapped
  var artist: Artist?
  @Transient var shown = false
  #Index<Album>([\.year], [\.title])

  init(
    _ title: String, year: Int = 1990, price: Double = 1, genre: Genre = .rock, isLive: Bool = false,
    note: String? = nil, tags: [String] = [], artist: Artist? = nil
  ) {
    self.title = title
    self.year = year
    self.price = price
    self.genre = genre
    other = nil
    self.isLive = isLive
    self.note = note
    self.tags = tags
    ratings = [:]
    grade = .good
    swapped = Swapped(first: "", second: "")
    self.artist = artist
  }

  /// Not stored.
  var decade: Int { year / 10 }
}

@Model class Animal {
  var name: String

  init(_ name: String) { self.name = name }
}

@Model class Dog: Animal {
  var tricks: Int

  init(_ name: String, tricks: Int) {
    self.tricks = tricks
    super.init(name)
  }
}

@Model final class Owner {
  var pets: [Animal] = []
  var favorite: Animal?

  init() {}
}

@Model final class Stranger {
  var name = ""

  init() {}
}

func makeContainer() throws -> ModelContainer {
  try ModelContainer(for: Artist.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
}

/// A file in a folder that is removed at the end.
final class Folder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "roost-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String = "store.roost") -> URL { url.appending(path: name) }
}
