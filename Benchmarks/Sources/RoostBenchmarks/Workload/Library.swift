/// The music library with which the rows suite fills stores: artists, albums and tracks, all
/// determined by the seed.
///
/// The library has `size` tracks. Half as many more follow, for operations that add tracks. Row
/// numbers begin with 1: track `i` has row `i + 1`.
final class Library: Sendable {
  let size: Int
  let trackCount: Int
  let artistCount: Int
  let albumCount: Int
  private let facts: [Facts]
  private let albumFacts: [AlbumFacts]
  private let artistTexts: [Piece]
  private let genreTexts: [Piece]
  private let texts: ByteBlock
  private let ids: ByteBlock

  static let idLength = 36

  private struct Piece {
    var offset: UInt32
    var count: UInt32
  }

  private struct AlbumFacts {
    var title: Piece
    var artist: UInt32
  }

  private struct Facts {
    var title: Piece
    var duration: Double
    var releaseDate: Double
    var playCount: Int64
    var album: UInt32
    /// The last number means nil.
    var genre: UInt8
    var isExplicit: Bool
  }

  init(size: Int) {
    self.size = size
    trackCount = size + size / 2
    artistCount = max(1, size / 20)
    albumCount = max(1, size / 10)
    var random = SplitMix64()
    var text: [UInt8] = []
    func piece(_ body: (inout [UInt8], inout SplitMix64) -> Void) -> Piece {
      let start = text.count
      body(&text, &random)
      return Piece(offset: UInt32(start), count: UInt32(text.count - start))
    }
    genreTexts = LibraryWords.genres.map { name in piece { text, _ in text += name.utf8 } }
    artistTexts = (0..<artistCount).map { number in
      piece { text, random in
        text += "The ".utf8
        for _ in 0..<2 {
          text += LibraryWords.titles[random.next(below: LibraryWords.titles.count)].bytes
          text.append(0x20)
        }
        text += "\(number)".utf8
      }
    }
    albumFacts = (0..<albumCount).map { [artistCount] _ in
      AlbumFacts(title: piece(LibraryWords.appendTitle), artist: UInt32(random.next(below: artistCount)))
    }
    facts = (0..<trackCount).map { [albumCount] number in
      Facts(
        title: piece(LibraryWords.appendTitle),
        duration: Double(60_000 + random.next(below: 420_001)) / 1000,
        // No two tracks have the same date, so the order is unique. The fraction is exact.
        releaseDate: Double(random.next(below: 2_051_222_400) - 1_293_840_000) + Double(number) / 2_097_152,
        playCount: Int64(random.next(below: 1_000)), album: UInt32(random.next(below: albumCount)),
        genre: UInt8(random.next(below: LibraryWords.genres.count + 1)), isExplicit: random.next(below: 100) < 15)
    }
    texts = ByteBlock(count: text.count) { $0.copyBytes(from: text) }
    ids = StringRows.keyBlock(count: trackCount)
  }

  @inline(__always)
  private func bytes(_ piece: Piece) -> UnsafeRawBufferPointer {
    texts.bytes(at: Int(piece.offset), count: Int(piece.count))
  }

  @inline(__always)
  func id(_ track: Int) -> UnsafeRawBufferPointer { ids.bytes(at: track * Self.idLength, count: Self.idLength) }

  @inline(__always)
  func genre(_ number: Int) -> UnsafeRawBufferPointer { bytes(genreTexts[number]) }

  @inline(__always)
  func track(_ number: Int) -> TrackRow {
    let facts = facts[number]
    return TrackRow(
      id: id(number), title: bytes(facts.title), artist: artist(Int(albumFacts[Int(facts.album)].artist)),
      album: UInt64(facts.album) + 1, duration: facts.duration,
      genre: Int(facts.genre) < genreTexts.count ? bytes(genreTexts[Int(facts.genre)]) : nil,
      releaseDate: facts.releaseDate, playCount: facts.playCount, isExplicit: facts.isExplicit)
  }

  /// The genre of a track; nil for none.
  func genreNumber(_ track: Int) -> Int? {
    let number = Int(facts[track].genre)
    return number < genreTexts.count ? number : nil
  }

  func artist(_ number: Int) -> UnsafeRawBufferPointer { bytes(artistTexts[number]) }

  /// An album's title, and the number of its artist's row.
  func album(_ number: Int) -> (title: UnsafeRawBufferPointer, artist: UInt64) {
    (bytes(albumFacts[number].title), UInt64(albumFacts[number].artist) + 1)
  }
}
