import Foundation
import Roost

// Runs predicates, to count the instructions that this takes. There are so few rows that finding
// them is a small part.
//
//   swift build -c release --product Asking
//   valgrind --tool=callgrind --collect-atstart=no --toggle-collect='$s6Asking8measuredyyF' .build/release/Asking WHAT
//
// `first NUMBER` makes and counts the first predicate of a program, of that kind. `new NUMBER` does
// the same for a new kind, after all other kinds. `make NUMBER`, `count NUMBER` and `fetch NUMBER`
// use a kind that ran before, a thousand times: they only make the predicate, or also count or fetch.
// Without arguments the program lists the kinds.

let rounds = 1_000
let words = CommandLine.arguments
guard words.count == 3, let number = Int(words[2]), Kinds.all.indices.contains(number) else {
  print("usage: Asking first|new|make|count|fetch NUMBER, where NUMBER is one of\n\(Kinds.list)")
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
  print("there is no command '\(words[1])'")
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
