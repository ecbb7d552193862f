/// What a salvage of rows found lost, counted by kind, with the first few rows of each.
struct SalvageTally {
  private static let mostNamed = 8

  private struct Kind {
    var count = 0
    var named: [String] = []
  }

  /// In the order in which they were met first.
  private var order: [String] = []
  private var kinds: [String: Kind] = [:]

  private(set) var count = 0
  var isEmpty: Bool { order.isEmpty }

  /// Adds one of a kind; `named` says which.
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
  /// What becomes of a row that cannot be there beside another one with the same values.
  static func rival(_ entity: Entity, isValueLost: Bool) -> String {
    isValueLost
      ? "rows of \(entity.name) are left out because a value is lost that each must have alone"
      : "rows of \(entity.name) with values that another row has alone"
  }
}
