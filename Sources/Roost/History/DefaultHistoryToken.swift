internal import RoostRecords

/// A place in the history of a container's stores. Their earlier commits are before it, and later
/// commits are after it.
///
/// Store it in its coded form anywhere. SwiftData's token has only numbers. This one also has the
/// time of the newest commit before it. So Roost detects that a crash undid that commit and another
/// commit got its number.
///
/// Of two tokens in one history, the later one is greater.
public struct DefaultHistoryToken: HistoryToken {
  typealias Place = RoostRecords.HistoryPlace

  // Most containers have one store; then nothing is allocated.
  private var first: Place?
  /// All other places, sorted by store.
  private var others: [Place] = []
  /// The only store whose place counts while a predicate is evaluated.
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

  /// Returns this token for comparisons with the transactions of one store.
  func asked(in store: StoreNumber) -> DefaultHistoryToken {
    var asked = self
    asked.onlyStore = store
    return asked
  }

  /// The number of each store's newest commit before this place.
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

  /// Whether the transaction of one token is the one directly before the other token. A store that
  /// a token does not know did not exist then.
  private func isAsked(as other: DefaultHistoryToken) -> Bool {
    guard let onlyStore, other.place(in: onlyStore) != nil else { return false }
    return other.places.allSatisfy { known in place(in: StoreNumber(known)).map { $0 == known } ?? true }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(first)
    hasher.combine(others)
  }

  public static func < (one: DefaultHistoryToken, other: DefaultHistoryToken) -> Bool {
    // The number alone says whether a transaction is before a place, except for the transaction
    // directly before it.
    if let store = other.onlyStore { return one.number(in: store) < other.number(in: store) }
    if let store = one.onlyStore { return one.number(in: store) <= other.number(in: store) && one != other }
    if one.others.isEmpty, other.others.isEmpty, let place = one.first, let otherPlace = other.first,
      StoreNumber(place) == StoreNumber(otherPlace)
    {
      return (place.transaction, place.stamp) < (otherPlace.transaction, otherPlace.stamp)
    }
    // In one history, no token is earlier in one store and later in another, so the sums decide.
    let (sum, otherSum) = (one.sum, other.sum)
    if sum != otherSum { return sum < otherSum }
    return one.places.lexicographicallyPrecedes(other.places) {
      (StoreNumber($0), $0.transaction, $0.stamp) < (StoreNumber($1), $1.transaction, $1.stamp)
    }
  }

  private func number(in store: StoreNumber) -> UInt64 { place(in: store)?.transaction ?? 0 }
  private var sum: UInt128 { places.reduce(0) { $0 + UInt128($1.transaction) } }
}

/// The number of a store in the history.
struct StoreNumber: Hashable, Comparable {
  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  init(_ place: RoostRecords.HistoryPlace) { (high, low) = (place.storeHigh, place.storeLow) }

  /// Makes the number from the 32 digits of a store's name.
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
  /// The coded form of a place in one store. Tokens have an array of them, because encoders write
  /// the members of an object in any order.
  private struct Coded: Codable {
    var store: String
    var transaction: UInt64
    /// The time of the newest commit before the place.
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
