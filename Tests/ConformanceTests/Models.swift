import Foundation
import SwiftData

// The files of this target import `SwiftData` and nothing of Roost's, so they compile on Apple's
// platforms too, against SwiftData itself. Code that only Roost supports is between `#if
// canImport(Roost)` and `#endif`.

enum Season: String, Codable, CaseIterable { case spring, summer, autumn, winter }

/// An enum with associated values.
enum Visit: Codable, Equatable {
  case never
  case on(Date)
  case often(times: Int, reason: String?)
}

struct Spot: Codable, Hashable {
  var name: String
  var latitude: Double
  var longitude: Double?
}

protocol Named { var name: String { get } }

@Model
final class Garden: Named {
  @Attribute(.unique) var name: String
  var opened: Date
  var spot: Spot?
  var season: Season
  var visit: Visit = Visit.never
  var area = 0.0
  var isPublic = false
  var tags: [String] = []
  @Attribute(.externalStorage) var plan: Data?
  @Attribute(originalName: "remark") var note: String?
  @Relationship(deleteRule: .cascade, inverse: \Bed.garden) var beds: [Bed] = []
  @Relationship(inverse: \Gardener.gardens) var gardeners: [Gardener] = []
  @Transient var isShown = false
  @Transient var title: String { "\(name) (\(season.rawValue))" }

  init(name: String, opened: Date = Date(timeIntervalSinceReferenceDate: 0), season: Season = .spring) {
    self.name = name
    self.opened = opened
    self.season = season
  }
}

@Model
final class Bed {
  #Index<Bed>([\.garden], [\.number, \.garden])

  var number: Int
  var plants: [String: Int] = [:]
  var garden: Garden?

  init(_ number: Int) { self.number = number }
}

@Model
final class Gardener: Named, Comparable {
  var name: String
  var born: Date?
  var gardens: [Garden] = []
  /// A reference from its own class.
  var teacher: Gardener?
  @Relationship(inverse: \Gardener.teacher) var pupils: [Gardener]? = []
  @Relationship(deleteRule: .deny) var hut: Hut?

  init(_ name: String, born: Date? = nil) {
    self.name = name
    self.born = born
  }

  static func < (one: Gardener, other: Gardener) -> Bool { one.name < other.name }
}

@Model
final class Hut {
  #Unique<Hut>([\.street, \.number], [])
  #Index<Hut>([\.street], [\.number, \.street])

  var street: String
  var number: Int
  @Attribute(.ephemeral) var isOpen = false
  @Attribute(.allowsCloudEncryption) var code: String?
  @Attribute(.spotlight) var label = ""
  @Attribute(.preserveValueOnDeletion) var owner = ""

  init(street: String, number: Int) {
    self.street = street
    self.number = number
  }
}

/// Makes a container in memory, and a context.
func makeContext() throws -> ModelContext {
  ModelContext(try makeContainer())
}

func makeContainer() throws -> ModelContainer {
  try StoreKind.current.container(Schema([Garden.self, Hut.self]))
}

/// Returns the path of a file that does not exist.
func freshFile() -> URL {
  FileManager.default.temporaryDirectory
    .appending(path: "conformance-\(UUID().uuidString)", directoryHint: .isDirectory)
    .appending(path: "models.store", directoryHint: .notDirectory)
}

extension ModelContext {
  func all<T: PersistentModel>(_ type: T.Type) throws -> [T] { try fetch(FetchDescriptor<T>()) }
}
