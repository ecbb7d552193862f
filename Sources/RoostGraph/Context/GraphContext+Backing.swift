internal import RoostRecords

/// A context over a working set: it loads unloaded rows, and saves to the backing store.
extension GraphContext: BackedContext {
  package var failure: (any Error)? { objects.failure }

  /// Connects the owners to the backing store. The context that writes fetched rows into the
  /// working set is not connected.
  func connect(_ backing: any BackingStore) {
    links.loadRows = { [unowned self] rows, lists in
      // The backing store gets no requests while it saves. The save omits lists whose members are
      // not loaded.
      if lists, saver.isAsking { return }
      try load(rows, from: backing, lists: lists)
    }
    saver.saveBacking = { [unowned self] changes in
      saver.isAsking = true
      defer { saver.isAsking = false }
      return try backing.save(changes, of: self)
    }
    saver.refreshBacking = { [unowned self] rows in try backing.refresh(rows, for: self) }
    saver.loadBacking = { [unowned self] rows, lists in try load(rows, from: backing, lists: lists) }
  }

  private func load(
    _ rows: [(map: EntityMap, row: UInt64)], from backing: any BackingStore, lists: Bool = false
  ) throws {
    let keys = backing.keys
    if keys.missing(rows, lists: lists, in: session.seenCommit).isEmpty { return }
    // The newest state has the rows that other contexts loaded.
    var rows = keys.missing(rows, lists: lists, in: nil)
    var turns = 0
    while !rows.isEmpty, turns == 0 || lists {
      try backing.load(rows, for: self, lists: lists)
      // Another call may have fetched newer values of a row meanwhile, without its lists; older
      // values were not taken then.
      rows = keys.missing(rows, lists: lists, in: nil)
      turns += 1
      if turns == Self.mostTurns, lists, !rows.isEmpty {
        throw GraphFault(
          .conflict, "other contexts fetched the same objects during each of \(turns) attempts: do it again")
      }
    }
    try follower.advance()
  }

  private static var mostTurns: Int { 100 }

  /// Loads the unloaded rows among `rows`.
  ///
  /// - Parameters:
  ///   - rows: the rows.
  ///   - lists: whether the members of lists are needed too.
  package func load(unloaded rows: [(map: EntityMap, row: UInt64)], lists: Bool = false) throws {
    if let backing = store.backing { try call(.reading) { try load(rows, from: backing, lists: lists) } }
  }

  /// Runs a call. Returns its result, or an error of the type `fault` that it threw or that a
  /// getter in it recorded. After such an error the objects are as before.
  package func trying<Fault: Error, Result>(
    _ fault: Fault.Type, _ body: () throws -> Result
  ) throws -> (result: Result?, fault: Fault?) {
    let before = objects.failure
    objects.forgetFailure(after: nil)
    let result = Swift.Result { try body() }
    var met = objects.failure as? Fault
    if case .failure(let error) = result, met == nil { met = error as? Fault }
    if met != nil { objects.forgetInvalid() }
    objects.forgetFailure(after: before ?? objects.failure)
    return met != nil ? (nil, met) : (try result.get(), nil)
  }

  /// Shows the newest snapshot, even if the context does not merge the commits of others.
  package func showNewest() throws { try call(.fetching) { try follower.advance() } }
}
