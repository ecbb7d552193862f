/// A parsed condition whose names are not resolved yet.
indirect enum Written: Hashable {
  case null
  case flag(Bool)
  case integer(String)
  case number(String)
  case text(String)
  case row(UInt64)
  case list([Placed])
  /// The element of the innermost closure, or the row.
  case element
  case name(String)
  /// A property, after `?.` if the flag is set.
  case property(Placed, String, isChained: Bool)
  case call(Placed, String, [Argument], isChained: Bool)
  case subscripted(Placed, Placed)
  case not(Placed)
  case negate(Placed)
  case unwrap(Placed)
  case binary(String, Placed, Placed)
  /// Operands of `&&` or `||`. They are in a list, so that a long chain is not deeply nested.
  case joined(isAnd: Bool, [Placed])
  case conditional(Placed, Placed, Placed)
  /// `date("…")` and similar functions.
  case function(String, [Argument])

  struct Argument: Hashable {
    var label: String?
    var value: Placed
    /// Whether it is in braces: then `$0` means each element.
    var isClosure = false
  }
}

/// A part of a condition with its position.
struct Placed: Hashable {
  var written: Written
  var place: Int
}
