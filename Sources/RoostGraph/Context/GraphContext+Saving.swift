package import RoostPages

/// Saves, and looks unique values up before a save.
extension GraphContext {
  /// Merges the commits of others, and updates both sides of each relationship. Called within a
  /// call that saves.
  ///
  /// - Parameter isOutermost: false in a save within another call of the context, which keeps its
  ///   snapshot.
  package func prepareSave(isOutermost: Bool) {
    if isOutermost { catchUpQuietly() }
    links.settle()
  }

  /// Writes all changes, or none if it throws.
  package func save(_ durability: SyncMode? = nil) throws { try Self.save([self], durability) }

  /// - Parameters:
  ///   - contexts: the contexts to save, of several stores.
  ///   - isRelaxed: whether the commit returns before it is synced.
  ///   - timeoutMilliseconds: how long it waits for another writer; nil to wait without a limit.
  package static func save(_ contexts: [GraphContext], isRelaxed: Bool, timeoutMilliseconds: UInt64? = nil) throws {
    try save(contexts, Saver.Way(durability: isRelaxed ? .relaxed : .full, timeoutMilliseconds: timeoutMilliseconds))
  }

  /// Writes the changes of contexts of several stores. All stores prepare their commit before the
  /// first one commits.
  package static func save(_ contexts: [GraphContext], _ durability: SyncMode? = nil) throws {
    try save(contexts, Saver.Way(durability: durability, timeoutMilliseconds: nil))
  }

  private static func save(_ contexts: [GraphContext], _ way: Saver.Way) throws {
    try calling(contexts[...]) { try Saver.save(contexts.map(\.saver), way) }
  }

  private static func calling(_ contexts: ArraySlice<GraphContext>, _ body: () throws -> Void) throws {
    guard let first = contexts.first else { return try body() }
    try first.call(.saving) { try calling(contexts.dropFirst(), body) }
  }

  /// The stored object that has the unique values of this one; nil if there is none, or if it is
  /// this object.
  package func existing(like object: any _ModelObject) throws -> (any _ModelObject)? {
    try call(.reading) { try saver.existing(like: object) }
  }

  /// Throws if an object, or one that would be inserted with it, has the unique values of a stored
  /// or unsaved object.
  package func checkUnique(_ object: any _ModelObject) throws {
    try call(.reading) { try saver.checkUnique(object) }
  }
}
