/// What a context notes of its objects.
extension _ModelState.Flags {
  /// It has no row yet.
  static var inserted: Self { Self(rawValue: firstBit) }
  /// Some of its properties differ from its row, and the context keeps it.
  static var changed: Self { Self(rawValue: firstBit << 1) }
  /// It is to be deleted, or it was.
  static var deleted: Self { Self(rawValue: firstBit << 2) }
  /// It has no row any more.
  static var gone: Self { Self(rawValue: firstBit << 3) }

  private static var firstBit: UInt32 { firstOfOrigin }

  var isPending: Bool { !isDisjoint(with: [.inserted, .changed, .deleted]) && !contains(.gone) }
}
