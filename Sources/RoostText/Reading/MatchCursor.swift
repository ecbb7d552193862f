import RoostFile

/// The documents of one segment that meet a condition, in ascending order. Subclasses are the kinds of conditions.
class MatchCursor {
  static let end = UInt32.max

  /// The current document, or `end`. It is valid after `advance`.
  final var document: UInt32 = 0
  /// About how many documents there are.
  final let cost: Int

  init(cost: Int) { self.cost = cost }

  /// Moves to the first document that is not below `target`. Targets never become smaller.
  func advance(to target: UInt32) throws(StoreError) { document = Self.end }

  /// The score of the current document, whose length is given.
  func score(length: Double) -> Double { 0 }

  /// No document from `target` to `last` has a score above `bound`.
  func bound(from target: UInt32) throws(StoreError) -> (bound: Double, last: UInt32) { (0, Self.end) }
}

/// Documents that meet all of several conditions.
final class AllCursor: MatchCursor {
  private let parts: [MatchCursor]

  init(_ parts: [MatchCursor]) {
    self.parts = parts.sorted { $0.cost < $1.cost }
    super.init(cost: self.parts[0].cost)
  }

  override func advance(to target: UInt32) throws(StoreError) {
    var target = target
    let lead = parts[0]
    search: while true {
      try lead.advance(to: target)
      target = lead.document
      if target == Self.end { break }
      for place in 1..<parts.count {
        let part = parts[place]
        try part.advance(to: target)
        if part.document != target {
          target = part.document
          if target == Self.end { break search }
          continue search
        }
      }
      break
    }
    document = target
  }

  override func score(length: Double) -> Double {
    var sum = 0.0
    for part in parts { sum += part.score(length: length) }
    return sum
  }

  override func bound(from target: UInt32) throws(StoreError) -> (bound: Double, last: UInt32) {
    var (sum, least) = (0.0, Self.end)
    for part in parts {
      let (bound, last) = try part.bound(from: target)
      (sum, least) = (sum + bound, min(least, last))
    }
    return (sum, least)
  }
}

/// Documents that meet at least one of several conditions.
final class AnyCursor: MatchCursor {
  private let parts: [MatchCursor]

  init(_ parts: [MatchCursor]) {
    self.parts = parts
    super.init(cost: parts.reduce(0) { $0 + $1.cost })
  }

  override func advance(to target: UInt32) throws(StoreError) {
    var least = Self.end
    for part in parts {
      if part.document < target || target == 0 { try part.advance(to: target) }
      if part.document < least { least = part.document }
    }
    document = least
  }

  override func score(length: Double) -> Double {
    var sum = 0.0
    for part in parts where part.document == document { sum += part.score(length: length) }
    return sum
  }

  override func bound(from target: UInt32) throws(StoreError) -> (bound: Double, last: UInt32) {
    var (sum, least) = (0.0, Self.end)
    for part in parts {
      let (bound, last) = try part.bound(from: target)
      (sum, least) = (sum + bound, min(least, last))
    }
    return (sum, least)
  }
}

/// Documents that meet one condition and not another.
final class WithoutCursor: MatchCursor {
  private let wanted: MatchCursor
  private let excluded: MatchCursor

  init(_ wanted: MatchCursor, _ excluded: MatchCursor) {
    self.wanted = wanted
    self.excluded = excluded
    super.init(cost: wanted.cost)
  }

  override func advance(to target: UInt32) throws(StoreError) {
    var target = target
    while true {
      try wanted.advance(to: target)
      document = wanted.document
      if document == Self.end { return }
      try excluded.advance(to: document)
      if excluded.document != document { return }
      target = document + 1
    }
  }

  override func score(length: Double) -> Double { wanted.score(length: length) }

  override func bound(from target: UInt32) throws(StoreError) -> (bound: Double, last: UInt32) {
    try wanted.bound(from: target)
  }
}
