internal import RoostBytes
internal import RoostTrees

/// A sum over the entries of an index that does not depend on their order.
///
/// Rows and indexes are sorted differently. Looking up the row of each entry, and the entry of each
/// row, would read a page for nearly each of them if the store is larger than memory. So both sides
/// are read in their own order, and their sums are compared. Entries are looked up only if the sums
/// differ, to find the wrong ones.
struct IndexPrint: Equatable {
  private(set) var count: UInt64 = 0
  private var sum: UInt64 = 0

  /// Adds an entry: its key, its row, and whether the key ends with the row's number.
  ///
  /// - Parameter valueBytes: the bytes of values in the key.
  mutating func add(_ key: UnsafeRawBufferPointer, _ row: RowID, isAlone: Bool, valueBytes: Int) {
    count += 1
    // The checksum mixes well, but the seeds of neighbouring rows with different forms must not be
    // equal.
    let form = UInt64(valueBytes) << 1 | (isAlone ? 1 : 0)
    sum &+= Checksum.of(key, seed: row.number &* 0x9E37_79B9_7F4A_7C15 ^ form << 48)
  }
}

/// Ascending row numbers as runs.
struct AscendingRuns {
  private var runs: [ClosedRange<UInt64>] = []

  /// Adds a number. Returns false and does nothing unless it is greater than all numbers before.
  mutating func add(_ number: UInt64) -> Bool {
    guard let last = runs.last else {
      runs.append(number...number)
      return true
    }
    if number <= last.upperBound { return false }
    if last.upperBound + 1 == number {
      runs[runs.count - 1] = last.lowerBound...number
    } else {
      runs.append(number...number)
    }
    return true
  }

  func contains(_ number: UInt64) -> Bool {
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].upperBound < number { low = middle + 1 } else { high = middle }
    }
    return low < runs.count && runs[low].lowerBound <= number
  }
}
