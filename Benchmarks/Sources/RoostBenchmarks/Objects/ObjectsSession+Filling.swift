import Foundation
import Roost

extension ObjectsSession {
  func addShelves() throws {
    var artists: [Artist] = []
    for number in 0..<library.artistCount {
      let artist = Artist(name: String(library.artist(number)))
      context.insert(artist)
      artists.append(artist)
    }
    for number in 0..<library.albumCount {
      let facts = library.album(number)
      let album = Album(title: String(facts.title), artist: artists[Int(facts.artist) - 1])
      context.insert(album)
      albums.append(album)
    }
    try context.save()
  }

  func prepareInserts() throws { try fetchAlbums() }

  private func fetchAlbums() throws {
    if albums.isEmpty { albums = try context.fetch(FetchDescriptor<Album>()) }
  }

  func insert(_ tracks: Range<Int>, perTransaction: Int) throws {
    try fetchAlbums()
    for start in stride(from: tracks.lowerBound, to: tracks.upperBound, by: perTransaction) {
      for number in start..<min(start + perTransaction, tracks.upperBound) {
        let row = library.track(number)
        context.insert(Track(row, albums[Int(row.album) - 1]))
      }
      try context.save()
    }
  }

  func insertBatch(_ tracks: Range<Int>) throws {
    try fetchAlbums()
    try context.insert(batch: tracks) { number in
      let row = library.track(number)
      return Track(row, albums[Int(row.album) - 1])
    }
  }

  func insertEach(_ tracks: Range<Int>) throws { try insert(tracks, perTransaction: 1) }

  /// A model whose unique value another one already has replaces that one.
  func upsert(_ answers: LibraryAnswers, perTransaction: Int) throws {
    try fetchAlbums()
    let tracks = answers.upserts.tracks
    for start in stride(from: 0, to: tracks.count, by: perTransaction) {
      for place in start..<min(start + perTransaction, tracks.count) {
        let row = answers.upserted(tracks[place])
        context.insert(Track(row, albums[Int(row.album) - 1]))
      }
      try context.save()
    }
    albums = []
  }

  // MARK: Children

  func addParents(_ count: Int) throws {
    for number in 0..<count {
      let playlist = Playlist(number: number)
      context.insert(playlist)
      playlists.append(playlist)
    }
    try context.save()
  }

  func append(_ children: [Child]) throws {
    for child in children {
      playlists[Int(child.parent) - 1].entries.append(Entry(name: String(library.track(child.track).title)))
    }
    try context.save()
  }

  func assign(_ children: [Child]) throws {
    var arrays: [[Entry]] = Array(repeating: [], count: playlists.count)
    for child in children {
      arrays[Int(child.parent) - 1].append(Entry(name: String(library.track(child.track).title)))
    }
    for (playlist, entries) in zip(playlists, arrays) { playlist.entries = entries }
    try context.save()
  }
}
