import Foundation
import Roost

// Asks predicates, so that the instructions can be counted that this takes. There are so few rows that finding them is little of it.
//
//   swift build -c release --product Asking
//   valgrind --tool=callgrind --collect-atstart=no --toggle-collect='$s6Asking8measuredyyF' .build/release/Asking WHAT
//
// WHAT is `first NUMBER`: the first predicate of a program, of that kind, made and counted; `new NUMBER`: the same of a kind that was not asked
// before, where all others were; `make NUMBER`, `count NUMBER` or `fetch NUMBER`: made, made and counted or made and fetched a thousand times, of a kind
// that was asked before. Without arguments the kinds are told.

let rounds = 1_000
let words = CommandLine.arguments
guard words.count == 3, let number = Int(words[2]), Kinds.all.indices.contains(number) else {
  print("usage: Asking first|new|make|count|fetch NUMBER, of which\n\(Kinds.list)")
  exit(2)
}
let kind = Kinds.all[number]
let asking = try Asking(rows: 20)

switch words[1] {
case "first": Measured.run { try asking.count(kind.make(1)) }
case "new":
  for other in Kinds.all where other.name != kind.name { try asking.warm(other) }
  Measured.run { try asking.count(kind.make(1)) }
case "make":
  try asking.warm(kind)
  Measured.run { asking.repeated(rounds) { asking.keep(kind.make($0)) } }
case "count":
  try asking.warm(kind)
  Measured.run { try asking.repeated(rounds) { try asking.count(kind.make($0)) } }
case "fetch":
  try asking.warm(kind)
  Measured.run { try asking.repeated(rounds) { try asking.fetch(kind.make($0)) } }
default:
  print("nothing is called '\(words[1])'")
  exit(2)
}
let expected =
  switch words[1] {
  case "first", "new": try asking.evaluated(kind.make(1))
  case "make": rounds
  default: try asking.repeated(rounds) { try asking.evaluated(kind.make($0)) }
  }
let found = try Measured.result.get()
print("\(words[1]), \(kind.name): found \(found)\(found == expected ? "" : ", and should have found \(expected)")")
exit(found == expected ? 0 : 1)
