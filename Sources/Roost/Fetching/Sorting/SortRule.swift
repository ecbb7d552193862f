internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// One sort key, for the engine and for two models in memory.
struct SortRule<Model: PersistentModel> {
  /// The descriptor. It is in an array because an optimised build of a struct that contains it
  /// directly needs a symbol that Foundation's library does not have.
  private let held: [SortDescriptor<Model>]
  private var descriptor: SortDescriptor<Model> { held[0] }
  /// The path of the stored values, if the engine compares them as the descriptor does.
  let path: PropertyPath?
  /// Compares two models in memory; nil if only Foundation can.
  private let ascending: ((Model, Model) -> ComparisonResult)?

  init(_ descriptor: SortDescriptor<Model>) {
    held = [descriptor]
    ascending = Self.isPlain(descriptor) ? descriptor.keyPath.flatMap { Self.ascending($0) } : nil
    guard let keyPath = descriptor.keyPath, Self.isPlain(descriptor), let found = PathShelf.shared.path(keyPath),
      found.change != .none || Self.isSortedAsStored(Swift.type(of: keyPath as AnyKeyPath).valueType)
    else {
      path = nil
      return
    }
    path = found
  }

  /// Whether `<` of a type, or of its wrapped type, is the order of the stored values.
  private static func isSortedAsStored(_ type: Any.Type) -> Bool {
    let whole = TypeFacts.whole(type)
    return TypeFacts.isStorable(whole) || whole == PersistentIdentifier.self
  }

  /// Whether texts are compared as `<` does.
  private static func isPlain(_ descriptor: SortDescriptor<Model>) -> Bool {
    #if canImport(Darwin)
      // The order that users see depends on their language; memory compares it.
      return descriptor.stringComparator == nil || descriptor.stringComparator == .lexical
    #else
      return true
    #endif
  }

  var isDescending: Bool { descriptor.order == .reverse }
  var keyPath: PartialKeyPath<Model>? { descriptor.keyPath }

  /// Throws if a comparison would end the program.
  func check() throws {
    if let computed = keyPath.flatMap({ ComputedPath.find(in: $0) }) {
      throw SwiftDataError.unsupportedSortDescriptor.about(
        "models cannot be sorted by \(computed.text): sort by stored properties, or select the value and sort the array"
      )
    }
    guard let path, path.isForced else { return }
    throw SwiftDataError.unsupportedSortDescriptor.about(
      "to sort by \(path.root.name).\(path.names.joined(separator: "!.")) would end the program at nil: write ?. instead of !., and nil comes first"
    )
  }

  /// Returns the engine's sort key, and the other entities that it reads; nil if only memory can
  /// sort.
  func order(_ map: EntityMap, _ store: GraphStore) -> (order: Order, passes: [EntityMap])? {
    guard let path, let placed = PlacedPath(path, map, store: store), placed.kind.isSortable else { return nil }
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

  /// Returns the condition that the value exists, if only rows of other classes lack it. With it an
  /// index that leaves such rows out can be used.
  func demand(_ map: EntityMap) -> RoostQuery.Expression? {
    guard let path, path.references.isEmpty, case .property(let property) = path.end, map.type.isAdded(property),
      let field = map.field(property), case .value(let coder) = map.type.properties[property].storage,
      (try? coder.coder())?.field?.isOptional == false
    else { return nil }
    return .compare(.notEqual, .field(.row, field.id), .constant(.null, .optional(Kind(field.type))))
  }

  func compare(_ one: Model, _ other: Model) -> ComparisonResult {
    guard let ascending else { return descriptor.compare(one, other) }
    let result = ascending(one, other)
    return isDescending ? result.reversed : result
  }

  /// Returns the sort value of a model in its stored form; nil if it is not known.
  func value(_ model: Model) -> Value? {
    guard let path, let keyPath = descriptor.keyPath else { return nil }
    guard let shown = FlatValue.of(model[keyPath: keyPath]) else { return .null }
    switch path.change {
    case .rank: return (shown as? Int).map { .bool($0 == 1) }
    case .localized, .localizedStandard: return (shown as? LocalizedText).map { .string($0.text) }
    case .none, .rawValue:
      if let identifier = shown as? PersistentIdentifier {
        return identifier.key.number.map { .reference(RowID($0)) }
      }
      return (shown as? any Codable).flatMap { CoderShelf.shared.value(any: $0) }
    }
  }

  /// Compares values as the engine does. Foundation's own function ignores a later change of the
  /// descriptor's order.
  private static func ascending(_ keyPath: PartialKeyPath<Model>) -> ((Model, Model) -> ComparisonResult)? {
    let type = Swift.type(of: keyPath as AnyKeyPath).valueType
    if let type = type as? any Comparable.Type { return plain(keyPath, type) }
    guard let whole = (type as? any OptionalValue.Type)?.wrapped as? any Comparable.Type else { return nil }
    return optional(keyPath, whole)
  }

  private static func plain<Value: Comparable>(
    _ keyPath: PartialKeyPath<Model>, _ type: Value.Type
  ) -> ((Model, Model) -> ComparisonResult)? {
    guard let keyPath = keyPath as? KeyPath<Model, Value> else { return nil }
    return { compare($0[keyPath: keyPath], $1[keyPath: keyPath]) }
  }

  private static func optional<Value: Comparable>(
    _ keyPath: PartialKeyPath<Model>, _ type: Value.Type
  ) -> ((Model, Model) -> ComparisonResult)? {
    guard let keyPath = keyPath as? KeyPath<Model, Value?> else { return nil }
    return { first, second in
      switch (first[keyPath: keyPath], second[keyPath: keyPath]) {
      case (nil, nil): .orderedSame
      case (nil, _): .orderedAscending
      case (_, nil): .orderedDescending
      case (let one?, let other?): compare(one, other)
      }
    }
  }

  private static func compare<Value: Comparable>(_ one: Value, _ other: Value) -> ComparisonResult {
    if one < other { return .orderedAscending }
    if other < one { return .orderedDescending }
    // NaN is not equal to itself, and comes last; `<` has no position for it.
    let (isOneUnordered, isOtherUnordered) = (one != one, other != other)
    if isOneUnordered == isOtherUnordered { return .orderedSame }
    return isOneUnordered ? .orderedDescending : .orderedAscending
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

/// Several sort keys, and finally the row number, in the direction of the first key.
struct SortRules<Model: PersistentModel> {
  let rules: [SortRule<Model>]

  init(_ descriptors: [SortDescriptor<Model>]) { rules = descriptors.map { SortRule($0) } }

  var isEmpty: Bool { rules.isEmpty }

  /// Returns the engine's sort keys, and the other entities that they read; nil if the engine
  /// cannot express one of them.
  func orders(_ map: EntityMap, _ store: GraphStore) -> (orders: [Order], passes: [EntityMap])? {
    var (orders, passes): ([Order], [EntityMap]) = ([], [])
    for rule in rules {
      guard let found = rule.order(map, store) else { return nil }
      orders.append(found.order)
      passes += found.passes
    }
    return (orders, passes)
  }

  /// Throws if a comparison would end the program.
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

  /// Finds the position of a model among sorted ones, at `start` or later: after those that precede
  /// it. `read` returns the model at a position. A binary search calls it.
  func place(
    of model: Model, from start: Int, to end: Int, reading read: (Int) throws -> Model
  ) rethrows -> Int {
    var (low, high) = (start, end)
    while low < high {
      let middle = (low + high) / 2
      if precedes(try read(middle), model) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Merges two sorted lists. The second is short, so a binary search places each of its models.
  func merged(_ stored: [Model], _ pending: [Model]) -> [Model] {
    if pending.isEmpty { return stored }
    var all: [Model] = []
    all.reserveCapacity(stored.count + pending.count)
    var next = 0
    for model in pending {
      let place = place(of: model, from: next, to: stored.count) { stored[$0] }
      all += stored[next..<place]
      all.append(model)
      next = place
    }
    return all + stored[next...]
  }
}
