import Testing

/// The errors of `@Model` about derived properties that no store can keep.
@Suite struct DerivedDiagnosticTests {
  private func complaints(_ members: String) -> [String] {
    Expansion("@Model class Item {\n\(members)\ninit() {}\n}").complaints
  }

  @Test(arguments: [
    (
      "@Relationship @Derived(.count(\\Item.lines)) var n: [Line]",
      "2: error: 'n' is derived or a relationship, not both: remove one of the two"
    ),
    (
      "@Derived(\\Item.m) var n = 1",
      "2: error: 'n' is derived and needs its type: write ': ' and the type after it"
    ),
    (
      "@Derived(\\Item.m) var n: Kind",
      "2: error: 'n' is derived and needs a value for objects that are not saved: write '= …' after it"
    ),
    (
      "@Attribute(.unique) @Derived(\\Item.m) var n: Int",
      "2: error: 'n' is derived, so it cannot be unique: remove '.unique'"
    ),
    (
      "@Derived(\\Item.m) var n: Int\n#Unique<Item>([\\.a], [\\.b, \\.n])",
      "3: error: 'n' is derived, so '#Unique' cannot name it: remove it there"
    ),
    (
      "@Derived(.count(\\Item.lines)) var n: Double",
      "2: error: 'n' is a count, so its type is 'Int', not 'Double'"
    ),
    (
      "@Derived(.maximum(\\Item.lines, \\.price)) var n: Decimal",
      "2: error: 'n' has no value while the list is empty, so its type is optional: write 'Decimal?'"
    ),
    (
      "@Derived(.latest(\\Item.lines, of: \\.note, by: \\.day)) var n: String",
      "2: error: 'n' has no value while the list is empty, so its type is optional: write 'String?'"
    ),
    (
      "@Derived(\\Item.n) var n: Int",
      "2: error: a property cannot be derived from itself: 'n' from 'n'"
    ),
    (
      "@Derived(\\Item.double) var n: Int\nvar double: Int { 2 * self.n }",
      "2: warning: 'double' reads 'n', which is derived from it: each save would compute another value"
    ),
    (
      "@Transient @Derived(\\Item.m) var n = 0",
      "2: error: 'n' is not stored, so it cannot be derived: remove '@Derived'"
    ),
    (
      "@Attribute(.ephemeral) @Derived(\\Item.m) var n = 0",
      "2: error: 'n' is not stored, so it cannot be derived: remove '@Derived'"
    ),
  ])
  func `a derived property that cannot be kept`(member: String, expected: String) {
    #expect(complaints(member) == [expected])
  }

  @Test func `a circle over several properties is refused at each of them`() {
    let members = """
      @Derived(\\Item.b) var a: Int
      @Derived(\\Item.c) var b: Int
      @Derived(\\Item.a) var c: Int
      @Derived(\\Item.a) var d: Int
      """
    #expect(
      complaints(members) == [
        "2: error: a property cannot be derived from itself: 'a' from 'b' from 'c' from 'a'",
        "3: error: a property cannot be derived from itself: 'b' from 'c' from 'a' from 'b'",
        "4: error: a property cannot be derived from itself: 'c' from 'a' from 'b' from 'c'",
      ])
  }

  @Test(arguments: [
    "@Derived(\\Item.m) var n: Int", "@Derived(\\Item.m, version: 2) var n: Kind = .plain",
    "@Derived(.count(\\Item.lines)) var n: Int", "@Derived(.sum(\\Item.lines, \\.price)) var n: Decimal",
    "@Derived(.minimum(\\Item.lines, \\.price)) var n: Optional<Int>",
    "@Validate(.range(1...)) @Derived(\\Item.m) var n: Int",
    "@Derived(\\Item.m) var n: Int\nvar m: Int { other.n + list.map { $0.n }.count }",
    "@Derived(\\Item.m) var n: Int\n#Index<Item>([\\.n])\n#Unique<Item>([\\.a])",
    "@Derived(\\Item.m) var n: Int\n@Derived(\\Item.n) var o: Int",
  ])
  func `a derived property that can be kept`(member: String) {
    #expect(complaints(member).isEmpty)
  }
}
