/// The queries of the operations and their right answers: computed from the library alone, each
/// part once.
final class LibraryAnswers {
  let library: Library
  /// Whether a track is read with its album's number. Objects have an album instead of a number.
  let hasAlbums: Bool
  static let leastDuration = 180.0
  static let firstTracks = 100
  static let dateQueries = 100
  static let loveRounds = 20
  static let sumRounds = 10
  static let chunk = 100

  init(_ library: Library, hasAlbums: Bool = true) {
    self.library = library
    self.hasAlbums = hasAlbums
  }

  /// A track as it is read.
  @inline(__always)
  private func track(_ number: Int) -> TrackRow {
    var track = library.track(number)
    if !hasAlbums { track.album = 0 }
    return track
  }

  var size: Int { library.size }

  // MARK: Filling

  func digest(_ tracks: Range<Int>) -> TrackDigest {
    var digest = TrackDigest()
    for number in tracks { digest.add(UInt64(number) + 1, track(number)) }
    return digest
  }

  private(set) lazy var whole = digest(0..<library.size)

  /// The rows of the first tracks in the order of their dates.
  func dateOrder(_ tracks: Range<Int>) -> UInt64 {
    let order = tracks.sorted { library.track($0).releaseDate < library.track($1).releaseDate }
    return order.reduce(0) { Self.fold($0, UInt64($1) + 1) }
  }

  private(set) lazy var wholeDateOrder = dateOrder(0..<library.size)

  @inline(__always)
  static func fold(_ sum: UInt64, _ word: UInt64) -> UInt64 { sum &* 0xD134_2543_DE82_EF95 &+ word }

  // MARK: Reading

  var firstTrack: UInt64 { track(0).word }

  private(set) lazy var titlesAndDurations: UInt64 = (0..<size).reduce(0) { sum, number in
    let track = library.track(number)
    return sum &+ TrackRow.join(TrackRow.word(track.title), track.duration.bitPattern)
  }

  /// Random tracks by the numbers of their rows.
  private(set) lazy var rows: (asked: [UInt64], sum: UInt64) = {
    var random = SplitMix64(seed: 1)
    let tracks = (0..<size).map { _ in random.next(below: size) }
    return (tracks.map { UInt64($0) + 1 }, tracks.reduce(0) { $0 &+ track($1).word })
  }()

  /// The tracks of ``rows`` in pieces, each for one snapshot of a reader.
  private(set) lazy var chunks: [(asked: [UInt64], sum: UInt64)] = stride(
    from: 0, to: size - Self.chunk + 1, by: Self.chunk
  ).map { start in
    let asked = Array(rows.asked[start..<start + Self.chunk])
    return (asked, asked.reduce(0) { $0 &+ track(Int($1) - 1).word })
  }

  /// Random tracks by their ids, which are in the order of the queries.
  private(set) lazy var ids: (asked: IDList, sum: UInt64) = {
    var random = SplitMix64(seed: 2)
    let tracks = (0..<size).map { _ in random.next(below: size) }
    return (IDList(tracks, library), tracks.reduce(0) { $0 &+ track($1).word })
  }()

  /// One query by genre and duration, in the order of dates, for each genre in turn.
  private(set) lazy var firstByDate: UInt64 = {
    let order = (0..<size).sorted { library.track($0).releaseDate < library.track($1).releaseDate }
    let perGenre = LibraryWords.genres.indices.map { genre in
      order.lazy.filter { [library] in
        library.genreNumber($0) == genre && library.track($0).duration > Self.leastDuration
      }.prefix(Self.firstTracks).map { self.track($0).word }
    }
    var sum: UInt64 = 0
    for query in 0..<Self.dateQueries {
      for word in perGenre[query % perGenre.count] { sum = Self.fold(sum, word) }
    }
    return sum
  }()

  private(set) lazy var love: UInt64 = {
    var sum: UInt64 = 0
    for number in 0..<size {
      let track = self.track(number)
      if track.duration > Self.leastDuration, LibraryWords.hasLove(track.title) { sum &+= track.word }
    }
    return sum &* UInt64(Self.loveRounds)
  }()

  private(set) lazy var genreCounts = LibraryWords.genres.indices.map { genre in
    (0..<size).count { library.genreNumber($0) == genre }
  }

  private(set) lazy var genreAverages: [Int] = {
    var totals = [(count: Int, duration: Double)](repeating: (0, 0), count: LibraryWords.genres.count + 1)
    for number in 0..<size {
      let genre = library.genreNumber(number).map { $0 + 1 } ?? 0
      totals[genre].count += 1
      totals[genre].duration += library.track(number).duration
    }
    return totals.filter { $0.count > 0 }.flatMap { [$0.count, Int($0.duration / Double($0.count))] }
  }()

  private(set) lazy var playSum = (0..<size).reduce(0) { $0 + Int(library.track($1).playCount) }

  private(set) lazy var albumTitles: UInt64 = (0..<size).reduce(0) { sum, track in
    sum &+ TrackRow.word(library.album(Int(library.track(track).album) - 1).title)
  }

  // MARK: Changing

  /// Random tracks, each once, with their new counts, and the digest afterwards.
  private(set) lazy var plays: (changes: [(row: UInt64, count: Int64)], digest: TrackDigest) = {
    let changes = shuffled(size, seed: 3).prefix(size / 10).enumerated().map {
      (row: UInt64($0.element) + 1, count: Int64($0.offset) + 1_000)
    }
    let counts = Dictionary(uniqueKeysWithValues: changes.map { ($0.row, $0.count) })
    var digest = TrackDigest()
    for number in 0..<size {
      var track = self.track(number)
      if let count = counts[UInt64(number) + 1] { track.playCount = count }
      digest.add(UInt64(number) + 1, track)
    }
    return (changes, digest)
  }()

  /// Albums to delete with their tracks, and the digest of the rest.
  private(set) lazy var deletions: (albums: [UInt64], digest: TrackDigest) = {
    let albums = shuffled(library.albumCount, seed: 4).prefix(size / 100).map { UInt64($0) + 1 }
    let gone = Set(albums)
    var digest = TrackDigest()
    for number in 0..<size {
      if gone.contains(library.track(number).album) { continue }
      digest.add(UInt64(number) + 1, track(number))
    }
    return (Array(albums), digest)
  }()

  /// The tracks after those longer than the limit were played once more.
  private(set) lazy var playsTogether: TrackDigest = {
    var digest = TrackDigest()
    for number in 0..<size {
      var track = self.track(number)
      if track.duration > Self.leastDuration { track.playCount += 1 }
      digest.add(UInt64(number) + 1, track)
    }
    return digest
  }()

  /// The tracks without those of the first genre.
  private(set) lazy var deletionsTogether: TrackDigest = {
    var digest = TrackDigest()
    for number in 0..<size where library.genreNumber(number) != 0 { digest.add(UInt64(number) + 1, track(number)) }
    return digest
  }()

  /// As many tracks as the library has. Half of them are in it, and get one more play.
  private(set) lazy var upserts: (tracks: [Int], digest: TrackDigest) = {
    let tracks = shuffled(size, seed: 5).map { $0 + size / 2 }
    var digest = TrackDigest()
    for number in 0..<size / 2 { digest.add(0, track(number)) }
    for number in size / 2..<size / 2 + size { digest.add(0, upsertedAsRead(number)) }
    return (tracks, digest)
  }()

  /// A track in an upsert.
  @inline(__always)
  func upserted(_ number: Int) -> TrackRow {
    var track = library.track(number)
    track.playCount += 1
    return track
  }

  private func upsertedAsRead(_ number: Int) -> TrackRow {
    var track = self.track(number)
    track.playCount += 1
    return track
  }

  private func shuffled(_ count: Int, seed: UInt64) -> [Int] {
    var random = SplitMix64(seed: seed)
    var numbers = Array(0..<count)
    for index in numbers.indices.dropLast() {
      numbers.swapAt(index, index + random.next(below: count - index))
    }
    return numbers
  }

  // MARK: Children

  /// For each child in turn, the row of its parent, from 1 on, and its position among the parent's
  /// children.
  private(set) lazy var children: (list: [Child], parents: Int, digest: UInt64) = {
    let parents = max(1, size / 100)
    var random = SplitMix64(seed: 6)
    var counts = [Int64](repeating: 0, count: parents)
    var list: [Child] = []
    for number in 0..<size {
      let parent = random.next(below: parents)
      list.append(Child(parent: UInt64(parent) + 1, position: counts[parent], track: number))
      counts[parent] += 1
    }
    let order = list.sorted { ($0.parent, $0.position) < ($1.parent, $1.position) }
    return (list, parents, order.reduce(0) { Self.fold($0, TrackRow.word(library.track($1.track).title)) })
  }()
}

/// One element of a parent's array; its name is the title of a track.
struct Child {
  var parent: UInt64
  var position: Int64
  var track: Int
}

/// Ids to look up, copied in the order of the look-ups, so that reading an id costs no cache miss.
struct IDList: Sendable {
  let count: Int
  private let block: ByteBlock

  init(_ tracks: [Int], _ library: Library) {
    count = tracks.count
    block = ByteBlock(count: tracks.count * Library.idLength) { bytes in
      for (place, track) in tracks.enumerated() {
        let start = place * Library.idLength
        UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + Library.idLength]).copyMemory(
          from: library.id(track))
      }
    }
  }

  @inline(__always)
  subscript(_ place: Int) -> UnsafeRawBufferPointer {
    block.bytes(at: place * Library.idLength, count: Library.idLength)
  }
}
