internal import RoostGraph
internal import RoostRecords

/// Writes the models that a store returned into the rows of a working set.
extension WorkingSet {
  typealias Place = (map: EntityMap, row: UInt64)

  /// Writes snapshots into the working set, and removes models that a parent context no longer has.
  /// Returns the numbers of the snapshots' rows, in order; nil for rows that a later save or fetch
  /// wrote.
  @discardableResult
  func feed(_ contents: [SnapshotContent], askedAt time: UInt64) throws -> [UInt64?] {
    try checkThread()
    guard let container else { throw RoostError(.closed, "the container of the store \(identifier) has ended") }
    // A new key of a row names a model that a save of the parent has renamed.
    let gone = ((store as? ParentStore)?.takeGone() ?? []).filter { identifier in
      container.stores.row(of: identifier).map { keys.key($0.map, $1) == identifier.key } ?? false
    }
    if contents.isEmpty, gone.isEmpty { return [] }
    return try feeding.withLock {
      // Models that were requested before an erase are gone.
      if keys.wasErased(after: time) { return contents.map { _ in nil } }
      var meal = try Meal(self, container, askedAt: time)
      try meal.take(contents)
      try meal.drop(gone)
      try meal.finish()
      return meal.found.count == contents.count ? meal.found : Array(meal.found.prefix(contents.count))
    }
  }

  /// Removes rows that the store does not have. A loaded row is removed only if it was requested
  /// again. Relationships lose the rows, and no delete rule applies.
  func remove(_ identifiers: [PersistentIdentifier], askedAt time: UInt64, isAgain: Bool = false) throws {
    guard let container, !identifiers.isEmpty else { return }
    try feeding.withLock {
      var meal = try Meal(self, container, askedAt: time)
      try meal.drop(
        identifiers.filter { identifier in
          guard let (place, row) = container.stores.row(of: identifier) else { return false }
          return isAgain || keys.isUnloaded(place.map, row, in: nil)
        })
      try meal.finish()
    }
  }

  /// Snapshots that are written together.
  ///
  /// 1. Each model that the contents name has a row, or a reserved number for a new row.
  /// 2. A member that left a list, and whose reference to the owner may not be nil, was deleted or
  ///    has another owner. The store is asked.
  /// 3. New rows, and rows without values, are written as they are
  ///    (``GraphStore/write(_:unloaded:)``). Values that replace others are set in objects and
  ///    saved (``ModelContext/take(_:)``), because only differences may change.
  private struct Meal {
    private let set: WorkingSet
    private let container: ModelContainer
    private let graph: GraphStore
    private let asked: (any AskedStore)?
    private let time: UInt64
    /// For each content the number of its row; nil if a later save or fetch wrote it.
    private(set) var found: [UInt64?] = []
    /// All contents, without references to deleted models.
    private var contents: [SnapshotContent] = []
    /// The indexes of the contents to write. The others are known already, or a later save or fetch
    /// wrote them.
    private var taken: [Int] = []
    private var batch = FetchedBatch()
    /// For each new row in the batch, its index in ``made``.
    private var direct: [(row: Int, made: Int)] = []
    /// The existing rows of contents, and those of them whose contents include the members of all
    /// lists.
    private var known: [Place] = []
    private var listed: [Place] = []
    /// The indexes of contents that are set in objects.
    private var byObject: [Int] = []
    private var made: [BackingKeys.New] = []
    private var madeNames: [EntityKey: Int] = [:]
    /// The indexes in ``made`` of the rows of contents. The other rows are only named by contents.
    private var madeOfContents: [Int] = []
    /// Members that need an owner and are no longer in its list. The store will be asked for them.
    private var lost: [PersistentIdentifier] = []
    /// The models of contents, and the models that the store was asked about.
    private var looked: Set<RowName> = []
    /// Rows that the store no longer has.
    private var gone: [Place] = []
    /// The class of the last identifier. Neighbours usually have the same class.
    private var last: (name: String, map: EntityMap)?
    /// The last model that a to-one relationship named. Neighbours often name the same one.
    private var lastNamed: (name: EntityKey, row: UInt64)?

    /// How the row of a content is written.
    private struct Way {
      let content: Int
      let map: EntityMap
      /// The row, if it existed before.
      var row: UInt64 = 0
      /// The index of a new row.
      var made: Int?
      /// Whether the row may have values.
      var isLoaded = false
      /// Whether only the members of its lists are new.
      var hasValues = false
    }

    private struct RowName: Hashable {
      var home: Int
      var row: UInt64

      /// Called by sets. Rows are numbered by the engine, so no other program chooses numbers that collide.
      func _rawHashValue(seed: Int) -> Int {
        let product = (row ^ UInt64(truncatingIfNeeded: seed)).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return Int(truncatingIfNeeded: product.high ^ product.low) ^ home
      }
    }

    init(_ set: WorkingSet, _ container: ModelContainer, askedAt time: UInt64) throws {
      (self.set, self.container, self.time) = (set, container, time)
      asked = set.store as? any AskedStore
      graph = container.stores.stores[try set.number(container)]
    }

    // MARK: Rows

    private mutating func map(_ identifier: PersistentIdentifier) throws -> EntityMap {
      if let last, last.name == identifier.entityName, identifier.store == set.identifier { return last.map }
      guard let place = container.stores.place(named: identifier.entityName) else {
        throw RoostError(
          .unknownModel,
          "the store \(set.identifier) returned a model named \(identifier.entityName), and the container has none")
      }
      guard identifier.store == set.identifier else {
        throw RoostError(
          .foreign,
          "the store \(set.identifier) returned an identifier of the store \(identifier.store ?? "nil"): make it with "
            + "PersistentIdentifier.identifier(for:entityName:primaryKey:)")
      }
      last = (identifier.entityName, place.map)
      return place.map
    }

    /// Finds the rows of contents and of the models in their relationships, and decides how each is written.
    mutating func take(_ more: [SnapshotContent]) throws {
      let start = contents.count
      if start == 0 { contents = more } else { contents += more }
      let firstMade = made.count
      let ways = try ways(of: more, from: start)
      try number(from: firstMade)
      batch.reserveCapacity(batch.count + ways.count)
      for way in ways {
        if let new = way.made {
          found[way.content] = made[new].row
          madeOfContents.append(new)
        }
        if try take(way) {
          if let new = way.made { direct.append((batch.count - 1, new)) }
        } else {
          byObject.append(way.content)
          // Rows that are set in objects are made without values.
          if let new = way.made { made[new].isLoaded = false }
        }
      }
    }

    /// Finds the rows of contents. New rows have no number yet.
    private mutating func ways(of more: [SnapshotContent], from start: Int) throws -> [Way] {
      var ways: [Way] = []
      ways.reserveCapacity(more.count)
      found.reserveCapacity(start + more.count)
      for (at, content) in more.enumerated() {
        let map = try map(content.identifier)
        let key = content.key
        let name = EntityKey(map, key)
        if let new = madeNames.isEmpty ? nil : madeNames[name] {
          if made[new].map !== map { throw otherClass(content, made[new].map) }
          found.append(nil)
          ways.append(Way(content: start + at, map: map, made: new, isLoaded: true))
          continue
        }
        let known = set.keys.find(map, key)
        guard let known, !(known.isDeleted && known.time < time) else {
          if madeNames.isEmpty { madeNames.reserveCapacity(more.count - at) }
          madeNames[name] = made.count
          found.append(nil)
          ways.append(Way(content: start + at, map: map, made: made.count))
          made.append(BackingKeys.New(map, 0, key: key, isLoaded: true))
          continue
        }
        if known.isDeleted || known.time > time {
          found.append(nil)
          continue
        }
        if known.map != map.number { throw otherClass(content, graph.maps[known.map]) }
        found.append(known.row)
        self.known.append((map, known.row))
        let isFirst = looked.insert(RowName(home: map.home, row: known.row)).inserted
        var hasValues = false
        if isFirst, known.isLoaded, let part = asked?.known(content), part != .nothing {
          if known.isListed ? part == .all : !content.hasAllLists { continue }
          hasValues = !known.isListed
        }
        ways.append(
          Way(
            content: start + at, map: map, row: known.row, isLoaded: known.isLoaded || !isFirst, hasValues: hasValues))
      }
      return ways
    }

    /// The error for a model that was named with another class before. Its object may exist already,
    /// and cannot change its class.
    private func otherClass(_ content: SnapshotContent, _ known: EntityMap) -> RoostError {
      RoostError(
        .badValue,
        "the store \(set.identifier) returned the \(content.type.name) \(content.key) after it named that model \(known.type.name): "
          + "name each reference with the model's own class, and give no two models of one hierarchy the same key")
    }

    /// Reserves the numbers of new rows. Consecutive rows of one class get consecutive numbers.
    private mutating func number(from start: Int) throws {
      var start = start
      while start < made.count {
        let map = made[start].map
        let end = made[start...].firstIndex { $0.map !== map } ?? made.count
        let first = try graph.reserveRows(UInt64(end - start), map)
        for at in start..<end { made[at].row = first + UInt64(at - start) }
        start = end
      }
    }

    /// Notes a content, and adds the row that is written to the batch. Returns false if it is set
    /// in an object.
    private mutating func take(_ way: Way) throws -> Bool {
      let (map, number) = (way.map, way.content)
      let row = way.made.map { made[$0].row } ?? way.row
      let content = contents[number]
      batch.add(map, row, values: way.hasValues ? nil : content.values)
      var isDirect =
        (!way.isLoaded || way.hasValues) && content.isOwn && map.type === content.type
        && (map.family == nil || way.hasValues || way.made != nil)
      for property in content.form.links {
        let kept = isDirect ? graph.fetchedPlace(map, property) : .byObject
        switch content.link(property) {
        case nil, .absent?: continue
        case .one(let one)?:
          let target = try one.flatMap { try self.row($0, isReference: kept == .reference) }
          if target == nil, one != nil { contents[number].setLink(property, .one(nil)) }
          if way.made == nil { try noteLost((map, row), property, but: Set([target].compactMap { $0 })) }
          switch kept {
          case .reference: batch.add(reference: target, of: property)
          case .list: batch.add(list: target.map { [$0] } ?? [], of: property)
          case .byObject: isDirect = false
          }
        case .many(let many)?:
          let targets = try many.map { try self.row($0, isReference: false) }
          if targets.contains(nil) {
            contents[number].setLink(property, .many(zip(many, targets).compactMap { $1 == nil ? nil : $0 }))
          }
          if kept == .list { batch.add(list: targets.compactMap { $0 }, of: property) } else { isDirect = false }
          if way.made == nil { try noteLost((map, row), property, but: Set(targets.compactMap { $0 })) }
        }
      }
      taken.append(number)
      if asked == nil || content.hasAllLists {
        if let new = way.made { made[new].isListed = true } else { listed.append((map, row)) }
      }
      if !isDirect { batch.removeLast() }
      return isDirect
    }

    /// Returns the row of an identifier in a relationship; nil for a model that was deleted after the request.
    ///
    /// - Parameter isReference: whether the row must exist before another row is written.
    private mutating func row(_ identifier: PersistentIdentifier, isReference: Bool) throws -> UInt64? {
      let name = EntityKey(try map(identifier), identifier.key)
      if isReference, let lastNamed, lastNamed.name == name { return lastNamed.row }
      let found = try row(identifier, name, isReference: isReference)
      if isReference, let found { lastNamed = (name, found) }
      return found
    }

    private mutating func row(
      _ identifier: PersistentIdentifier, _ name: EntityKey, isReference: Bool
    ) throws -> UInt64? {
      if !madeNames.isEmpty, let known = madeNames[name] {
        if isReference { made[known].isLoaded = false }
        return made[known].row
      }
      let map = try map(identifier)
      if let found = set.keys.find(map, identifier.key), !(found.isDeleted && found.time < time) {
        return found.isDeleted ? nil : found.row
      }
      let row = try graph.reserveRows(1, map)
      madeNames[name] = made.count
      made.append(BackingKeys.New(map, row, key: identifier.key, isLoaded: false))
      return row
    }

    // MARK: Members that lost their owners

    /// Notes the members that left a list, if they need an owner.
    ///
    /// - Parameter isOwnerGone: whether to note also members whose reference to the owner may be
    ///   nil.
    private mutating func noteLost(
      _ place: Place, _ property: Int, but staying: Set<UInt64> = [], isOwnerGone: Bool = false
    ) throws {
      let members = try graph.members(place.map, place.row, by: property, needOwner: !isOwnerGone)
      for (map, row) in members where !staying.contains(row) {
        lost.append(set.identifier(map, row, in: graph))
      }
    }

    /// Notes that models are gone. The members of their lists may be gone too, or have another
    /// owner.
    mutating func drop(_ identifiers: [PersistentIdentifier]) throws {
      for identifier in identifiers {
        guard let (place, row) = container.stores.row(of: identifier) else { continue }
        looked.insert(RowName(home: place.map.home, row: row))
        gone.append((place.map, row))
        // The model may be of a subclass of the class in the identifier, so this looks at the lists
        // of all classes.
        for map in graph.maps where map.home == place.map.home {
          for property in ImageForm.of(map.type).links { try noteLost((map, row), property, isOwnerGone: true) }
        }
      }
    }

    /// Asks the store for members that lost their owners: they have another owner, or are gone.
    private mutating func lookForLost() throws {
      while !lost.isEmpty {
        var names: Set<RowName> = []
        let wanted = lost.filter { identifier in
          guard let (place, row) = container.stores.row(of: identifier) else { return false }
          let name = RowName(home: place.map.home, row: row)
          return !looked.contains(name) && names.insert(name).inserted
        }
        lost = []
        guard !wanted.isEmpty, let found = try set.reload(wanted, lists: false) else { return }
        let known = Set(found.map { graph.entityKey($0.identifier) })
        try take(found)
        try drop(wanted.filter { !known.contains(graph.entityKey($0)) })
      }
    }

    // MARK: Writing

    mutating func finish() throws {
      try lookForLost()
      try write()
      asked?.took(taken.count == contents.count ? contents : taken.map { contents[$0] })
    }

    private mutating func write() throws {
      var commit: UInt64 = 0
      if batch.count > 0 || !made.isEmpty {
        for (row, new) in direct { batch.setNew(row, made[new].isLoaded) }
        do {
          commit = try graph.write(batch, unloaded: made.lazy.filter { !$0.isLoaded }.map { ($0.map, $0.row) })
        } catch let error where error is RecordFault || error is GraphFault {
          // For example, two rows exchange unique values. Objects and a save can do that.
          batch = FetchedBatch()
          byObject = taken
          for number in made.indices { made[number].isLoaded = false }
          commit = try graph.write(batch, unloaded: made.map { ($0.map, $0.row) })
        }
        set.keys.add(made, in: commit, askedAt: time)
      }
      if !byObject.isEmpty || !gone.isEmpty {
        set.keys.noteLoaded(batch.existing, in: commit, askedAt: time)
        let (objects, gone) = (byObject.map { contents[$0] }, gone)
        commit = try set.write(container) { context in
          try context.take(objects)
          for (map, row) in gone {
            guard let model = context.existing(set.identifier(map, row, in: graph)) else { continue }
            model.leaveAll()
            context.delete(model)
          }
        }
        for (map, row) in gone { set.keys.noteDeleted(map, row, at: time) }
      }
      // Rows that are loaded already keep the commit of their first values.
      let late = madeOfContents.map { made[$0] }.filter { !$0.isLoaded }
      set.keys.noteLoaded(known + late.map { ($0.map, $0.row) }, in: commit, askedAt: time)
      set.keys.noteListed(listed + late.filter(\.isListed).map { ($0.map, $0.row) }, in: commit)
    }
  }
}
