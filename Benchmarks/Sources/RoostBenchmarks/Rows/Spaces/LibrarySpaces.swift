import Synchronization

/// The key spaces of the music library, for ordered key-value engines.
struct LibrarySpaces<Space> {
  let tracks: Space
  let albums: Space
  let artists: Space
  let parents: Space
  let children: Space
  /// Id to row.
  let ids: Space
  /// A byte 1, the genre and a byte 0, or two bytes 0 for nil, to rows.
  let genres: Space
  /// Big-endian bits of the date that sort as it does, to rows.
  let dates: Space
  /// Album to rows of its tracks.
  let tracksOfAlbums: Space
  /// Parent and position, big-endian, to the child's row.
  let childrenOfParents: Space

  init(_ open: (String, SpaceKind) throws -> Space) rethrows {
    tracks = try open("tracks", .records)
    albums = try open("albums", .records)
    artists = try open("artists", .records)
    parents = try open("parents", .records)
    children = try open("children", .records)
    ids = try open("ids", .names)
    genres = try open("genres", .entries)
    dates = try open("dates", .entries)
    tracksOfAlbums = try open("tracksOfAlbums", .entriesOfNumbers)
    childrenOfParents = try open("childrenOfParents", .names)
  }
}

/// The content of a key space.
enum SpaceKind {
  /// Row numbers, each with a record.
  case records
  /// Unique keys, each with a row number.
  case names
  /// Keys with any number of row numbers.
  case entries
  /// Numbers with any number of row numbers.
  case entriesOfNumbers
}

/// Rows that several threads number at the same time.
enum NumberedRows {
  case tracks
  case children
}

/// Numbers for new rows, for engines with concurrent transactions: none of them waits for the
/// number of another.
final class RowNumbers: Sendable {
  private let tracks: Atomic<UInt64>
  private let children: Atomic<UInt64>

  init(lastTrack: UInt64?, lastChild: UInt64?) {
    tracks = Atomic((lastTrack ?? 0) + 1)
    children = Atomic((lastChild ?? 0) + 1)
  }

  /// The first of `count` consecutive numbers. A failed transaction leaves its numbers unused.
  func take(_ count: Int, for rows: NumberedRows) -> UInt64 {
    switch rows {
    case .tracks: tracks.wrappingAdd(UInt64(count), ordering: .relaxed).oldValue
    case .children: children.wrappingAdd(UInt64(count), ordering: .relaxed).oldValue
    }
  }
}
