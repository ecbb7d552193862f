/// A condition as it was typed, before anybody looked what its names stand for.
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
  /// A property, behind `?.` if the flag says so.
  case property(Placed, String, isChained: Bool)
  case call(Placed, String, [Argument], isChained: Bool)
  case subscripted(Placed, Placed)
  case not(Placed)
  case negate(Placed)
  case unwrap(Placed)
  case binary(String, Placed, Placed)
  /// What `&&` joins, or `||`. A list, so that a long chain is not deep.
  case joined(isAnd: Bool, [Placed])
  case conditional(Placed, Placed, Placed)
  /// `date("…")` and the like.
  case function(String, [Argument])

  struct Argument: Hashable {
    var label: String?
    var value: Placed
    /// What stands in braces: its `$0` is each element.
    var isClosure = false
  }
}

/// The same with the place where it stands.
struct Placed: Hashable {
  var written: Written
  var place: Int
}
