/// Checks whether all entries exist.
extension SpacesSession {
  func indexCounts() throws -> [Int] {
    var found: [Int] = []
    try read { transaction in
      found = try [spaces.ids, spaces.genres, spaces.dates, spaces.tracksOfAlbums].map { try count(transaction, $0) }
    }
    return found
  }

  func dateOrder() throws -> UInt64 {
    var sum: UInt64 = 0
    try read { transaction in
      try eachEntry(transaction, spaces.dates) { row in
        sum = LibraryAnswers.fold(sum, row)
        return true
      }
    }
    return sum
  }

  func childDigest() throws -> UInt64 {
    var sum: UInt64 = 0
    try read { transaction in
      try eachName(transaction, spaces.childrenOfParents) { row in
        try withRecord(transaction, spaces.children, row) { child in
          let name = UnsafeRawBufferPointer(start: child.baseAddress! + 16, count: child.count - 16)
          sum = LibraryAnswers.fold(sum, TrackRow.word(name))
        }
      }
    }
    return sum
  }
}
