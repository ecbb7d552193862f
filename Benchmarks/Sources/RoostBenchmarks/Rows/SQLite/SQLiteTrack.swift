import CSQLite

/// A track in a statement: bound to its first nine parameters, or read from its first nine columns.
extension OpaquePointer {
  // A binding without a destructor borrows the bytes: they outlive the step.

  @inline(__always)
  func bind(_ place: Int32, _ text: UnsafeRawBufferPointer) {
    sqlite3_bind_text(self, place, text.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(text.count), nil)
  }

  @inline(__always)
  func bind(_ track: TrackRow) {
    bind(1, track.id)
    bind(2, track.title)
    bind(3, track.artist)
    sqlite3_bind_int64(self, 4, Int64(track.album))
    sqlite3_bind_double(self, 5, track.duration)
    if let genre = track.genre { bind(6, genre) } else { sqlite3_bind_null(self, 6) }
    sqlite3_bind_double(self, 7, track.releaseDate)
    sqlite3_bind_int64(self, 8, track.playCount)
    sqlite3_bind_int64(self, 9, track.isExplicit ? 1 : 0)
  }

  /// A column's bytes, borrowed until the next step.
  @inline(__always)
  func text(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = UnsafeRawPointer(sqlite3_column_text(self, column))
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(self, column)))
  }

  @inline(__always)
  var track: TrackRow {
    TrackRow(
      id: text(0), title: text(1), artist: text(2), album: UInt64(bitPattern: sqlite3_column_int64(self, 3)),
      duration: sqlite3_column_double(self, 4), genre: sqlite3_column_type(self, 5) == SQLITE_NULL ? nil : text(5),
      releaseDate: sqlite3_column_double(self, 6), playCount: sqlite3_column_int64(self, 7),
      isExplicit: sqlite3_column_int64(self, 8) != 0)
  }
}
