package import RoostFile
internal import RoostPages

/// Replays the log of a store whose module knows only entries of trees: each piece is a change of
/// one tree.
package protocol SalvagedLog {
  /// Replays one piece. Throws if the piece is meaningless, which is a loss.
  func carryOut(_ kind: UInt8, _ bytes: UnsafeRawBufferPointer, in rescue: Rescue) throws(StoreError)
}

extension Rescue {
  /// Replays the valid part of the log over the saved trees.
  func carryOutLog(_ log: (any SalvagedLog)?, _ fileSystem: any FileSystem) throws(StoreError) {
    var failed = 0
    var first: StoreError?
    let failure = try examination.readLog(fileSystem) { (kind, bytes) throws(StoreError) in
      guard kind >= Store.PieceKind.firstOfFloorAbove else { return }
      do throws(StoreError) {
        guard let log else { throw StoreError(.logDamaged, "the store has no rows, but its log has changes of rows") }
        try log.carryOut(kind, bytes, in: self)
      } catch {
        // If the new store cannot be written, that is an error. If the log cannot be replayed, that
        // is a loss.
        guard error.isAboutSalvaged else { throw error }
        failed += 1
        first = first ?? error
      }
      try target.transaction.relieve()
    }
    if let first {
      lose(nil, StoreError(first.code, "\(failed) changes in the log cannot be replayed: \(first.detail)"))
    }
    if let failure { lose(nil, failure) }
  }
}

extension StoreError {
  /// Whether the error means that the log did not contain the expected data.
  fileprivate var isAboutSalvaged: Bool {
    switch code {
    case .logDamaged, .alreadyExists, .notFound, .invalidName, .treeKindMismatch, .keyTooLong, .valueTooLarge: true
    default: false
    }
  }
}
