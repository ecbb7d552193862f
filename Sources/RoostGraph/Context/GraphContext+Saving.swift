package import RoostPages

/// Saves, and what is asked of unique values before one.
extension GraphContext {
  /// Takes over what others committed, and lets both sides of each relationship agree. Called within a call that saves.
  ///
  /// - Parameter isOutermost: false in a save within another call of the context, whose snapshot must stay.
  package func prepareSave(isOutermost: Bool) {
    if isOutermost { catchUpQuietly() }
    links.settle()
  }

  /// Writes all changes, or none if it throws.
  package func save(_ durability: SyncMode? = nil) throws { try Self.save([self], durability) }

  /// - Parameter timeoutMilliseconds: how long it waits for another writer; nil for as long as it takes.
  package static func save(_ contexts: [GraphContext], isRelaxed: Bool, timeoutMilliseconds: UInt64? = nil) throws {
    try save(contexts, Saver.Way(durability: isRelaxed ? .relaxed : .full, timeoutMilliseconds: timeoutMilliseconds))
  }

  /// Writes the changes of contexts of several stores. Each store is asked for everything before the first one commits.
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

  /// The stored object that has unique values of this one; nil if there is none, or if it is this one itself.
  package func existing(like object: any _ModelObject) throws -> (any _ModelObject)? {
    try call(.reading) { try saver.existing(like: object) }
  }

  /// Throws where an object has unique values of a stored one, or of one that waits to be saved; or where one has that comes along with it.
  package func checkUnique(_ object: any _ModelObject) throws {
    try call(.reading) { try saver.checkUnique(object) }
  }
}
