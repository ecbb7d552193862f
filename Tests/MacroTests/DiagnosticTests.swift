import Testing

/// The errors of the macros about sources that they cannot use: the line, the error, the remedy.
@Suite struct DiagnosticTests {
  private func complaints(_ members: String) -> [String] {
    Expansion("@Model class Item {\n\(members)\ninit() {}\n}").complaints
  }

  @Test(arguments: [
    (
      "@Model struct Item {}",
      "1: error: '@Model' can only be attached to a class, not to a struct → make 'Item' a class"
    ),
    ("@Model enum Item {}", "1: error: '@Model' can only be attached to a class, not to an enum"),
    ("@Model actor Item {}", "1: error: '@Model' can only be attached to a class, not to an actor"),
    ("@ModelActor class Store {}", "1: error: '@ModelActor' can only be attached to an actor"),
  ])
  func `the wrong kind of type`(source: String, expected: String) {
    #expect(Expansion(source).complaints == [expected])
  }

  @Test(arguments: [
    ("var n", "2: error: 'n' needs a type: '@Model' cannot store a property without one"),
    ("var a = 1, b = 2", "2: error: '@Model' needs one declaration for each property: write several 'var'"),
    ("var (a, b) = (1, 2)", "2: error: '@Model' cannot store a pattern: write one 'var' for each name"),
    ("let n: Int", "2: error: 'n' cannot be stored, because it is a 'let': write 'var' → write 'var'"),
    (
      "@Attribute(.unique) let n = 1",
      "2: error: 'n' cannot be stored, because it is a 'let': write 'var' → write 'var'"
    ),
    (
      "let id = UUID()",
      "2: warning: 'id' is not stored, because it is a 'let' that each object may set to another value: write 'var', or mark it "
        + "'@Transient' → write 'var'"
    ),
    (
      "var n = 0 { didSet {} }",
      "2: warning: the observers of 'n' are never called, because its model stores it: mark it '@Transient', or react "
        + "where you set it"
    ),
    (
      "lazy var n = 0",
      "2: error: 'n' cannot be lazy, because its model stores it: remove 'lazy', or mark it '@Transient' → remove 'lazy'"
    ),
    (
      "weak var n: AnyObject?",
      "2: error: 'n' cannot be weak, because its model stores it: remove 'weak', or mark it '@Transient' → remove 'weak'"
    ),
    (
      "unowned var n: Item",
      "2: error: 'n' cannot be unowned, because its model stores it: remove 'unowned', or mark it '@Transient' → remove "
        + "'unowned'"
    ),
    (
      "@Validate(.notEmpty) var n: Int = 0",
      "2: error: '.notEmpty' is a rule for texts, and 'n' is of type 'Int': remove the rule, or change the type"
    ),
    (
      "@Validate(.range(0...1), .length(1...)) var n: String?",
      "2: error: '.range' is a rule for numbers and dates, and 'n' is of type 'String': remove the rule, or change the type"
    ),
    (
      "@Transient @Validate(.notEmpty) var n = 0",
      "2: error: 'n' is not stored, so '@Validate' has no effect: remove it"
    ),
    (
      "@Attribute(.ephemeral) @Validate(.notEmpty) var n = \"\"",
      "2: error: 'n' is not stored, so '@Validate' has no effect: remove it"
    ),
    (
      "@Transient var n: Int",
      "2: error: 'n' is '@Transient' and needs a default value, because the store does not have it: write '= …' after it"
    ),
    (
      "@Attribute(.ephemeral) var n: Int",
      "2: error: 'n' is '.ephemeral' and needs a default value, because the store does not have it: write '= …' after it"
    ),
    ("var n: (Int, Int) = (1, 2)", "2: error: 'n' cannot be stored, because it is a tuple: make it a Codable struct"),
    ("var n: () -> Void = {}", "2: error: 'n' cannot be stored, because it is a function: mark it '@Transient'"),
    (
      "@Attribute @Relationship var n: Item?",
      "2: error: 'n' is an attribute or a relationship, not both: remove one of the two"
    ),
    (
      "#Unique<Item>([\\.a])\n#Unique<Item>([\\.b])",
      "3: error: a model has one '#Unique' at most: write '#Unique<Item>([\\.a], [\\.b])'"
    ),
    (
      "#Index<Item>([\\.a])\n#Index<Item>([\\.b])",
      "3: error: a model has one '#Index' at most: write '#Index<Item>([\\.a], [\\.b])'"
    ),
    (
      "#Index<Item>([\\.a, .descending(\\.b)], [\\.c])",
      "2: error: '#Index' has key paths and parts: write '[.ascending(\\.a), .descending(\\.b)], [.ascending(\\.c)]'"
    ),
    (
      "#Index<Item>([\\.a], where: #Predicate { $0.a > 1 })",
      "2: error: the condition of '#Index' is a closure: write 'where: { $0.a > 1 }'"
    ),
  ])
  func `a member that cannot be stored`(member: String, expected: String) {
    #expect(complaints(member) == [expected])
  }

  @Test func `initializers`() {
    #expect(
      Expansion("@Model class Item {\nvar n = 0\n}").complaints
        == ["1: error: @Model requires an initializer be provided for 'Item'"])
    #expect(
      Expansion("@Model class Item {\nvar kind: Kind\ninit() {}\n}").complaints
        == ["3: error: this initializer leaves 'kind' without a value: set it, or give it a default"])
    #expect(Expansion("@Model class Item {\nvar kind: Kind\ninit(_ k: Kind) { kind = k }\n}").complaints.isEmpty)
    #expect(Expansion("@Model class Item {\nvar kind: Kind\ninit() { fatalError() }\n}").complaints.isEmpty)
  }

  @Test(arguments: [
    "let n = 1", "static var n = 1", "var n: Int { 1 }", "@Transient var n: Int?", "@Transient lazy var n = 1",
    "@Transient var n = 1 { didSet {} }", "@Transient weak var n: AnyObject?", "var n: Item!",
    "@Attribute(.ephemeral) var n: Int?", "@Attribute(.ephemeral) var n = 1",
    "@Attribute(.ephemeral) var n = 1 { didSet {} }",
    "#if DEBUG\nvar n = 1\n#endif",
  ])
  func `members that are not changed`(member: String) {
    #expect(complaints(member).isEmpty)
  }
}
