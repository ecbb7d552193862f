import Foundation
import Roost
import RoostRecords

/// Checks read the rows of the store, so that objects do not check themselves.
extension ObjectsSession {
  private var rows: RoostLibrarySession { RoostLibrarySession(RoostLibraryStore(records, library, .relaxed)) }

  func indexCounts() throws -> [Int] {
    try records.read { reader in
      let table = try reader.table("Track")
      return ["unique id", "genre", "releaseDate", "@album"].map { table.index($0)?.count ?? -1 }
    }
  }

  func dateOrder() throws -> UInt64 { try rows.dateOrder() }

  func storedTracks() throws -> TrackDigest? { try rows.scan() }

  func childDigest() throws -> UInt64 {
    var sum: UInt64 = 0
    for playlist in try context.fetch(FetchDescriptor<Playlist>(sortBy: [SortDescriptor(\.number)])) {
      for entry in playlist.entries { sum = LibraryAnswers.fold(sum, TrackRow.word(entry.name)) }
    }
    return sum
  }
}
