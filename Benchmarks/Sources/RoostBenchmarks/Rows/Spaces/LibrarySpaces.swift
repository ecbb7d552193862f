import Synchronization

/// The key spaces of the music library, for engines that keep keys and values by the order of keys.
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
  /// Parent and place, big-endian, to the child's row.
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

/// What is kept in a key space.
enum SpaceKind {
  /// Numbers of rows, with a record each.
  case records
  /// Keys that occur once, with the number of a row each.
  case names
  /// Keys with the numbers of rows, as many as there are.
  case entries
  /// Numbers with the numbers of rows, as many as there are.
  case entriesOfNumbers
}

/// Rows that get numbers while others do.
enum NumberedRows {
  case tracks
  case children
}

/// Numbers for new rows, for engines whose transactions run side by side: none of them waits for the number of another.
final class RowNumbers: Sendable {
  private let tracks: Atomic<UInt64>
  private let children: Atomic<UInt64>

  init(lastTrack: UInt64?, lastChild: UInt64?) {
    tracks = Atomic((lastTrack ?? 0) + 1)
    children = Atomic((lastChild ?? 0) + 1)
  }

  /// The first of so many numbers. A transaction that fails leaves its numbers unused.
  func take(_ count: Int, for rows: NumberedRows) -> UInt64 {
    switch rows {
    case .tracks: tracks.wrappingAdd(UInt64(count), ordering: .relaxed).oldValue
    case .children: children.wrappingAdd(UInt64(count), ordering: .relaxed).oldValue
    }
  }
}
