internal import RoostFile
internal import RoostRecords

/// Reads rows into objects, for one object or its whole batch.
extension ObjectTable {
  /// Reads a fault's row, and the rows of other faults of its batch. If its own row cannot be read,
  /// the object is invalid from here on, and its extras contain the error.
  ///
  /// - Parameters:
  ///   - object: the fault.
  ///   - origin: its origin.
  ///   - property: the property that the program reads.
  func fill(_ object: any _ModelObject, _ origin: RowOrigin, for property: Int? = nil) {
    do {
      let table = try session.table(origin.map)
      fillSiblings(of: object, table, origin, for: property)
      guard try read(object, table, origin: origin) else {
        throw GraphFault(
          .deleted, "there is no such row", entity: origin.map.type.name, row: object._$state.row)
      }
      if object._$state.flags.contains(.fault) {
        throw GraphFault(
          .deleted,
          "its store did not return it: it was deleted there, the store could not be reached, or none of its values was read yet. "
            + "Read one before you change a relationship to it",
          entity: origin.map.type.name, row: object._$state.row)
      }
    } catch {
      let before = failure
      fail(object, error)
      // A read error in an object's own `deinit` need not stop a save.
      if isEnding(object) { forgetFailure(after: before) }
      fillEmpty(object, origin.map)
    }
  }

  /// Fills an object from its row. It throws if that is impossible, or if the type of a property
  /// rejects its stored value.
  func load(_ object: any _ModelObject) throws {
    guard let origin = try origin(of: object) else { return }
    // Loaded lists stay: only values are read again.
    var lists: [(property: Int, members: [AnyObject])] = []
    if object._$state.flags.contains(.invalid) {
      for case .some(let relation) in store.relations[origin.map.number] where relation.isList {
        if let members = object.many(relation.property).members { lists.append((relation.property, members)) }
      }
      tryAgain(object)
    }
    defer { for (property, members) in lists { object.many(property).members = members } }
    guard object._$state.flags.contains(.fault) || object._$state.kept != nil else { return }
    let before = failure
    if object._$state.flags.contains(.fault) { fill(object, origin) }
    makeValues(object)
    guard object._$state.flags.contains(.invalid) else { return }
    if !object.isUnreadable {
      guard let (property, error) = object.refused.min(by: { $0.key < $1.key }) else { return }
      throw refusal(error, name(object), property: property, map: origin.map)
    }
    let error = object._$state.extras?.failure
    tryAgain(object)
    // The caller gets the error now, so no save need throw it.
    forgetFailure(after: before)
    throw error
      ?? GraphFault(.unreadable, "the value could not be read", entity: origin.map.type.name, row: object._$state.row)
  }

  private func fillSiblings(
    of object: any _ModelObject, _ table: TableReader, _ origin: RowOrigin, for property: Int?
  ) {
    var siblings: [any _ModelObject] = []
    if let (batch, place) = batch(of: object, origin) {
      batch.around(place) { row in
        guard let sibling = origin.known(row), sibling !== object, sibling._$state.flags.contains(.fault) else {
          return false
        }
        siblings.append(sibling)
        return true
      }
    }
    if siblings.isEmpty {
      session.statistics.faultsFilled += 1
      return noteSingle(origin, property)
    }
    session.statistics.coarseReads += 1
    session.statistics.faultsFilledTogether += siblings.count + 1
    // The program has not read these objects yet; an object that cannot be read records the error
    // when it does.
    for sibling in siblings { fillIfReadable(sibling, table, origin: own(origin, sibling)) }
  }

  /// The object of one row, read when the row is looked up; nil if there is no such row.
  ///
  /// - Parameters:
  ///   - row: the number of the row.
  ///   - origin: the origin of its class.
  ///   - isAlone: whether it is not one of several that are read one after the other.
  func readOne(_ row: UInt64, _ origin: RowOrigin, isAlone: Bool = true) throws -> (any _ModelObject)? {
    let table = try session.table(origin.map)
    return try table.withRow(RowID(row)) { (found) throws(StoreError) -> (any _ModelObject)? in
      guard let own = self.origin(origin, of: found) else { return nil }
      let object = own.object(row)
      if object._$state.flags.contains(.fault) {
        if isAlone { session.statistics.faultsFilled += 1 } else { session.statistics.faultsFilledTogether += 1 }
        take(found, table, into: object, origin: own)
      }
      return object
    } ?? nil
  }

  /// Reads rows whose objects are faults or do not exist yet, and returns the objects. Unreadable
  /// ones are left out.
  func readTogether(_ rows: [UInt64], _ origin: RowOrigin) throws -> [any _ModelObject] {
    let table = try session.table(origin.map)
    var found: [any _ModelObject] = []
    found.reserveCapacity(rows.count)
    for row in rows.sorted() {
      guard let own = try? self.origin(origin, of: row, table) else { continue }
      let object = own.object(row)
      if object._$state.flags.contains(.fault), !fillIfReadable(object, table, origin: own) { continue }
      found.append(object)
    }
    session.statistics.coarseReads += 1
    session.statistics.faultsFilledTogether += found.count
    return found
  }

  /// Reads a row, or leaves the object a fault.
  @discardableResult
  private func fillIfReadable(_ object: any _ModelObject, _ table: TableReader, origin: RowOrigin) -> Bool {
    if (try? read(object, table, origin: origin)) == true { return true }
    session.release(object._$forget())
    object._$state.flags.insert(.fault)
    return false
  }

  /// Fills an object from its row; returns false if there is none.
  private func read(_ object: any _ModelObject, _ table: TableReader, origin: RowOrigin) throws -> Bool {
    var failure: (any Error)?
    let id = RowID(object._$state.row)
    let found = try table.withRow(id) { (row) throws(StoreError) in
      failure = decode(row, table, into: object, origin: origin)
      return true
    }
    if let failure { throw failure }
    return found != nil
  }

  /// Whether a row of a working set has no values in the shown snapshot.
  @inline(__always)
  func isUnloaded(_ origin: RowOrigin, _ row: UInt64) -> Bool {
    guard let backing = session.store.backing, hidesUnloaded else { return false }
    return backing.keys.isUnloaded(origin.map, row, in: session.seenCommit)
  }

  /// Whether the shown snapshot lacks the members of a stored object's lists.
  func isUnlisted(_ origin: RowOrigin, _ object: any _ModelObject) -> Bool {
    !object._$state.flags.contains(.inserted) && isUnlisted(origin, object._$state.row)
  }

  func isUnlisted(_ origin: RowOrigin, _ row: UInt64) -> Bool {
    guard let backing = session.store.backing, hidesUnloaded else { return false }
    return backing.keys.isUnlisted(origin.map, row, in: session.seenCommit)
  }

  /// Gives an object the values of a row.
  func take(_ row: Row, _ table: TableReader, into object: any _ModelObject, origin: RowOrigin) {
    guard let failure = decode(row, table, into: object, origin: origin) else { return }
    fail(object, failure)
    fillEmpty(object, origin.map)
  }

  private func decode(
    _ row: Row, _ table: TableReader, into object: any _ModelObject, origin: RowOrigin
  ) -> (any Error)? {
    // It stays a fault until its values were fetched.
    if isUnloaded(origin, row.id.number) { return nil }
    let plan = origin.map.rows[row.version]
    var source = _RowSource(row.start, plan, large: LargeValuesOfRow(table: table, row: row.id))
    source.lazy = keep(row, .passUnretained(plan), lazy: plan.lazy, in: object)
    object._$decode(from: &source)
    object._$state.flags.remove([.fault, .invalid])
    return source.noteRefused(in: object)
  }

  /// Reads the values that are stored outside a row.
  struct LargeValuesOfRow: _RowSource.LargeValues {
    let table: TableReader
    let row: RowID

    func bytes(of field: FieldID) throws(StoreError) -> [UInt8] { try table.large(field, row) }
  }
}
