internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// By what models are sorted: as the engine does it, and the same for two of them in memory.
struct SortRule<Model: PersistentModel> {
  /// One descriptor. An optimised build of a struct that holds it as it is needs a symbol that Foundation's library does not have.
  private let held: [SortDescriptor<Model>]
  private var descriptor: SortDescriptor<Model> { held[0] }
  /// Where its values stand in the model's type, if they are compared there as the engine compares them.
  private let property: Int?

  init(_ descriptor: SortDescriptor<Model>) {
    held = [descriptor]
    guard let keyPath = descriptor.keyPath, Self.isPlain(descriptor) else {
      property = nil
      return
    }
    if let number = Self.number(of: keyPath) {
      property = Swift.type(of: keyPath as AnyKeyPath).valueType is any _Storable.Type ? number : nil
    } else {
      property = FlagPaths<Model>.number(of: keyPath)
    }
  }

  private static func number(of keyPath: AnyKeyPath) -> Int? { Model._$type.number(of: keyPath) }

  /// Whether texts are compared as `<` does.
  private static func isPlain(_ descriptor: SortDescriptor<Model>) -> Bool {
    #if canImport(Darwin)
      // What users see there depends on their language; it is compared in memory.
      return descriptor.stringComparator == nil || descriptor.stringComparator == .lexical
    #else
      return true
    #endif
  }

  var isDescending: Bool { descriptor.order == .reverse }

  /// The engine's key; nil where only memory knows.
  func order(_ map: EntityMap) -> Order? {
    guard let property, map.type.properties.indices.contains(property),
      let field = map.field(property)
    else { return nil }
    guard Kind(field).isSortable else { return nil }
    if case .reference = field.type { return nil }
    return Order(.field(.row, field.id), isDescending: isDescending)
  }

  /// That there is a value, where only rows of other classes have none: so an index that leaves them out is of use.
  func demand(_ map: EntityMap) -> RoostQuery.Expression? {
    guard let property, map.type.isAdded(property), let field = map.field(property),
      case .value(let coder) = map.type.properties[property].storage,
      (try? coder.coder())?.field?.isOptional == false
    else { return nil }
    return .compare(.notEqual, .field(.row, field.id), .constant(.null, .optional(Kind(field.type))))
  }

  func compare(_ one: Model, _ other: Model) -> ComparisonResult {
    guard let keyPath = descriptor.keyPath else { return descriptor.compare(one, other) }
    if let result = Self.compareNumbers(one[keyPath: keyPath], other[keyPath: keyPath]) {
      return isDescending ? result.reversed : result
    }
    if let result = Self.compareTexts(keyPath, one, other), Self.isPlain(descriptor) {
      return isDescending ? result.reversed : result
    }
    return descriptor.compare(one, other)
  }

  /// What is no number comes last, as the engine has it; `<` knows no place for it.
  private static func compareNumbers(_ one: Any, _ other: Any) -> ComparisonResult? {
    guard let one = one as? Double ?? (one as? Float).map(Double.init),
      let other = other as? Double ?? (other as? Float).map(Double.init), one.isNaN || other.isNaN
    else { return nil }
    return one.isNaN == other.isNaN ? .orderedSame : one.isNaN ? .orderedDescending : .orderedAscending
  }

  private static func compareTexts(
    _ keyPath: PartialKeyPath<Model>, _ one: Model, _ other: Model
  ) -> ComparisonResult? {
    if let keyPath = keyPath as? KeyPath<Model, String> {
      return compare(one[keyPath: keyPath], other[keyPath: keyPath])
    }
    guard let keyPath = keyPath as? KeyPath<Model, String?> else { return nil }
    switch (one[keyPath: keyPath], other[keyPath: keyPath]) {
    case (nil, nil): return .orderedSame
    case (nil, _): return .orderedAscending
    case (_, nil): return .orderedDescending
    case (let one?, let other?): return compare(one, other)
    }
  }

  private static func compare(_ one: String, _ other: String) -> ComparisonResult {
    one < other ? .orderedAscending : one == other ? .orderedSame : .orderedDescending
  }
}

extension ComparisonResult {
  var reversed: ComparisonResult {
    switch self {
    case .orderedAscending: .orderedDescending
    case .orderedSame: .orderedSame
    case .orderedDescending: .orderedAscending
    }
  }
}

/// Several keys, and at last the number of the row, in the direction of the first key.
struct SortRules<Model: PersistentModel> {
  let rules: [SortRule<Model>]

  init(_ descriptors: [SortDescriptor<Model>]) { rules = descriptors.map { SortRule($0) } }

  var isEmpty: Bool { rules.isEmpty }

  /// The engine's keys; nil where it does not know one of them.
  func orders(_ map: EntityMap) -> [Order]? {
    var orders: [Order] = []
    for rule in rules {
      guard let order = rule.order(map) else { return nil }
      orders.append(order)
    }
    return orders
  }

  func demands(_ map: EntityMap) -> [RoostQuery.Expression] { rules.compactMap { $0.demand(map) } }

  func precedes(_ one: Model, _ other: Model) -> Bool {
    for rule in rules {
      switch rule.compare(one, other) {
      case .orderedAscending: return true
      case .orderedDescending: return false
      case .orderedSame: continue
      }
    }
    let (first, second) = (one._$state.row, other._$state.row)
    return rules.first?.isDescending == true ? first > second : first < second
  }

  /// Joins two lists that are in order.
  func merged(_ stored: [Model], _ pending: [Model]) -> [Model] {
    if pending.isEmpty { return stored }
    var all: [Model] = []
    all.reserveCapacity(stored.count + pending.count)
    var next = 0
    for model in pending {
      // The place of each is found by halving, since there are few of them.
      var (low, high) = (next, stored.count)
      while low < high {
        let middle = (low + high) / 2
        if precedes(stored[middle], model) { low = middle + 1 } else { high = middle }
      }
      all += stored[next..<low]
      all.append(model)
      next = low
    }
    return all + stored[next...]
  }
}
