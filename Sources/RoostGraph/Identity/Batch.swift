/// Rows whose objects came together, as by one fetch: what one of them is asked for, the others are asked for next.
///
/// It names the rows and keeps none of their objects. What was read for all of them at once it does keep, because nobody else
/// does until the loop that asks for it comes there.
final class Batch {
  /// The number of the map that stands for all classes of the entity.
  let map: Int
  let rows: [UInt64]
  private let isAscending: Bool
  /// Where the last one was found, and the end of what was read then: loops go on from there.
  @exclusivity(unchecked) private var last = 0
  @exclusivity(unchecked) private var end = 0
  /// Where each row stands, from the first time that it is not to be seen otherwise.
  @exclusivity(unchecked) private var places: [UInt64: Int]?
  private(set) var kept: [any _ModelObject] = []

  /// More objects than this are not kept.
  static let mostKept = 20_000
  /// For so many objects something is read at once.
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

  /// Where a row stands; nil if it is none of these.
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

  /// Calls `body` with rows from a place on, until it took ``width`` of them; where there are less, also with those in front,
  /// for loops that go backwards. Of those that it does not take it sees no more than twice as many.
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

  /// Keeps objects. Where they are too many, those that came first go: it returns them, so that they end after this.
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

  /// The objects that it kept; it keeps none from here on.
  func takeKept() -> [any _ModelObject] { exchange(&kept, with: []) }

  /// Whether one of the rows has an object still. Of many rows some are looked at.
  func isAlive(_ origin: RowOrigin) -> Bool {
    let step = max(1, rows.count / 256)
    return stride(from: 0, to: rows.count, by: step).contains { origin.objects.contains(rows[$0]) }
  }
}

/// The batches of a context: those that were asked for something last.
struct BatchRing {
  private var batches: [Batch] = []

  private static let most = 8
  /// Rows of all of them, but for the newest.
  private static let mostRows = 1 << 20

  /// The newest batch with a row, and where it stands there.
  mutating func find(_ map: Int, _ row: UInt64) -> (batch: Batch, place: Int)? {
    for at in batches.indices.reversed() where batches[at].map == map {
      guard let place = batches[at].place(of: row) else { continue }
      let batch = batches[at]
      if at < batches.count - 1 { batches.append(batches.remove(at: at)) }
      return (batch, place)
    }
    return nil
  }

  /// Adds one. The oldest go: it returns what is not kept any more.
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

  /// The batch at a place, the oldest one at the first; nil behind the newest.
  func batch(_ place: Int) -> Batch? { batches.indices.contains(place) ? batches[place] : nil }

  mutating func remove(_ batch: Batch) { batches.removeAll { $0 === batch } }

  /// The objects that the batches kept; they keep none from here on.
  func takeKept() -> [Any] { batches.compactMap { $0.kept.isEmpty ? nil : $0.takeKept() } }

  /// All batches; there are none from here on.
  mutating func take() -> [Batch] { exchange(&batches, with: []) }
}
