internal import RoostRecords

/// One step of a program. Registers have numbers.
struct Instruction {
  var code: Code
  /// The comparison operator, and from bit 3 on whether to jump if the comparison holds.
  var detail: UInt8 = 0
  var target: UInt16 = 0
  var one: UInt16 = 0
  var two: UInt16 = 0
  /// The target of a jump, or an index into one of the program's lists.
  var extra: Int32 = 0

  enum Code: UInt8 {
    /// target = field `extra` of the row in `one`
    case load
    /// target = the row that the reference in `one` refers to, by passage `extra`
    case follow
    /// target = one
    case copy
    case jump
    /// Jumps if `one` is true, or if it is not, according to `detail`.
    case jumpIf
    /// Jumps if `one` is nil, or if it is not, according to `detail`.
    case jumpIfNull
    case compareSigned, compareUnsigned, compareDouble, compareText, compareBytes
    /// Jumps if the text `one` passes the test of needle `two`.
    case find
    /// Jumps if `one` is in the constant set `two`.
    case member
    /// Jumps if the regular expression `two` matches a part of `one`.
    case match
    /// Jumps if the text `one` is empty.
    case empty
    /// target = the number of characters in `one`
    case characters
    /// target = the result of the arithmetic of term `extra` on `one` and `two`
    case integers, floats
    /// Throws an error about the term `extra` if `one` is nil.
    case demand
    /// target = the interpreter's value of escape `extra`
    case interpret
    /// Begins the loop `two` over the rows of `one`.
    case begin
    /// target = the next row of the loop `two`; jumps after the last.
    case next
    /// The list `two`: `clear` empties it, `keep` appends the row `one`, `rewind` begins a loop
    /// over it.
    case clear, keep, rewind
    /// target = the next row of the list `two`; jumps after the last.
    case nextKept
    /// target = the number of rows that the loop `two` has for `one`, or the first or last of them
    case memberCount, firstMember, lastMember
    /// target = the number of rows in the list `two`, or the first or last of them
    case keptCount, firstKept, lastKept
    /// Jumps if the loop `two` has a row for `one`.
    case hasMembers
    /// Jumps if the loop `two` has the row `one` for the row `target`.
    case belongs
    /// Jumps if the list `two` contains the row `one`.
    case isKept
    /// Jumps if the full text search `two` finds the row `one`.
    case isFound
    /// target = the rank of the row `one` in the full text search `two`
    case rank
    case yes, no
  }

  @inline(__always)
  var sense: Bool { detail & 8 != 0 }
  @inline(__always)
  var question: UInt8 { detail & 7 }
}

/// A field that a program reads.
struct FieldLoad {
  var coding: CellCoding
  var field: FieldID
  var initial: Cell
  var isOptional: Bool
  var table: TableReader
  /// The places by version of the layout.
  var places: [FieldPlace]
}

/// A reference that a program follows.
struct Passage {
  var table: TableReader
  var term: Term
  /// Whether a missing row is nil, and no error.
  var isLoose: Bool
}

/// A term that a program leaves to the interpreter, and the registers of its variables.
struct Escape {
  var term: Term
  var bindings: [(variable: Int, register: UInt16, kind: Kind)]
  /// Variables that are bound to all rows of a loop's relationship.
  var rows: [(variable: Int, owner: UInt16, loop: UInt16)]
}
