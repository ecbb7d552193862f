/// Rows whose objects were made together, for example by one fetch. When the program reads one
/// object, it will probably read the others next.
///
/// A batch stores row numbers and does not keep the objects. It does keep objects that were read
/// ahead for all of them, until the program's loop reaches them.
final class Batch {
  /// The number of the entity's home map.
  let map: Int
  let rows: [UInt64]
  private let isAscending: Bool
  /// The place of the last row that was found, and the end of the rows that were read then. Loops
  /// continue there.
  @exclusivity(unchecked) private var last = 0
  @exclusivity(unchecked) private var end = 0
  /// The place of each row, made when a search needs it.
  @exclusivity(unchecked) private var places: [UInt64: Int]?
  private(set) var kept: [any _ModelObject] = []

  /// The limit on the kept objects.
  static let mostKept = 20_000
  /// The number of objects for which one read looks ahead.
  static let width = 1000

  init(_ map: Int, _ rows: [UInt64]) {
    self.map = map
    self.rows = rows
    var before: UInt64 = 0
    var isAscending = true
    for row in rows {
      if row <= before {
        isAscending = false
        break
      }
      before = row
    }
    self.isAscending = isAscending
  }

  var count: Int { rows.count }

  /// The place of a row; nil if it is not in the batch.
  func place(of row: UInt64) -> Int? {
    for guess in [last, last + 1, end, end - 1] where rows.indices.contains(guess) && rows[guess] == row {
      last = guess
      return guess
    }
    guard let found = isAscending ? search(row) : lookUp(row) else { return nil }
    last = found
    return found
  }

  private func search(_ row: UInt64) -> Int? {
    var (low, high) = (0, rows.count)
    while low < high {
      let middle = (low + high) / 2
      if rows[middle] < row { low = middle + 1 } else { high = middle }
    }
    return low < rows.count && rows[low] == row ? low : nil
  }

  private func lookUp(_ row: UInt64) -> Int? {
    if places == nil {
      places = Dictionary(rows.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
    }
    return places?[row]
  }

  /// Calls `body` with rows from `place` on, until it took ``width`` of them. If there are fewer,
  /// it continues with the rows before `place`, for loops that run backwards. It stops after twice
  /// as many rows were not taken.
  func around(_ place: Int, _ body: (UInt64) throws -> Bool) rethrows {
    var (taken, refused) = (0, 0)
    var at = place
    while at < rows.count, taken < Self.width, refused <= 2 * Self.width {
      if try body(rows[at]) { taken += 1 } else { refused += 1 }
      at += 1
    }
    end = at
    at = place
    refused = 0
    while at > 0, taken < Self.width, refused <= 2 * Self.width {
      at -= 1
      if try body(rows[at]) { taken += 1 } else { refused += 1 }
    }
  }

  /// Keeps objects. If there are too many, it removes the first ones and returns them, so that they
  /// are released after this call.
  func keep(_ objects: [any _ModelObject]) -> [any _ModelObject] {
    kept += objects
    return makeRoom()
  }

  func keep(_ object: any _ModelObject) -> [any _ModelObject] {
    kept.append(object)
    return makeRoom()
  }

  private func makeRoom() -> [any _ModelObject] {
    if kept.count <= Self.mostKept { return [] }
    let all = exchange(&kept, with: [])
    kept = Array(all.suffix(Self.mostKept / 2))
    return all
  }

  /// Removes and returns the kept objects.
  func takeKept() -> [any _ModelObject] { exchange(&kept, with: []) }

  /// Whether a row still has an object. Of many rows it checks about 256.
  func isAlive(_ origin: RowOrigin) -> Bool {
    let step = max(1, rows.count / 256)
    return stride(from: 0, to: rows.count, by: step).contains { origin.objects.contains(rows[$0]) }
  }
}

/// The batches of a context, ordered by their last use.
struct BatchRing {
  private var batches: [Batch] = []

  private static let most = 8
  /// The limit on the rows of all batches except the newest.
  private static let mostRows = 1 << 20

  /// The newest batch with a row, and the row's place in it.
  mutating func find(_ map: Int, _ row: UInt64) -> (batch: Batch, place: Int)? {
    for at in batches.indices.reversed() where batches[at].map == map {
      guard let place = batches[at].place(of: row) else { continue }
      let batch = batches[at]
      if at < batches.count - 1 { batches.append(batches.remove(at: at)) }
      return (batch, place)
    }
    return nil
  }

  /// Adds a batch. It drops the oldest ones and returns them.
  mutating func add(_ batch: Batch) -> [Any] {
    if batch.count < 2 { return [] }
    batches.append(batch)
    var dropped: [Any] = []
    var rows = batches.reduce(0) { $0 + $1.count }
    while batches.count > Self.most || (rows > Self.mostRows && batches.count > 1) {
      let oldest = batches.removeFirst()
      rows -= oldest.count
      dropped.append(oldest)
    }
    for one in batches.dropLast(3) where !one.kept.isEmpty { dropped.append(one.takeKept()) }
    return dropped
  }

  var isEmpty: Bool { batches.isEmpty }

  /// The batch at a place, from the oldest on; nil after the newest.
  func batch(_ place: Int) -> Batch? { batches.indices.contains(place) ? batches[place] : nil }

  mutating func remove(_ batch: Batch) { batches.removeAll { $0 === batch } }

  /// Removes and returns the kept objects of all batches.
  func takeKept() -> [Any] { batches.compactMap { $0.kept.isEmpty ? nil : $0.takeKept() } }

  /// Removes and returns all batches.
  mutating func take() -> [Batch] { exchange(&batches, with: []) }
}
