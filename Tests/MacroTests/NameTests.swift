import SwiftParser
import SwiftSyntax
import Testing

/// A property `slot` is stored in a member `_slot`. Before the fix, that member hid the library's
/// function `_slot`, which the expansion called: the model did not compile, and the errors pointed
/// into generated code. `related`, `stored`, `coder` and `makeModelType` had the same problem.
@Suite struct NameTests {
  @Test(arguments: [
    """
    @Model @Snapshots(.codable) public final class Item {
      @Attribute(.unique, originalName: "key") var id: UUID
      @Attribute(.transformable(by: "name")) var tint: Tint
      @Relationship(deleteRule: .cascade) var tags: [Tag] = []
      @Transient var shown = false
      var kind: Kind?
      var count = 1
      #Index<Item>([\\.id])
      #Unique<Item>([\\.count])
      init() {}
    }
    """,
    "@Model @Snapshots open class Item {\nvar n: Tint\ninit() {}\n}",
    "@Model class Item<Value: Codable> {\nvar n: Value\nvar m: [Value] = []\ninit() {}\n}",
  ])
  func `a model calls nothing by a name that a property can hide`(source: String) {
    #expect(Self.names(in: Expansion(source).text) == [])
  }

  @Test func `a subclass calls nothing by a name that a property can hide`() {
    let source = "@Model @Snapshots class Item: Animal {\nvar n: Tint\nvar tags: [Tag] = []\ninit() {}\n}"
    #expect(Self.names(in: Expansion(source, conformances: []).text) == [])
  }

  @Test func `the search finds such a name`() {
    #expect(
      Self.names(in: "class Item {\nvar _n = _slot(for: Int.self)\nfunc f() { _n.put(_ModelState()) }\n}") == [
        "_ModelState", "_slot",
      ])
  }

  /// The names that begin an expression without a module's name before them, and that are not local
  /// and not members of the class.
  private static func names(in text: String) -> [String] {
    let search = Search(viewMode: .sourceAccurate)
    search.walk(Parser.parse(source: text))
    return search.used.subtracting(search.declared).subtracting(known).filter { !$0.contains("$") }.sorted()
  }

  /// Words of the language, and the classes of the sources.
  private static let known: Set<String> = [
    "self", "super", "Self", "newValue", "unchecked", "Item", "Animal", "Snapshot", "UUID", "Int", "String", "Tint",
    "Kind", "Tag",
    "Value",
  ]

  private final class Search: SyntaxVisitor {
    var used: Set<String> = []
    var declared: Set<String> = []

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
      let isMember =
        node.parent?.as(MemberAccessExprSyntax.self)?.declName.id == node.id
        || node.parent?.is(KeyPathPropertyComponentSyntax.self) == true
      if !isMember, node.moduleSelector == nil { used.insert(node.baseName.text) }
      return .visitChildren
    }

    override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
      declared.insert(node.identifier.text)
      return .visitChildren
    }

    override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
      declared.insert((node.secondName ?? node.firstName).text)
      return .visitChildren
    }

    override func visit(_ node: AccessorParametersSyntax) -> SyntaxVisitorContinueKind {
      declared.insert(node.name.text)
      return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
      declared.insert(node.name.text)
      return .visitChildren
    }
  }
}
