import Foundation
import Roost

extension ObjectsSession {
  func scan() throws -> TrackDigest {
    var digest = TrackDigest()
    for track in try context.fetch(FetchDescriptor<Track>()) {
      // Only the check needs the row's number.
      digest.add(track._$state.row, track.word)
    }
    return digest
  }

  func titlesAndDurations() throws -> UInt64 {
    var descriptor = FetchDescriptor<Track>()
    descriptor.propertiesToFetch = [\.title, \.duration]
    var sum: UInt64 = 0
    for track in try context.fetch(descriptor) {
      sum &+= TrackRow.join(TrackRow.word(track.title), track.duration.bitPattern)
    }
    return sum
  }

  func sum(rows: [UInt64]) throws -> UInt64 {
    var sum: UInt64 = 0
    for row in rows {
      guard let track: Track = try context.existingModel(for: identifiers[Int(row) - 1]) else { throw missing("C") }
      sum &+= track.word
    }
    return sum
  }

  func sum(ids: IDList) throws -> UInt64 {
    var sum: UInt64 = 0
    for place in 0..<ids.count {
      let id = String(ids[place])
      var descriptor = FetchDescriptor<Track>(predicate: #Predicate { $0.id == id })
      descriptor.fetchLimit = 1
      guard let track = try context.fetch(descriptor).first else { throw missing("C2") }
      sum &+= track.word
    }
    return sum
  }

  func sumFirst(ids: IDList) throws -> UInt64 {
    var sum: UInt64 = 0
    for place in 0..<ids.count {
      guard let track = try context.first(Track.self, where: \.id, is: String(ids[place])) else {
        throw missing("C2-first")
      }
      sum &+= track.word
    }
    return sum
  }

  func firstByDate(queries: Int) throws -> UInt64 {
    var sum: UInt64 = 0
    for query in 0..<queries {
      let genre: String? = String(library.genre(query % LibraryWords.genres.count))
      let least = LibraryAnswers.leastDuration
      var descriptor = FetchDescriptor<Track>(
        predicate: #Predicate { $0.genre == genre && $0.duration > least }, sortBy: [SortDescriptor(\.releaseDate)])
      descriptor.fetchLimit = LibraryAnswers.firstTracks
      for track in try context.fetch(descriptor) { sum = LibraryAnswers.fold(sum, track.word) }
    }
    return sum
  }

  func love(rounds: Int) throws -> UInt64 {
    let least = LibraryAnswers.leastDuration
    var sum: UInt64 = 0
    for _ in 0..<rounds {
      let descriptor = FetchDescriptor<Track>(
        predicate: #Predicate { track in
          // Foundation has no predicate here that searches text in any case. These spellings are
          // all that occur.
          track.duration > least
            && (track.title.contains("love") || track.title.contains("Love") || track.title.contains("LOVE"))
        })
      for track in try context.fetch(descriptor) { sum &+= track.word }
    }
    return sum
  }

  func countGenres() throws -> [Int] {
    try LibraryWords.genres.indices.map { number in
      let genre: String? = String(library.genre(number))
      return try context.fetchCount(FetchDescriptor<Track>(predicate: #Predicate { $0.genre == genre }))
    }
  }

  func averageGenres() throws -> [Int] {
    try context.aggregate(Track.self, .count, .average(\.duration), by: \.genre).flatMap {
      [$0.values.0, Int($0.values.1 ?? 0)]
    }
  }

  func sumPlays() throws -> Int { try context.sum(of: \Track.playCount) }

  func albumTitlesJoined() throws -> UInt64 {
    var descriptor = FetchDescriptor<Track>()
    descriptor.relationshipKeyPathsForPrefetching = [\.album]
    return titles(try context.fetch(descriptor))
  }

  func albumTitlesOneByOne() throws -> UInt64 { titles(try context.fetch(FetchDescriptor<Track>())) }

  private func titles(_ tracks: [Track]) -> UInt64 {
    var sum: UInt64 = 0
    for track in tracks { if let title = track.album?.title { sum &+= TrackRow.word(title) } }
    return sum
  }

  // MARK: Changing

  func setPlayCounts(_ changes: [(row: UInt64, count: Int64)]) throws {
    for change in changes {
      guard let track: Track = try context.existingModel(for: identifiers[Int(change.row) - 1]) else {
        throw missing("G")
      }
      track.playCount = Int(change.count)
    }
    try context.save()
  }

  func deleteAlbums(_ rows: [UInt64]) throws {
    for row in rows {
      guard let album: Album = try context.existingModel(for: albumIdentifiers[Int(row) - 1]) else {
        throw missing("H")
      }
      context.delete(album)
    }
    try context.save()
  }

  func addPlays() throws {
    let least = LibraryAnswers.leastDuration
    try context.update(model: Track.self, where: #Predicate { $0.duration > least }) { $0.playCount += 1 }
  }

  func deleteGenre() throws {
    let genre: String? = String(library.genre(0))
    try context.deleteAll(model: Track.self, where: #Predicate { $0.genre == genre })
  }
}
