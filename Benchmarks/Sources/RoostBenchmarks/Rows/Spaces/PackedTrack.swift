/// The record of a track in the value of a key, made for these operations.
///
/// ## Layout
/// ```
/// 0   u64 album | f64 duration | f64 date | i64 play count
/// 32  u8 1 explicit, 2 genre is nil | u8 genre length | u16 title length | u16 artist length
/// 38  id (36 bytes) | title | artist | genre
/// ```
enum PackedTrack {
  private static let texts = 38

  static func byteCount(_ track: TrackRow) -> Int {
    texts + Library.idLength + track.title.count + track.artist.count + (track.genre?.count ?? 0)
  }

  static func write(_ track: TrackRow, to memory: UnsafeMutableRawPointer) {
    memory.storeBytes(of: track.album, toByteOffset: 0, as: UInt64.self)
    memory.storeBytes(of: track.duration, toByteOffset: 8, as: Double.self)
    memory.storeBytes(of: track.releaseDate, toByteOffset: 16, as: Double.self)
    memory.storeBytes(of: track.playCount, toByteOffset: 24, as: Int64.self)
    let flags: UInt8 = (track.isExplicit ? 1 : 0) | (track.genre == nil ? 2 : 0)
    memory.storeBytes(of: flags, toByteOffset: 32, as: UInt8.self)
    memory.storeBytes(of: UInt8(track.genre?.count ?? 0), toByteOffset: 33, as: UInt8.self)
    memory.storeBytes(of: UInt16(track.title.count), toByteOffset: 34, as: UInt16.self)
    memory.storeBytes(of: UInt16(track.artist.count), toByteOffset: 36, as: UInt16.self)
    var target = memory + texts
    append(track.id, &target)
    append(track.title, &target)
    append(track.artist, &target)
    if let genre = track.genre { append(genre, &target) }
  }

  @inline(__always)
  private static func append(_ text: UnsafeRawBufferPointer, _ target: inout UnsafeMutableRawPointer) {
    target.copyMemory(from: text.baseAddress!, byteCount: text.count)
    target += text.count
  }

  static func setPlayCount(_ count: Int64, in memory: UnsafeMutableRawPointer) {
    memory.storeBytes(of: count, toByteOffset: 24, as: Int64.self)
  }

  @inline(__always)
  static func album(_ record: UnsafeRawBufferPointer) -> UInt64 { record.baseAddress!.loadUnaligned(as: UInt64.self) }

  @inline(__always)
  static func duration(_ record: UnsafeRawBufferPointer) -> Double {
    record.baseAddress!.loadUnaligned(fromByteOffset: 8, as: Double.self)
  }

  @inline(__always)
  static func title(_ record: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let memory = record.baseAddress!
    let count = Int(memory.loadUnaligned(fromByteOffset: 34, as: UInt16.self))
    return UnsafeRawBufferPointer(start: memory + texts + Library.idLength, count: count)
  }

  @inline(__always)
  static func read(_ record: UnsafeRawBufferPointer) -> TrackRow {
    let memory = record.baseAddress!
    let flags = memory.load(fromByteOffset: 32, as: UInt8.self)
    let title = Int(memory.loadUnaligned(fromByteOffset: 34, as: UInt16.self))
    let artist = Int(memory.loadUnaligned(fromByteOffset: 36, as: UInt16.self))
    let start = memory + texts
    let genre = UnsafeRawBufferPointer(
      start: start + Library.idLength + title + artist, count: Int(memory.load(fromByteOffset: 33, as: UInt8.self)))
    return TrackRow(
      id: UnsafeRawBufferPointer(start: start, count: Library.idLength),
      title: UnsafeRawBufferPointer(start: start + Library.idLength, count: title),
      artist: UnsafeRawBufferPointer(start: start + Library.idLength + title, count: artist),
      album: memory.loadUnaligned(as: UInt64.self), duration: memory.loadUnaligned(fromByteOffset: 8, as: Double.self),
      genre: flags & 2 != 0 ? nil : genre, releaseDate: memory.loadUnaligned(fromByteOffset: 16, as: Double.self),
      playCount: memory.loadUnaligned(fromByteOffset: 24, as: Int64.self), isExplicit: flags & 1 != 0)
  }
}
