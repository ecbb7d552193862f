extension HistoryNotes.Note {
  /// Sorts notes by entity and row. Notes of one row keep their order.
  ///
  /// A radix sort by bytes, from the last to the first, which skips bytes that are equal in all
  /// notes. Row numbers of a transaction differ in few bytes, and no two notes are compared.
  static func sort(_ notes: UnsafeMutableBufferPointer<Self>) {
    guard let start = notes.baseAddress, notes.count > 1 else { return }
    var (rows, entities): (UInt64, UInt32) = (0, 0)
    for note in notes {
      rows |= note.row ^ start.pointee.row
      entities |= note.entity ^ start.pointee.entity
    }
    let count = notes.count
    let other = UnsafeMutablePointer<Self>.allocate(capacity: count)
    defer { other.deallocate() }
    other.initialize(from: start, count: count)
    var (from, to) = (start, other)
    func pass(_ digit: (Self) -> Int) {
      withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { starts in
        starts.initialize(repeating: 0)
        for index in 0..<count { starts[digit(from[index])] &+= 1 }
        var sum = 0
        for value in 0..<256 { (starts[value], sum) = (sum, sum &+ starts[value]) }
        for index in 0..<count {
          let value = digit(from[index])
          to[starts[value]] = from[index]
          starts[value] &+= 1
        }
      }
      swap(&from, &to)
    }
    for shift in stride(from: UInt64(0), to: 64, by: 8) where rows &>> shift & 255 != 0 {
      pass { Int(truncatingIfNeeded: $0.row &>> shift & 255) }
    }
    for shift in stride(from: UInt32(0), to: 32, by: 8) where entities &>> shift & 255 != 0 {
      pass { Int(truncatingIfNeeded: $0.entity &>> shift & 255) }
    }
    if from != start { start.update(from: from, count: count) }
  }
}
