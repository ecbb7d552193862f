package import RoostFile
internal import RoostPages

/// Carries out the log of a store whose module knows no more of its trees than their entries: each piece is a change of one tree.
package protocol SalvagedLog {
  /// Carries out one piece. Throws where the piece makes no sense, which is a loss.
  func carryOut(_ kind: UInt8, _ bytes: UnsafeRawBufferPointer, in rescue: Rescue) throws(StoreError)
}

extension Rescue {
  /// Carries out the log on the saved trees, as far as the log is whole.
  func carryOutLog(_ log: (any SalvagedLog)?, _ fileSystem: any FileSystem) throws(StoreError) {
    var failed = 0
    var first: StoreError?
    let failure = try examination.readLog(fileSystem) { (kind, bytes) throws(StoreError) in
      guard kind >= Store.PieceKind.firstOfFloorAbove else { return }
      do throws(StoreError) {
        guard let log else { throw StoreError(.logDamaged, "the log is not one of rows") }
        try log.carryOut(kind, bytes, in: self)
      } catch {
        // What the new store cannot take is an error; what the log does not tell is a loss.
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
  /// Whether the error tells that something was not in the log as expected.
  fileprivate var isAboutSalvaged: Bool {
    switch code {
    case .logDamaged, .alreadyExists, .notFound, .invalidName, .treeKindMismatch, .keyTooLong, .valueTooLarge: true
    default: false
    }
  }
}
