internal import RoostBytes
internal import RoostTrees

/// What an index has, or must have, as one number that does not depend on the order of its entries.
///
/// Rows and indexes stand in different orders. To look each entry's row up, and each row's entry, reads a page for nearly
/// each of them where the store is larger than memory. So both sides are walked in their own order, and their sums are
/// compared. Entries are looked up only where these differ, to tell which are wrong.
struct IndexPrint: Equatable {
  private(set) var count: UInt64 = 0
  private var sum: UInt64 = 0

  /// Adds an entry: its key, its row, and the form in which it names the row.
  ///
  /// - Parameter valueBytes: the bytes of values in the key.
  mutating func add(_ key: UnsafeRawBufferPointer, _ row: RowID, isAlone: Bool, valueBytes: Int) {
    count += 1
    // The checksum mixes well; seeds that differ by their form must not meet for neighbouring rows.
    let form = UInt64(valueBytes) << 1 | (isAlone ? 1 : 0)
    sum &+= Checksum.of(key, seed: row.number &* 0x9E37_79B9_7F4A_7C15 ^ form << 48)
  }
}

/// Row numbers, ascending as they were added, as runs.
struct AscendingRuns {
  private var runs: [ClosedRange<UInt64>] = []

  /// Adds a number; false, and nothing happens, unless it is greater than all before.
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
