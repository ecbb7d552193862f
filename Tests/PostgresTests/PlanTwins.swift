#if Postgres
  import Foundation
  import RoostPostgres
  import SwiftData

  // Artists with all kinds of relationships, before their names are unique and after.

  enum TwinsBefore: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] {
      [Artist.self, Band.self, Album.self, Tag.self, Badge.self, Note.self]
    }

    struct Place: Codable, Hashable {
      var town = ""
      var street = 0
    }

    @Model class Artist {
      var name: String?
      var born: Int?
      var changed = 0
      var home: Place?
      @Relationship(deleteRule: .cascade, inverse: \Album.artist) var albums: [Album] = []
      @Relationship(deleteRule: .cascade, inverse: \Tag.artists) var tags: [Tag] = []
      @Relationship(deleteRule: .cascade, inverse: \Badge.artist) var badge: Badge?
      var likes: [Artist] = []

      init(_ name: String?, born: Int? = nil, changed: Int = 0) {
        self.name = name
        self.born = born
        self.changed = changed
      }
    }

    @available(macOS 26, *) @Model final class Band: Artist {
      var members = 0

      init(_ name: String, members: Int) {
        super.init(name)
        self.members = members
      }
    }

    @Model final class Album {
      var title = ""
      var artist: Artist?
      init(_ title: String) { self.title = title }
    }

    @Model final class Tag {
      var word = ""
      var artists: [Artist] = []
      init(_ word: String) { self.word = word }
    }

    @Model final class Badge {
      var number = 0
      var artist: Artist?
      init(_ number: Int) { self.number = number }
    }

    /// Leads to an artist who does not lead back.
    @Model final class Note {
      var text = ""
      var about: Artist?
      init(_ text: String) { self.text = text }
    }
  }

  enum TwinsAfter: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] {
      [Artist.self, Band.self, Album.self, Tag.self, Badge.self, Note.self]
    }

    typealias Place = TwinsBefore.Place

    @Model class Artist {
      @Attribute(.unique) var name: String?
      var born: Int?
      var changed = 0
      var home: Place?
      @Relationship(deleteRule: .cascade, inverse: \Album.artist) var albums: [Album] = []
      @Relationship(deleteRule: .cascade, inverse: \Tag.artists) var tags: [Tag] = []
      @Relationship(deleteRule: .cascade, inverse: \Badge.artist) var badge: Badge?
      var likes: [Artist] = []

      init(_ name: String?) { self.name = name }
    }

    @available(macOS 26, *) @Model final class Band: Artist {
      var members = 0
      override init(_ name: String?) { super.init(name) }
    }

    @Model final class Album {
      var title = ""
      var artist: Artist?
      init(_ title: String) { self.title = title }
    }

    @Model final class Tag {
      var word = ""
      var artists: [Artist] = []
      init(_ word: String) { self.word = word }
    }

    @Model final class Badge {
      var number = 0
      var artist: Artist?
      init(_ number: Int) { self.number = number }
    }

    @Model final class Note {
      var text = ""
      var about: Artist?
      init(_ text: String) { self.text = text }
    }
  }

  final class TwinsRule: @unchecked Sendable {
    // Unchecked because one test makes it and uses it.
    let policy: ModelContext.UniqueRule<TwinsBefore.Artist>
    let keyPath: PartialKeyPath<TwinsBefore.Artist>

    init(
      _ policy: ModelContext.UniqueRule<TwinsBefore.Artist>, by keyPath: PartialKeyPath<TwinsBefore.Artist> = \.name
    ) { (self.policy, self.keyPath) = (policy, keyPath) }
  }

  enum TwinsPlan: SchemaMigrationPlan {
    @TaskLocal static var rule = TwinsRule(.keepExisting)
    static var schemas: [any VersionedSchema.Type] { [TwinsBefore.self, TwinsAfter.self] }
    static var stages: [MigrationStage] {
      [.removeDuplicates(of: TwinsBefore.Artist.self, by: rule.keyPath, policy: rule.policy)]
    }
  }
#endif
