package import RoostFile
package import RoostPages

extension Store {
  /// Reads one state of a store. Reads a newer state if the owner overwrote pages of the older one.
  ///
  /// A failure about content counts as damage unless the file has a newer superblock. After ten attempts it throws `busy`.
  ///
  /// - Parameters:
  ///   - store: the store that `body` reads now.
  ///   - renew: moves to the newest state.
  ///   - busy: the error after the last attempt; nil for the usual one.
  package static func retrying<Result>(
    _ store: () -> Store, renew: () throws -> Void, busy: StoreError? = nil, _ body: () throws -> Result
  ) throws -> Result {
    for _ in 0..<mostAttempts {
      do { return try body() } catch let error as StoreError where error.isAboutContent {
        guard try store().isOvertaken() else { throw error }
      }
      try renew()
    }
    throw busy ?? ownerIsFaster(store().path)
  }
}
