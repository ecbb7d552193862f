import Foundation
import Testing

/// The expansions of `#Predicate`, as text, and its errors.
@Suite struct PredicateExpansionTests {
  /// Replaces the builders' long names by short ones.
  private static func short(_ text: String) -> String {
    text.replacing("PredicateExpressions.build_", with: "").replacing("PredicateExpressions.", with: "")
      .replacing("_roost", with: "v")
  }

  @Test(arguments: [
    ("{ $0.n == 5 }", "{ v1 in Equal(lhs: KeyPath(root: v1, keyPath: \\.n), rhs: Arg(5)) }"),
    (
      "{ item in item.a.b < limit }",
      "{ v1 in Comparison(lhs: KeyPath(root: KeyPath(root: v1, keyPath: \\.a), keyPath: \\.b), "
        + "rhs: Arg(limit), op: .lessThan) }"
    ),
    ("{ _ in true }", "{ _ in Arg(true) }"),
    (
      "{ $0.a?.b == nil }",
      "{ v1 in Equal(lhs: flatMap(KeyPath(root: v1, keyPath: \\.a), { v2 in KeyPath(root: v2, keyPath: \\.b) }), "
        + "rhs: NilLiteral()) }"
    ),
    (
      "{ $0.a?.b?.c ?? d }",
      "{ v1 in NilCoalesce(lhs: flatMap(KeyPath(root: v1, keyPath: \\.a), { v2 in flatMap("
        + "KeyPath(root: v2, keyPath: \\.b), { v3 in KeyPath(root: v3, keyPath: \\.c) }) }), rhs: Arg(d)) }"
    ),
    ("{ !$0.a }", "{ v1 in\nlet v2 = KeyPath(root: v1, keyPath: \\.a)\nreturn Negation(v2)\n}"),
    (
      "{ $0.a && $0.b && c }",
      "{ v1 in\nlet v2 = KeyPath(root: v1, keyPath: \\.a)\nlet v3 = KeyPath(root: v1, keyPath: \\.b)\n"
        + "let v4 = Arg(c)\nlet v5 = Conjunction(lhs: v2, rhs: v3)\nreturn Conjunction(lhs: v5, rhs: v4)\n}"
    ),
    (
      "{ $0.list.contains { $0.n == x.n } }",
      "{ v1 in contains(KeyPath(root: v1, keyPath: \\.list), "
        + "where: { v2 in Equal(lhs: KeyPath(root: v2, keyPath: \\.n), rhs: Arg(x.n)) }) }"
    ),
    (
      "{ (1...3).contains($0.n) }",
      "{ v1 in contains(ClosedRange(lower: Arg(1), upper: Arg(3)), KeyPath(root: v1, keyPath: \\.n)) }"
    ),
    (
      "{ $0.list.average(\\.n) == x }",
      "{ v1 in Equal(lhs: average(KeyPath(root: v1, keyPath: \\.list), "
        + "{ v2 in KeyPath(root: v2, keyPath: \\.n) }), rhs: Arg(x)) }"
    ),
    (
      "{ $0.list.sum(\\Item.a.b) > 1 }",
      "{ v1 in Comparison(lhs: sum(KeyPath(root: v1, keyPath: \\.list), { v2 in "
        + "KeyPath(root: KeyPath(root: v2, keyPath: \\.a), keyPath: \\.b) }), rhs: Arg(1), op: .greaterThan) }"
    ),
    ("{ $0 is Dog }", "{ v1 in TypeCheck<_, Dog>(v1) }"),
    (
      "{ a in let b = a.b; let c = 5 + 1; return b == c }",
      "{ v1 in\nlet v2 = KeyPath(root: v1, keyPath: \\.b)\nlet c = 5 + 1\n"
        + "return Equal(lhs: v2, rhs: Arg(c))\n}"
    ),
    (
      "{ a in if let b = a.b { b > 1 } else { false } }",
      "{ v1 in NilCoalesce(lhs: flatMap(KeyPath(root: v1, keyPath: \\.b), "
        + "{ v2 in Comparison(lhs: v2, rhs: Arg(1), op: .greaterThan) }), rhs: Arg(false)) }"
    ),
  ]) func `a closure`(source: String, expected: String) {
    let expansion = Expansion("let p = #Predicate<Item> \(source)")
    #expect(expansion.complaints.isEmpty)
    #expect(Self.short(expansion.text) == "let p = Foundation.Predicate<Item>(\(expected))")
  }

  @Test func `a name in the closure that hides one of the program`() {
    let text = Self.short(
      Expansion("let p = #Predicate<Item> { n in xs.contains { n in n.a } && n.b == { n in n }(3) }").text)
    #expect(text.contains("let v3 = contains(Arg(xs), where: { v2 in KeyPath(root: v2, keyPath: \\.a) })"))
  }

  @Test func `the else branch is written once for several conditions`() {
    let text = Self.short(Expansion("let p = #Predicate<Item> { if $0.a, $0.b, $0.c { $0.d } else { $0.e } }").text)
    #expect(text.components(separatedBy: "\\.e").count == 2 && text.components(separatedBy: "Conjunction(").count == 3)
  }

  @Test func `the type that the parameter names`() {
    let text = Expansion("let p = #Predicate { (item: Item) in item.isNew }").text
    #expect(text.hasPrefix("let p = Foundation.Predicate<Item>({ _roost1 in "))
  }

  @Test(arguments: [
    ("{ $0.name.reversed() == x }", "'reversed'"), ("{ $0.n & 1 == 0 }", "'&'"), ("{ $0.n = 5 }", "'='"),
    ("{ a in for b in a.list { return true } }", "this statement"),
    ("{ a in var b = a.n; return b == 1 }", "let name = value"),
    ("{ f($0.n) }", "cannot call this"), ("{ $0.list[1, 2] }", "list[number]"), ("{ a in }", "needs a value"),
    ("{ a in a.n; a.m }", "not used"), ("{ ~$0.n == 1 }", "'!' and '-'"),
    ("{ $0.list.sum(\\.a?.b) == 1 }", "plain properties"), ("{ $0.list.max(by) == 1 }", "'max'"),
  ]) func `unsupported expressions`(source: String, word: String) {
    let complaints = Expansion("let p = #Predicate<Item> \(source)").complaints
    #expect(complaints.count == 1 && complaints.first?.contains(word) == true, "\(complaints)")
  }

  @Test func `a refused expression has no second error`() {
    let expansion = Expansion("let e = #Expression<Item, Double> { Double($0.n) }")
    #expect(expansion.complaints.count == 1 && expansion.complaints.first?.contains("cannot call this") == true)
    #expect(expansion.text == "let e = { preconditionFailure() }()", "\(expansion.text)")
  }

  @Test func `no closure`() {
    let complaints = Expansion("let p = #Predicate<Item>(other)").complaints
    #expect(complaints.count == 1 && complaints.first?.contains("needs a closure") == true, "\(complaints)")
  }
}
