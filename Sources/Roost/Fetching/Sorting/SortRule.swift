internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// By what models are sorted: as the engine does it, and the same for two of them in memory.
struct SortRule<Model: PersistentModel> {
  /// One descriptor. An optimised build of a struct that holds it as it is needs a symbol that Foundation's library does not have.
  private let held: [SortDescriptor<Model>]
  private var descriptor: SortDescriptor<Model> { held[0] }
  /// Where its values stand, if they are compared there as the engine compares them.
  private let path: PropertyPath?

  init(_ descriptor: SortDescriptor<Model>) {
    held = [descriptor]
    guard let keyPath = descriptor.keyPath, Self.isPlain(descriptor), let found = PathShelf.shared.path(keyPath),
      found.change != .none || Self.isSortedAsStored(Swift.type(of: keyPath as AnyKeyPath).valueType)
    else {
      path = nil
      return
    }
    path = found
  }

  /// Whether `<` of a type, or of what it may be besides nil, is the order of what is stored.
  private static func isSortedAsStored(_ type: Any.Type) -> Bool {
    let whole = (type as? any OptionalValue.Type)?.wrapped ?? type
    return whole is any _Storable.Type || whole == PersistentIdentifier.self
  }

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

  /// Throws where it would end the program.
  func check() throws {
    guard let path, path.isForced else { return }
    throw SwiftDataError.unsupportedSortDescriptor.about(
      "to sort by \(path.root.name).\(path.names.joined(separator: "!.")) ends the program where there is none: write ?. for !., and nil comes first"
    )
  }

  /// The engine's key, and the entities that it looks at besides; nil where only memory knows.
  func order(_ map: EntityMap, _ store: GraphStore) -> (order: Order, passes: [EntityMap])? {
    guard let path, let placed = PlacedPath(path, map, store), placed.kind.isSortable else { return nil }
    // Identifiers are sorted by the names of classes first.
    if let row = placed.row, row.family != nil { return nil }
    let collation: Collation =
      switch path.change {
      case .none, .rank, .rawValue: .plain
      case .localized: .localized
      case .localizedStandard: .localizedStandard
      }
    return (Order(placed.condition, isDescending: isDescending, collation: collation), placed.passes)
  }

  /// That there is a value, where only rows of other classes have none: so an index that leaves them out is of use.
  func demand(_ map: EntityMap) -> RoostQuery.Expression? {
    guard let path, path.references.isEmpty, case .property(let property) = path.end, map.type.isAdded(property),
      let field = map.field(property), case .value(let coder) = map.type.properties[property].storage,
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
    guard let one = number(one), let other = number(other), one.isNaN || other.isNaN else { return nil }
    return one.isNaN == other.isNaN ? .orderedSame : one.isNaN ? .orderedDescending : .orderedAscending
  }

  private static func number(_ value: Any) -> Double? {
    switch value {
    case let number as Double: number
    case let number as Float: Double(number)
    case let date as Date: date.timeIntervalSinceReferenceDate
    default: nil
    }
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

  /// The engine's keys, and the entities that they look at besides; nil where it does not know one of them.
  func orders(_ map: EntityMap, _ store: GraphStore) -> (orders: [Order], passes: [EntityMap])? {
    var (orders, passes): ([Order], [EntityMap]) = ([], [])
    for rule in rules {
      guard let found = rule.order(map, store) else { return nil }
      orders.append(found.order)
      passes += found.passes
    }
    return (orders, passes)
  }

  /// Throws where one of them would end the program.
  func check() throws { for rule in rules { try rule.check() } }

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
