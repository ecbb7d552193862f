internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// Computes several aggregates over the models of a predicate, by groups.
///
/// The engine computes on its rows if it knows all aggregates and keys. Then this adds the models
/// with unsaved changes. Otherwise the values are read row by row, as a selection reads them, and
/// added up here. Both keep all groups in memory, unless an index has the order
/// of the keys: see `AggregateRun+Stream.swift`.
struct AggregateRun<Model: PersistentModel> {
  let descriptor: FetchDescriptor<Model>
  let state: ContextState
  let measures: [AskedMeasure<Model>]
  let keys: [GroupKey<Model>]
  /// Makes the gatherings of one group: one for each aggregate.
  let make: () -> [ModelGathering<Model>]
  /// The columns of each aggregate, for runs that read rows one by one.
  let columns: [[AnySelectedColumn<Model>]]

  struct Group {
    var keys: [AnyHashable]
    var gatherings: [ModelGathering<Model>]
    /// The estimated bytes of the caller's copy, if they were not counted before.
    var bytes = 0
  }

  /// The groups in memory, or the number of streamed groups.
  struct Found {
    var groups: [Group] = []
    var streamed = 0

    var count: Int { groups.count + streamed }
  }

  /// Returns the groups in the order of their keys, or streams them to `take`.
  ///
  /// - Parameters:
  ///   - limit: the number of groups that the caller takes; nil if it may need all.
  ///   - take: gets the groups of a stream one after another, until it returns false.
  func groups(limit: Int? = nil, take: @escaping (Group) throws -> Bool = { _ in true }) throws -> Found {
    let place = try state.stores.known(Model.self)
    let graph = state.graph(place.store)
    // Closures, because Swift makes a key path of a generic type again at each use.
    for keyPath in measures.compactMap({ $0.keyPath }) + keys.map({ $0.keyPath }) {
      try PathShelf.shared.checkUse(keyPath)
    }
    let run = FetchRun(descriptor, state)
    let before = graph.session.readCount
    if keys.isEmpty, let count = try count(run) {
      try note(run, run.part(), in: graph, before: before, groups: 1)
      return Found(groups: [count])
    }
    let asked = measures.map { $0.placed(place.map, graph) }
    let by = keys.map { $0.placed(place.map, graph) }
    // If the engine cannot compute an aggregate, its values are read row by row.
    let read = asked.contains { $0 == nil } ? columns.flatMap { $0 }.map { $0.placed(place.map, graph) } : []
    let passes =
      asked.flatMap { $0?.passes ?? [] } + by.flatMap { $0?.passes ?? [] } + read.flatMap { $0?.passes ?? [] }
    let part = try run.part(besides: passes)
    let stream = try stream(part, asked, by: by, read: read)
    if let stream, try prefers(stream, limit: limit) { return try streamed(stream, in: graph, take: take) }
    do {
      guard part.tests.isEmpty, !part.isBlind, asked.allSatisfy({ $0 != nil }), by.allSatisfy({ $0 != nil }) else {
        let groups = try byRows()
        state.notes?.changeLast { told in
          told.grouping = .memory
          told.addLine("gathers values row by row, into \(Self.text(groups.count))")
        }
        return Found(groups: sorted(groups, always: true))
      }
      // In a working set the numbers of rows are not those of its store.
      let sortsAgain = part.isChanged || graph.source != nil
      let groups = try added(part.pending, to: engine(part, asked.compactMap { $0 }, keys: by.compactMap { $0 }))
      try note(run, part, in: graph, before: before, groups: groups.count)
      return Found(groups: sorted(groups, always: sortsAgain))
    } catch let fault as ConditionFault where fault.code == .tooLarge {
      guard let stream, ForcedWay.streamsGroups != false else { throw fault }
      state.queryMemory?.giveBack(to: 0)
      state.notes?.forgetCall()
      return try streamed(stream, in: graph, take: take)
    }
  }

  /// Notes for ``ModelContext/explain(call:)`` how the engine computed the groups.
  private func note(
    _ run: FetchRun<Model>, _ part: FetchPart<Model>, in graph: GraphContext, before: (rows: Int, entries: Int),
    groups: Int
  ) throws {
    guard let notes = state.notes else { return }
    let after = graph.session.readCount
    var told = try run.explanation(part)
    // The plan of a fetch would read more than this.
    (told.rowsRead, told.entriesRead) = (after.rows - before.rows, after.entries - before.entries)
    told.makesModels = !part.tests.isEmpty
    told.grouping = told.makesModels ? .memory : told.rowsRead == 0 && keys.isEmpty ? .indexes : .rows
    if told.grouping == .indexes {
      told.description = "\(Model._$type.name): the answer is known without reading rows"
    }
    told.noteSelected(keys.map { $0.keyPath } + measures.compactMap { $0.keyPath })
    if told.grouping == .rows {
      told.addLine("gathers in \(keys.isEmpty ? "one pass" : "a table of \(Self.text(groups))")")
    }
    told.addLine(told.makesModels ? "models are made, because the predicate is tested on them" : "no models are made")
    notes.add(told)
  }

  static func text(_ groups: Int) -> String { "\(groups) group\(groups == 1 ? "" : "s")" }

  /// If only the number of models is wanted, counts as a fetch does: a fetch can count with unsaved
  /// changes.
  private func count(_ run: FetchRun<Model>) throws -> Group? {
    guard measures.allSatisfy({ $0.isCountOfAll }) else { return nil }
    var tally = MeasureTally()
    tally.count = try run.count()
    let group = Group(keys: [], gatherings: make())
    for gathering in group.gatherings { try gathering.add(tally) }
    return group
  }

  private func engine(
    _ part: FetchPart<Model>, _ measures: [AskedMeasure<Model>.Placed], keys: [PlacedKey]
  ) throws -> [Group] {
    let asked = part.excluded.isEmpty ? part : part.withoutExcluded
    var gatherings: [[ModelGathering<Model>]] = []
    let (found, order) = try part.graph.planner().aggregate(
      asked.query(isSorted: false), by: keys.map { $0.condition }, measures.map { $0.measure },
      memory: state.queryMemory
    ) { measure, group, decimal in
      while gatherings.count <= group { gatherings.append(make()) }
      if let decimal = ValueDecoding.decoded(.decimal(decimal), as: Decimal.self) {
        gatherings[group][measure].add(decimal)
      }
    }
    while gatherings.count < found.count { gatherings.append(make()) }
    return try order.map { number in
      let (group, gathered) = (found[number], gatherings[number])
      for place in gathered.indices { try gathered[place].add(group.tallies[place]) }
      return Group(keys: try PlacedKey.decoded(group.keys, by: keys), gatherings: gathered)
    }
  }

  private func byRows() throws -> [Group] {
    let by = keys.map { $0.column() }
    var groups = GroupList(keys.isEmpty ? [Group(keys: [], gatherings: make())] : [], make, memory: state.queryMemory)
    try SelectRun(descriptor, state, columns: by + columns.flatMap { $0 }).forEach { row in
      let group = try groups.place(by.map { try $0.key(row) })
      for (gathering, columns) in zip(groups.all[group].gatherings, columns) { try gathering.add(row, columns) }
      return true
    }
    return groups.all
  }

  private func added(_ models: [Model], to stored: [Group]) throws -> [Group] {
    if models.isEmpty { return stored }
    var groups = GroupList(stored, make, memory: state.queryMemory)
    for model in models {
      let group = try groups.place(keys.map { try $0.read(model) })
      for gathering in groups.all[group].gatherings { try gathering.add(model) }
    }
    return groups.all
  }

  /// A table of groups by their keys.
  private struct GroupList {
    private(set) var all: [Group]
    private var places: [[AnyHashable]: Int]
    private let make: () -> [ModelGathering<Model>]
    private let memory: QueryMemory?

    init(_ stored: [Group], _ make: @escaping () -> [ModelGathering<Model>], memory: QueryMemory?) {
      (all, self.make, self.memory) = (stored, make, memory)
      for group in stored { for gathering in group.gatherings { gathering.memory = memory } }
      places = Dictionary(stored.enumerated().map { ($0.element.keys.map(NoNumber.alike), $0.offset) }) { first, _ in
        first
      }
    }

    /// Returns the number of the group with these keys. Adds a group if there is none.
    mutating func place(_ keys: [AnyHashable]) throws -> Int {
      let name = keys.map(NoNumber.alike)
      if let known = places[name] { return known }
      let gatherings = make()
      for gathering in gatherings { gathering.memory = memory }
      try memory?.take(
        QueryMemory.group * (1 + gatherings.count) + 128 * keys.count + keys.reduce(0) { $0 + HeapBytes.of($1.base) },
        for: .groups)
      places[name] = all.count
      all.append(Group(keys: keys, gatherings: gatherings))
      return all.count - 1
    }
  }

  /// Sorts the groups by their keys, as far as the keys have an order.
  private func sorted(_ groups: [Group], always: Bool) -> [Group] {
    guard keys.contains(where: { always || !$0.isSortedAsStored }) else { return groups }
    let sorted = groups.enumerated().sorted { one, other in
      for (number, key) in keys.enumerated() {
        let result = key.compare(one.element.keys[number], other.element.keys[number])
        if result != 0 { return result < 0 }
      }
      return one.offset < other.offset
    }
    return sorted.map { $0.element }
  }
}

/// An aggregate over a key path.
struct AskedMeasure<Model: PersistentModel> {
  private let kind: AggregateKind
  let keyPath: PartialKeyPath<Model>?
  let path: PropertyPath?

  struct Placed {
    var measure: Measure
    var passes: [EntityMap]
  }

  init(_ kind: AggregateKind, _ keyPath: PartialKeyPath<Model>?) {
    self.kind = kind
    self.keyPath = keyPath
    path = keyPath.flatMap { ComputedPath.find(in: $0) == nil ? PathShelf.shared.path($0) : nil }
  }

  var isCountOfAll: Bool { kind == .count && keyPath == nil }

  /// The query for the engine; nil if the engine cannot compute the aggregate.
  func placed(_ map: EntityMap, _ graph: GraphContext) -> Placed? {
    guard let keyPath else { return Placed(measure: Measure(.count), passes: []) }
    guard let found = PlacedPath(of: keyPath, path, in: map, graph: graph) else { return nil }
    let type = Swift.type(of: keyPath as AnyKeyPath).valueType
    let isStored = (path?.change ?? ValueChange.none) == ValueChange.none && TypeFacts.isStorable(TypeFacts.whole(type))
    let kind: Measure.Kind
    switch self.kind {
    case .count: kind = .count
    case .sum, .average:
      guard isStored else { return nil }
      kind = .sum
    case .min, .max:
      guard isStored, found.kind.isSortable else { return nil }
      kind = self.kind == .min ? .least : .greatest
    case .distinct, .end: return nil
    }
    return Placed(measure: Measure(kind, found.condition), passes: found.passes)
  }
}

/// Collects the values of one aggregate.
final class MeasuredColumn<Model: PersistentModel>: AnySelectedColumn<Model> {
  private let measure: AskedMeasure<Model>

  init(_ measure: AskedMeasure<Model>, _ keyPath: PartialKeyPath<Model>) {
    self.measure = measure
    super.init(keyPath)
  }

  override func placed(_ map: EntityMap, _ graph: GraphContext) -> PlacedPath? {
    guard measure.placed(map, graph) != nil, let keyPath else { return nil }
    return PlacedPath(of: keyPath, path, in: map, graph: graph)
  }
}

/// A key of groups.
struct GroupKey<Model: PersistentModel> {
  let keyPath: PartialKeyPath<Model>
  let path: PropertyPath?
  let read: (Model) throws -> AnyHashable
  /// Makes the column for a run that reads rows one by one.
  let column: () -> AnyGroupColumn<Model>
  /// Whether the engine sorts such keys as a program does.
  let isSortedAsStored: Bool
  private let reading: (PropertyPath?, PlacedPath, GraphStore) -> ((Value) -> AnyHashable?)?
  /// Whether two keys are equal exactly if their stored values are.
  private let isComparedAsStored: Bool
  private let order: ((Any, Any) -> Int)?

  init<Key: Hashable>(_ keyPath: KeyPath<Model, Key>) {
    self.keyPath = keyPath
    path = ComputedPath.find(in: keyPath) == nil ? PathShelf.shared.path(keyPath) : nil
    let value = ModelReading.of(keyPath)
    read = { AnyHashable(try value($0)) }
    column = { GroupColumn(keyPath) }
    reading = { path, found, store in
      let read =
        path.map { StoredReading.make(of: Key.self, $0, at: found, in: store) } ?? ValueDecoding.decoder(of: Key.self)
      return read.map { read in { read($0).map { AnyHashable($0) } } }
    }
    let whole = TypeFacts.whole(Key.self)
    let isIdentifier = whole == PersistentIdentifier.self
    isComparedAsStored = isIdentifier || Constant.isComparedByValue(Key.self)
    isSortedAsStored = isIdentifier || TypeFacts.isStorable(whole) || !(whole is any Comparable.Type)
    order = KeyOrder.order(of: whole)
  }

  func compare(_ one: AnyHashable, _ other: AnyHashable) -> Int { order?(one.base, other.base) ?? 0 }

  func placed(_ map: EntityMap, _ graph: GraphContext) -> PlacedKey? {
    guard isComparedAsStored, let found = PlacedPath(of: keyPath, path, in: map, graph: graph), found.kind.isSortable,
      let read = reading(path, found, graph.store)
    else { return nil }
    let name = PathNames.text(keyPath)
    return PlacedKey(condition: found.condition, passes: found.passes) { value in
      if let key = read(value) { return key }
      throw RoostError(.unreadable, "the value of \(name) is \(Describer.text(value))")
    }
  }
}

/// The keys that the engine groups by, and how to convert their values back. It is not generic over
/// the model, so using it looks up no type.
struct PlacedKey {
  var condition: Condition
  var passes: [EntityMap]
  var decode: (Value) throws -> AnyHashable

  static func decoded(_ stored: [Value], by keys: [PlacedKey]) throws -> [AnyHashable] {
    var values: [AnyHashable] = []
    values.reserveCapacity(keys.count)
    for place in keys.indices { values.append(try keys[place].decode(stored[place])) }
    return values
  }
}

/// Replaces NaN in keys. NaN is not equal to itself, so each NaN would make a group.
struct NoNumber: Hashable {
  static func alike(_ key: AnyHashable) -> AnyHashable { key == key ? key : AnyHashable(NoNumber()) }
}

/// Compares values whose type is known only at run time.
enum KeyOrder {
  /// Nil comes first, NaN comes last.
  static func order(of whole: Any.Type) -> ((Any, Any) -> Int)? {
    if whole == Bool.self { return { optional(($0 as? Bool)?.rank, ($1 as? Bool)?.rank) } }
    if let type = whole as? any Comparable.Type { return comparable(type) }
    if let type = whole as? any RawRepresentable.Type { return raw(type) }
    return nil
  }

  private static func comparable<Known: Comparable>(_ type: Known.Type) -> (Any, Any) -> Int {
    { optional($0 as? Known, $1 as? Known) }
  }

  private static func raw<Known: RawRepresentable>(_ type: Known.Type) -> ((Any, Any) -> Int)? {
    guard let order = order(of: Known.RawValue.self) else { return nil }
    return { one, other in
      order((one as? Known)?.rawValue as Any, (other as? Known)?.rawValue as Any)
    }
  }

  private static func optional<Known: Comparable>(_ one: Known?, _ other: Known?) -> Int {
    switch (one, other) {
    case (nil, nil): 0
    case (nil, _): -1
    case (_, nil): 1
    case (let one?, let other?):
      one < other ? -1 : other < one ? 1 : (one == one ? 0 : 1) - (other == other ? 0 : 1)
    }
  }
}
