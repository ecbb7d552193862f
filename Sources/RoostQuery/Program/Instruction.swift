internal import RoostRecords

/// One step of a program. Registers are named by number.
struct Instruction {
  var code: Code
  /// What a comparison asks, and from bit 3 on whether it jumps when that holds.
  var detail: UInt8 = 0
  var target: UInt16 = 0
  var one: UInt16 = 0
  var two: UInt16 = 0
  /// Where a jump goes, or which of the program's lists is meant.
  var extra: Int32 = 0

  enum Code: UInt8 {
    /// target = field `extra` of the row in `one`
    case load
    /// target = the row to which the reference in `one` leads, by way of `extra`
    case follow
    /// target = one
    case copy
    case jump
    /// If `one` is true, as `detail` says.
    case jumpIf
    /// If `one` is nil, as `detail` says.
    case jumpIfNull
    case compareSigned, compareUnsigned, compareDouble, compareText, compareBytes
    /// If the needle `two` says so of `one`.
    case find
    /// If `one` is among the members `two`.
    case member
    /// If the regular expression `two` finds something in `one`.
    case match
    /// If the text `one` is empty.
    case empty
    /// target = how many characters `one` has
    case characters
    /// target = what the arithmetic of the term `extra` makes of `one` and `two`
    case integers, floats
    /// `one` must not be nil; else the term `extra` is at fault.
    case demand
    /// target = what the interpreter says of `extra`
    case interpret
    /// Begins the loop `two` through the rows of `one`.
    case begin
    /// target = the next row of the loop `two`; behind the last it jumps.
    case next
    /// Of the list `two`: nothing is in it; the row `one` is put in; a loop through it begins.
    case clear, keep, rewind
    /// target = the next row of the list `two`; behind the last it jumps.
    case nextKept
    /// target = how many rows belong to `one` by the loop `two`, or the first or last of them
    case memberCount, firstMember, lastMember
    /// target = how many rows are in the list `two`, or the first or last of them
    case keptCount, firstKept, lastKept
    /// If some row belongs to `one` by the loop `two`.
    case hasMembers
    /// If the row `one` belongs to the row `target` by the loop `two`.
    case belongs
    /// If the row `one` is in the list `two`.
    case isKept
    /// If the full text search `two` finds the row `one`.
    case isFound
    /// target = the rank of the row `one` by the full text search `two`
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
  /// By version of the layout.
  var places: [FieldPlace]
}

/// A reference that a program follows.
struct Passage {
  var table: TableReader
  var term: Term
}

/// A term that a program leaves to the interpreter, and where its variables stand.
struct Escape {
  var term: Term
  var bindings: [(variable: Int, register: UInt16, kind: Kind)]
  /// Variables that stand for all rows of a loop's relationship.
  var rows: [(variable: Int, owner: UInt16, loop: UInt16)]
}
