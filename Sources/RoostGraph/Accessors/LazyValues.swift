/// Makes the values of an object's empty slots from the row that it keeps.
extension _ModelState {
  /// Makes the text of a property whose slot is empty, for the caller to store. Returns nil if the
  /// property is not lazy, or if the kept row does not contain the text.
  public mutating func _text(_ property: Int) -> String? {
    guard let kept, kept.unread & Self.bit(property) != 0 else { return nil }
    let place = kept.place(property)
    guard place.kind == .variable, !place.isNull(kept.start), let bytes = place.bytes(kept.start),
      let text = String(exactly: bytes)
    else { return nil }
    forgetLazy(Self.bit(property))
    return text
  }

  /// Like ``_text(_:)``. The inner nil means that the stored value is nil.
  public mutating func _textOrNil(_ property: Int) -> String?? {
    guard let kept, kept.unread & Self.bit(property) != 0 else { return nil }
    let place = kept.place(property)
    if place.kind == .variable, place.isNull(kept.start) {
      forgetLazy(Self.bit(property))
      return .some(nil)
    }
    return _text(property).map { .some($0) }
  }
}

extension _ModelObject {
  /// Fills the empty slots of lazy properties whose values the kept row contains. It needs no
  /// context.
  ///
  /// - Parameter wanted: the bits of the properties to fill.
  /// - Returns: whether it filled all of them. ``ObjectTable`` makes the other values, which are
  ///   stored outside the row or were rejected.
  @discardableResult
  package func makeValues(_ wanted: UInt64 = .max) -> Bool {
    guard let kept = _$state.kept else { return true }
    var isComplete = true
    var left = kept.unread & wanted
    while left != 0 {
      let bit = left & (0 &- left)
      left ^= bit
      if !makeValue(bit, kept) { isComplete = false }
      // A user's code decodes some values, and may do anything.
      if _$state.kept != kept { return makeValues(left) && isComplete }
    }
    return isComplete
  }

  private func makeValue(_ bit: UInt64, _ kept: KeptRow) -> Bool {
    kept.retain()
    defer { kept.release() }
    var source = _RowSource(kept.start, kept.plan)
    _$decode(only: bit, from: &source)
    if source.failure != nil { return false }
    if _$state.kept == kept { _$state.forgetLazy(bit) }
    return true
  }
}
