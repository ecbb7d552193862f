internal import RoostRecords

/// A place in the history of a container's stores: what they committed up to there is before it, the rest is behind it.
///
/// It can be kept anywhere, as it is coded. Beside the numbers that SwiftData has it knows when the newest commit before it was made. So a
/// place is not taken for another one, where a crash took back the commit that it stood behind, and another one got its number.
///
/// Of two places in the same history the later one is greater.
public struct DefaultHistoryToken: HistoryToken {
  typealias Place = RoostRecords.HistoryPlace

  // Mostly there is one store, and then nothing is allocated.
  private var first: Place?
  /// Sorted by store, as all of them are.
  private var others: [Place] = []
  /// While a predicate asks: the store whose place alone counts.
  private var onlyStore: StoreNumber?

  init(_ place: Place) { first = place }

  init(_ places: [Place]) {
    let sorted = places.sorted { StoreNumber($0) < StoreNumber($1) }
    first = sorted.first
    others = Array(sorted.dropFirst())
  }

  var places: [Place] { first.map { [$0] + others } ?? [] }

  func place(in store: StoreNumber) -> Place? {
    if let first, StoreNumber(first) == store { return first }
    return others.first { StoreNumber($0) == store }
  }

  /// The same place, as the transaction of one store is compared with others.
  func asked(in store: StoreNumber) -> DefaultHistoryToken {
    var asked = self
    asked.onlyStore = store
    return asked
  }

  /// For each store the number of its newest commit before this place.
  public var tokenValue: [String: Int64]? {
    Dictionary(places.map { (StoreNumber($0).text, Int64(clamping: $0.transaction)) }) { first, _ in first }
  }

  /// With one store, the number of its newest commit before this place.
  public var id: Int {
    if others.isEmpty { return first.map { Int(clamping: $0.transaction) } ?? 0 }
    return places.reduce(0) { ($0 &* 1_000_003) ^ Int(truncatingIfNeeded: $1.transaction) }
  }

  // MARK: Order

  public static func == (one: DefaultHistoryToken, other: DefaultHistoryToken) -> Bool {
    if one.onlyStore != nil || other.onlyStore != nil {
      return one.onlyStore != nil ? one.isAsked(as: other) : other.isAsked(as: one)
    }
    return one.first == other.first && one.others == other.others
  }

  /// Whether the transaction that is asked is the one behind which a place stands. A store that the place does not know was not there then.
  private func isAsked(as other: DefaultHistoryToken) -> Bool {
    guard let onlyStore, other.place(in: onlyStore) != nil else { return false }
    return other.places.allSatisfy { known in place(in: StoreNumber(known)).map { $0 == known } ?? true }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(first)
    hasher.combine(others)
  }

  public static func < (one: DefaultHistoryToken, other: DefaultHistoryToken) -> Bool {
    // Of the transaction that is asked the number alone says whether it is before a place, but for the one that the place stands behind.
    if let store = other.onlyStore { return one.number(in: store) < other.number(in: store) }
    if let store = one.onlyStore { return one.number(in: store) <= other.number(in: store) && one != other }
    if one.others.isEmpty, other.others.isEmpty, let place = one.first, let otherPlace = other.first,
      StoreNumber(place) == StoreNumber(otherPlace)
    {
      return (place.transaction, place.stamp) < (otherPlace.transaction, otherPlace.stamp)
    }
    // Of two places in one history none is before the other in one store and behind it in another, so what counts is how far both came.
    let (sum, otherSum) = (one.sum, other.sum)
    if sum != otherSum { return sum < otherSum }
    return one.places.lexicographicallyPrecedes(other.places) {
      (StoreNumber($0), $0.transaction, $0.stamp) < (StoreNumber($1), $1.transaction, $1.stamp)
    }
  }

  private func number(in store: StoreNumber) -> UInt64 { place(in: store)?.transaction ?? 0 }
  private var sum: UInt128 { places.reduce(0) { $0 + UInt128($1.transaction) } }
}

/// What tells a store from all others, as the history has it.
struct StoreNumber: Hashable, Comparable {
  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  init(_ place: RoostRecords.HistoryPlace) { (high, low) = (place.storeHigh, place.storeLow) }

  /// From the 32 digits that name the store.
  init?(_ text: String) {
    guard text.utf8.count == 32, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
      let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
    else { return nil }
    (self.high, self.low) = (high, low)
  }

  var text: String {
    [high, low].map { number in
      let digits = String(number, radix: 16, uppercase: true)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  static func < (one: StoreNumber, other: StoreNumber) -> Bool { (one.high, one.low) < (other.high, other.low) }
}

extension DefaultHistoryToken {
  /// A place in one store, as it is coded: a list, because encoders write the members of an object in any order.
  private struct Coded: Codable {
    var store: String
    var transaction: UInt64
    /// When the newest commit before it was made.
    var stamp: UInt64

    init(store: String, transaction: UInt64, stamp: UInt64) {
      (self.store, self.transaction, self.stamp) = (store, transaction, stamp)
    }

    init(from decoder: any Decoder) throws {
      var values = try decoder.unkeyedContainer()
      store = try values.decode(String.self)
      transaction = try values.decode(UInt64.self)
      stamp = try values.decode(UInt64.self)
    }

    func encode(to encoder: any Encoder) throws {
      var values = encoder.unkeyedContainer()
      try values.encode(store)
      try values.encode(transaction)
      try values.encode(stamp)
    }
  }

  private enum CodingKeys: String, CodingKey { case stores }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let coded = try values.decode([Coded].self, forKey: .stores)
    var stores: Set<StoreNumber> = []
    let places = try coded.map { one in
      guard let store = StoreNumber(one.store), stores.insert(store).inserted else {
        throw DecodingError.dataCorruptedError(
          forKey: .stores, in: values, debugDescription: "\"\(one.store)\" names no store, or one that was named before"
        )
      }
      return Place(
        storeHigh: store.high, storeLow: store.low, transaction: one.transaction, stamp: HybridTime(bits: one.stamp))
    }
    self.init(places)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    let coded = places.map {
      Coded(store: StoreNumber($0).text, transaction: $0.transaction, stamp: $0.stamp.bits)
    }
    try values.encode(coded, forKey: .stores)
  }
}
