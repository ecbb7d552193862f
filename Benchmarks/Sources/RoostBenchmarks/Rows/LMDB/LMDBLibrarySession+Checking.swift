import CLMDB

/// What tells whether all entries are there.
extension LMDBLibrarySession {
  func indexCounts() throws -> [Int] {
    var counts: [Int] = []
    try read { transaction in
      for database in [databases.ids, databases.genres, databases.dates, databases.tracksOfAlbums] {
        var statistics = MDB_stat()
        try LMDB.check(mdb_stat(transaction, database, &statistics), "mdb_stat")
        counts.append(statistics.ms_entries)
      }
    }
    return counts
  }

  func dateOrder() throws -> UInt64 {
    var sum: UInt64 = 0
    try read { try each($0, databases.dates) { sum = LibraryAnswers.fold(sum, $1.word) } }
    return sum
  }

  func childDigest() throws -> UInt64 {
    var sum: UInt64 = 0
    try read { transaction in
      try each(transaction, databases.childrenOfParents) { _, row in
        let child = try get(transaction, databases.children, row)
        let name = UnsafeRawBufferPointer(start: child.mv_data + 16, count: child.mv_size - 16)
        sum = LibraryAnswers.fold(sum, TrackRow.word(name))
      }
    }
    return sum
  }
}
