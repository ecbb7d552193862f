/// Counts the losses of a salvage by kind, with the first few rows of each.
struct SalvageTally {
  private static let mostNamed = 8

  private struct Kind {
    var count = 0
    var named: [String] = []
  }

  /// In the order in which they were first found.
  private var order: [String] = []
  private var kinds: [String: Kind] = [:]

  private(set) var count = 0
  var isEmpty: Bool { order.isEmpty }

  /// Adds one loss of a kind; `named` identifies it.
  mutating func add(_ sentence: String, _ named: String? = nil) {
    if kinds[sentence] == nil { order.append(sentence) }
    count += 1
    kinds[sentence, default: Kind()].count += 1
    if let named, kinds[sentence, default: Kind()].named.count < Self.mostNamed {
      kinds[sentence, default: Kind()].named.append(named)
    }
  }

  mutating func join(_ other: SalvageTally) {
    count += other.count
    for sentence in other.order {
      if kinds[sentence] == nil { order.append(sentence) }
      let theirs = other.kinds[sentence] ?? Kind()
      var own = kinds[sentence] ?? Kind()
      own.count += theirs.count
      own.named = Array((own.named + theirs.named).prefix(Self.mostNamed))
      kinds[sentence] = own
    }
  }

  var sentences: [String] {
    order.map { sentence in
      guard let kind = kinds[sentence], !kind.named.isEmpty else { return sentence }
      let rest = kind.count > kind.named.count ? ", ..." : ""
      return "\(sentence): \(kind.count) (\(kind.named.joined(separator: ", "))\(rest))"
    }
  }
}

extension SalvageTally {
  /// The sentence about a row that is left out because another one has the same unique values.
  static func rival(_ entity: Entity, isValueLost: Bool) -> String {
    isValueLost
      ? "rows of \(entity.name) are left out because a value that must be unique is lost"
      : "rows of \(entity.name) with unique values that another row has"
  }
}
