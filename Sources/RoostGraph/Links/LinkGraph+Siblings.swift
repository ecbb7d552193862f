internal import RoostRecords

/// Follows a relationship for all objects of a batch at once.
extension LinkGraph {
  /// Reads the rows that a reference refers to, for all objects of this object's batch.
  func readTargets(_ object: any _ModelObject, _ relation: Relation, origin: RowOrigin) {
    guard let (batch, place) = objects.batch(of: object, origin) else { return }
    readTargets(batch, place, relation: relation, origin: origin)
  }

  private func readTargets(_ batch: Batch, _ place: Int, relation: Relation, origin: RowOrigin) {
    var wanted = WantedTargets(relation, self.objects.origin(store.maps[relation.target]), batch: batch)
    // A getter of an object that cannot be read tries again and records the error.
    try? batch.around(place) { row in try note(row, &wanted, origin: origin) }
    readTargets(wanted)
  }

  /// Reads the rows that a reference refers to, for all objects of a batch. A working set fetches
  /// them first.
  private func readAllTargets(_ batch: Batch, _ relation: Relation, origin: RowOrigin) {
    var wanted = WantedTargets(relation, self.objects.origin(store.maps[relation.target]), batch: batch)
    for row in batch.rows { _ = try? note(row, &wanted, origin: origin) }
    fetch(wanted.rows, relation)
    readTargets(wanted)
  }

  private func readTargets(_ wanted: WantedTargets) {
    guard wanted.rows.count > 1, let found = try? objects.readTogether(wanted.rows, wanted.target) else { return }
    session.release(wanted.batch.keep(found))
    objects.noteBatch(wanted.target.map, wanted.rows)
  }

  /// The rows that a batch's references refer to and that must be read.
  private struct WantedTargets {
    let relation: Relation
    let target: RowOrigin
    let batch: Batch
    private(set) var rows: [UInt64] = []
    private var seen = SeenRows()
    /// The offset of the reference in the batch's objects. It is nil before the first object is
    /// found, or if each object must be looked at through its context.
    var place: ReferencePlace?
    /// Neighbours often refer to the same row.
    private var last: UInt64 = 0

    init(_ relation: Relation, _ target: RowOrigin, batch: Batch) {
      self.relation = relation
      self.target = target
      self.batch = batch
    }

    @inline(__always)
    mutating func isNew(_ row: UInt64) -> Bool {
      if row == last { return false }
      last = row
      return seen.insert(row)
    }

    mutating func want(_ row: UInt64) { rows.append(row) }
  }

  /// Records the row that a reference of a row's object refers to; returns false if it needs no
  /// read.
  private func note(_ row: UInt64, _ wanted: inout WantedTargets, origin: RowOrigin) throws -> Bool {
    let row = try target(row, &wanted, origin: origin)
    guard RowNumber.leads(row), wanted.isNew(row) else { return false }
    if let known = wanted.target.known(row), !known._$state.flags.contains(.fault) {
      // The program may release it before its loop reaches it.
      session.release(wanted.batch.keep(known))
      return false
    }
    if isDoomed(wanted.relation.home, row) {
      return false
    }
    wanted.want(row)
    return true
  }

  /// The row that the reference of a row's object contains, if that object is loaded.
  @inline(__always)
  private func target(_ row: UInt64, _ wanted: inout WantedTargets, origin: RowOrigin) throws -> UInt64 {
    let unusable: _ModelState.Flags = [.fault, .deleted, .lent]
    if let place = wanted.place {
      guard let found = origin.objects.read(row, flags: place.flags, reference: place.row),
        found.flags & unusable.rawValue == 0
      else { return RowNumber.nothing }
      if found.row != RowNumber.unknown { return found.row }
    }
    guard let sibling = origin.known(row), sibling._$state.flags.isDisjoint(with: unusable) else {
      return RowNumber.nothing
    }
    // An unsaved change may give it another partner, and objects of a family have different
    // layouts.
    if wanted.place == nil, !wanted.relation.isOneToOne, origin.map.family == nil {
      wanted.place = ReferencePlace(sibling, wanted.relation.property)
    }
    return try current(sibling, wanted.relation, origin: origin)
  }

  /// Loads the lists of other objects of the batch, as far as there is room.
  func loadSiblings(_ object: any _ModelObject, _ relation: Relation, origin: RowOrigin, rows: inout [UInt64])
    -> Int
  {
    guard let (batch, place) = objects.batch(of: object, origin) else { return 0 }
    return loadLists(batch, place, relation: relation, origin: origin, rows: &rows)
  }

  private func loadLists(
    _ batch: Batch, _ place: Int, relation: Relation, origin: RowOrigin, rows: inout [UInt64]
  ) -> Int {
    var count = 0
    // Loads no list for which other lists would be unloaded, as far as the sizes are known.
    var longest = rows.count + 1
    batch.around(place) { row in
      guard rows.count < Self.mostMembersAtOnce, ledger.hasRoom(for: longest),
        let sibling = origin.known(row),
        sibling._$state.flags.isDisjoint(with: [.fault, .deleted, .lent, .inserted]), !sibling.isUnreadable,
        !sibling._$isFilled(relation.property), !objects.isUnlisted(origin, sibling),
        ledger.lists[LinkKey(sibling, origin, property: relation.property)] == nil
      else { return false }
      // An object that cannot be read records the error when the program reads it.
      let before = rows.count
      guard (try? loadOne(sibling, relation, origin: origin, rows: &rows)) != nil else { return false }
      longest = max(longest, rows.count - before + 1)
      count += 1
      return true
    }
    return count
  }

  /// The limit on members that are loaded for objects that the program has not read yet.
  private static var mostMembersAtOnce: Int { 10_000 }

  /// Reads relationships of a fetch's objects before the program does.
  package func prefetch(_ map: EntityMap, _ models: [some _ModelObject], properties: [Int]) {
    let rows = storedRows(models)
    if !rows.isEmpty { prefetch(map, rows, properties: properties) }
  }

  /// Reads the relationships along a path of to-one relationships, which may end with a list.
  package func prefetch(_ map: EntityMap, _ models: [some _ModelObject], along path: [Int]) {
    var (map, rows) = (map, storedRows(models))
    for property in path {
      let origin = objects.origin(map)
      guard !rows.isEmpty, let relation = relation(origin, property) else { return }
      prefetch(map, rows, properties: [property])
      if relation.isList { return }
      var seen: Set<UInt64> = []
      rows = rows.compactMap { row in
        // A row that the store of a working set did not return has no references.
        guard let object = origin.known(row), !objects.isUnloaded(origin, row),
          let target = try? current(object, relation, origin: origin),
          RowNumber.leads(target), seen.insert(target).inserted
        else { return nil }
        return target
      }
      map = store.maps[relation.target]
    }
  }

  private func storedRows(_ models: [some _ModelObject]) -> [UInt64] {
    guard let first = models.first else { return [] }
    let places = MemberRows(first)
    // An array of objects has the same layout for every class: see ``ManySlot``.
    return unsafeBitCast(models, to: [AnyObject].self).compactMap { places.stored($0) }
  }

  private func prefetch(_ map: EntityMap, _ rows: [UInt64], properties: [Int]) {
    let origin = objects.origin(map)
    let batch = Batch(map.home, rows)
    // Last, because each read makes a batch of its own, and the oldest batches are dropped.
    defer { objects.note(batch) }
    fetchAll(batch, origin, lists: properties.contains { relation(origin, $0)?.isList == true })
    for property in properties {
      guard let relation = relation(origin, property) else { continue }
      settle(relation.pair)
      // All of them at once: a context remembers few batches and would drop those that were read
      // first.
      guard relation.isList else {
        readAllTargets(batch, relation, origin: origin)
        continue
      }
      for place in stride(from: 0, to: rows.count, by: Batch.width) {
        var members: [UInt64] = []
        let count = loadLists(batch, place, relation: relation, origin: origin, rows: &members)
        noteLists(count, relation, members: members)
      }
    }
  }

  /// Fetches missing values of a batch's rows, and reads the objects that were faults before.
  ///
  /// - Parameter lists: whether the members of lists are needed too.
  private func fetchAll(_ batch: Batch, _ origin: RowOrigin, lists: Bool) {
    guard let loadRows else { return }
    objects.attempt { try loadRows(batch.rows.map { (origin.map, $0) }, lists) }
    let faults = batch.rows.filter { origin.known($0)?._$state.flags.contains(.fault) == true }
    guard !faults.isEmpty, let found = try? objects.readTogether(faults, origin) else { return }
    session.release(batch.keep(found))
  }

  /// Records lists that were loaded before the program read them.
  func noteLists(_ count: Int, _ relation: Relation, members: [UInt64]) {
    if count > 0 {
      session.statistics.listsLoadedTogether += count
      session.statistics.coarseReads += 1
    }
    objects.noteBatch(store.maps[relation.target], members)
  }
}

/// A set of row numbers, by open addressing. The standard library's hash would take longer than all
/// other work on a row.
private struct SeenRows {
  /// The numbers; 0 marks a free place. At least half of the places are free.
  private var places: [UInt64] = Array(repeating: 0, count: 64)
  private var count = 0

  /// Adds a number, which must not be 0; returns false if it is in the set already.
  mutating func insert(_ row: UInt64) -> Bool {
    if count &* 2 >= places.count { grow() }
    let place = place(of: row)
    if places[place] == row { return false }
    places[place] = row
    count &+= 1
    return true
  }

  private func place(of row: UInt64) -> Int {
    let mask = places.count &- 1
    var at = Int(truncatingIfNeeded: (row &* 0x9E37_79B9_7F4A_7C15) &>> 32) & mask
    while places[at] != row, places[at] != 0 { at = (at &+ 1) & mask }
    return at
  }

  private mutating func grow() {
    let old = places
    places = Array(repeating: 0, count: old.count * 2)
    for row in old where row != 0 { places[place(of: row)] = row }
  }
}
