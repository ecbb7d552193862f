/// The flags that a context sets in its objects.
extension _ModelState.Flags {
  /// It has no row yet.
  static var inserted: Self { Self(rawValue: firstBit) }
  /// Some of its properties differ from its row, and the context keeps it.
  static var changed: Self { Self(rawValue: firstBit << 1) }
  /// It is to be deleted or was deleted.
  static var deleted: Self { Self(rawValue: firstBit << 2) }
  /// It has no row any more.
  static var gone: Self { Self(rawValue: firstBit << 3) }

  private static var firstBit: UInt32 { firstOfOrigin }

  var isPending: Bool { !isDisjoint(with: [.inserted, .changed, .deleted]) && !contains(.gone) }
}

extension _ModelObject {
  /// Whether it is deleted or will be by the next save.
  package var isMarkedDeleted: Bool { _$state.flags.contains(.deleted) }
  /// Whether its deletion was saved.
  package var isGone: Bool { _$state.flags.contains(.gone) }
  /// Whether it has unsaved changes.
  package var isPending: Bool { _$state.flags.isPending }
  /// Whether it has a row.
  package var isStored: Bool { _$state.row != 0 && !_$state.flags.contains(.inserted) }

  /// Marks the object as deleted and without a row.
  package func markGone() { _$state.flags.insert([.deleted, .gone]) }

  /// Whether the program kept it from a bulk write or from `validate`. It has the values of a row,
  /// and it was never in an identity map, which gives each of its objects a smaller ticket.
  var isKeptCopy: Bool { _$state.flags.contains(.gone) && _$state.ticket == .max }
}
