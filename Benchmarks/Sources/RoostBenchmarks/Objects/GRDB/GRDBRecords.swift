#if GRDB
  import Foundation
  import GRDB

  // One structure for each table, as GRDB's documentation recommends: `Codable`, with a property
  // for each column.

  /// A track. SQLite gives the row its number when it is inserted.
  struct TrackRecord: Codable, TrackValues {
    var row: Int64?
    var id: String
    var title: String
    var artist: String
    var albumRow: Int64
    var duration: Double
    var genre: String?
    var releaseDate: Date
    var playCount: Int
    var explicit: Bool

    init(_ values: TrackRow) {
      id = String(values.id)
      title = String(values.title)
      artist = String(values.artist)
      albumRow = Int64(bitPattern: values.album)
      duration = values.duration
      genre = values.genre.map { String($0) }
      releaseDate = Date(timeIntervalSinceReferenceDate: values.releaseDate)
      playCount = Int(values.playCount)
      explicit = values.isExplicit
    }

    var word: UInt64 { word(album: UInt64(bitPattern: albumRow)) }
  }

  extension TrackRecord: FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "tracks"
    static let album = belongsTo(AlbumRecord.self)

    enum Columns {
      static let row = Column(CodingKeys.row)
      static let id = Column(CodingKeys.id)
      static let title = Column(CodingKeys.title)
      static let duration = Column(CodingKeys.duration)
      static let genre = Column(CodingKeys.genre)
      static let releaseDate = Column(CodingKeys.releaseDate)
    }

    // GRDB's own format is a text with milliseconds, which would change the dates.
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
      .timeIntervalSinceReferenceDate
    }

    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
      .timeIntervalSinceReferenceDate
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { row = inserted.rowID }
  }

  struct AlbumRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "albums"

    var row: Int64
    var title: String
    var artistRow: Int64
  }

  struct ArtistRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "artists"

    var row: Int64
    var name: String
  }

  /// A parent of children.
  struct ParentRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "parents"

    var row: Int64
  }

  struct ChildRecord: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "children"

    var row: Int64?
    var parent: Int64
    var position: Int64
    var name: String

    mutating func didInsert(_ inserted: InsertionSuccess) { row = inserted.rowID }
  }

  /// A track and its album, from one joined request.
  struct TrackWithAlbum: Decodable, FetchableRecord {
    var track: TrackRecord
    var album: AlbumRecord
  }

  /// Two columns of a track.
  struct TitleAndDuration: Decodable, FetchableRecord {
    var title: String
    var duration: Double
  }
#endif
