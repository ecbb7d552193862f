import Testing

/// Each public declaration needs a comment, because its page of the reference would otherwise have
/// only its name and types.
///
/// The tests read the sources, not the symbol graphs of `.ci/docs`. So they need no documentation
/// compiler, and see modules that only a trait builds.
@Suite struct CommentTests {
  /// Names that protocols of Swift, Foundation and Observation require. They mean the same in each
  /// type.
  private static let known: Set<String> = [
    "==", "<", "~=", "hash", "encode", "description", "debugDescription", "errorDescription", "customMirror",
    "startIndex", "endIndex", "makeIterator", "makeAsyncIterator", "next", "evaluate",
  ]
  /// Types that protocols of Swift and Foundation require. Those of Roost's own protocols are added
  /// from the sources.
  static let knownTypes: Set<String> = ["Element", "Failure", "Iterator", "Output"]

  /// The files with public declarations.
  private static let sources = HouseTests.sources.filter {
    HouseTests.doors.contains($0.floor) || HouseTests.publicFiles.contains($0.path)
  }

  /// Whether a declaration needs a comment. Names of generated code, keys of a coded form, and
  /// requirements of well-known protocols do not.
  static func needsComment(_ one: PublicDeclarations.Declaration, asked: Set<String> = knownTypes) -> Bool {
    guard let name = one.path.last, !one.path.contains(where: { $0.hasPrefix("_") }) else { return false }
    if one.path.dropLast().last == "CodingKeys" { return false }
    switch one.kind {
    case "init": return one.label != "from"
    case "typealias": return !asked.contains(name)
    default: return !known.contains(name)
    }
  }

  private static func declarations(
    _ text: String, hidden: Set<String> = [], asked: Set<String> = knownTypes
  ) -> [PublicDeclarations.Declaration] {
    PublicDeclarations(text, hidden: hidden).found.filter { needsComment($0, asked: asked) }
  }

  @Test func `each public declaration has a comment`() {
    var hidden: [String: Set<String>] = [:]
    var asked = Self.knownTypes
    for source in Self.sources {
      let all = PublicDeclarations(source.text)
      hidden[source.floor, default: []].formUnion(all.hiddenTypes)
      asked.formUnion(all.found.filter { $0.kind == "associatedtype" }.compactMap(\.path.last))
    }
    var count = 0
    for source in Self.sources {
      for one in Self.declarations(source.text, hidden: hidden[source.floor] ?? [], asked: asked) {
        count += 1
        #expect(
          one.hasComment, "\(source.path):\(one.line) \(one.kind) \(one.path.joined(separator: ".")) has no comment")
      }
    }
    #expect(count > 1500, "only \(count) public declarations were found")
  }

  /// Modules in which each function that throws has a `- Throws:` in its comment.
  private static let tellErrors: Set<String> = ["Roost", "RoostImport", "RoostKV", "RoostPostgres"]

  @Test func `each public function that throws says what it throws`() {
    var count = 0
    for source in Self.sources where Self.tellErrors.contains(source.floor) {
      for one in Self.declarations(source.text) where one.canThrow && one.hasComment {
        count += 1
        #expect(
          one.namesErrors,
          "\(source.path):\(one.line) \(one.path.joined(separator: ".")) throws, and its comment has no - Throws:")
      }
    }
    #expect(count > 150, "only \(count) public functions that throw were found")
  }

  @Test(arguments: [
    ("/// - Throws: an error.\npublic func a() throws {}", []), ("/// One.\npublic func a() throws {}", ["a"]),
    ("/// One.\npublic func a(\n  _ b: () throws -> Void\n) rethrows -> Int { 1 }", []),
    ("/// One.\npublic func a(\n  b: Int\n) async throws(E) -> Int { 1 }", ["a"]),
    ("/// One.\npublic var a: Int {\n  get throws { 1 }\n}", ["a"]),
    ("/// One.\npublic var a: () throws -> Int { b }", []),
    ("/// One.\npublic protocol A {\n  /// Two.\n  func b()\n  /// Three.\n  func c() throws\n}", ["A.c"]),
    ("/// One.\n///\n/// - Throws: an error.\n@discardableResult\npublic func a() throws -> Int { 1 }", []),
  ])
  func `which functions must say what they throw`(text: String, names: [String]) {
    let found = Self.declarations(text).filter { $0.canThrow && !$0.namesErrors }
    #expect(found.map { $0.path.joined(separator: ".") } == names)
  }

  @Test(arguments: [
    ("public struct A {\n  public var b = 1\n  var c = 2\n}", ["A", "A.b"]),
    ("/// One.\npublic struct A {\n  /// Two.\n  @inlinable\n  public func b() {}\n}", []),
    ("/// One.\n\npublic struct A {}", ["A"]), ("// One.\npublic struct A {}", ["A"]),
    ("struct A {\n  public var b = 1\n  public struct C { public var d = 1 }\n}", []),
    ("public protocol A {\n  associatedtype B\n  func c(_ d: () -> Void)\n}", ["A", "A.B", "A.c"]),
    (
      "public enum A {\n  case b, c(Int)\n  var d: Int { switch self { case .b: 1; case .c: 2 } }\n}",
      ["A", "A.b", "A.c"]
    ),
    ("enum A { case b }\npublic extension C { func d() {} }", ["C.d"]),
    (
      "extension A.B {\n  @available(*, deprecated)\n  public static subscript(c: Int) -> Int { c }\n}",
      ["A.B.subscript"]
    ),
    (
      "extension Hidden {\n  public var b: Int { 1 }\n}\nextension A.Hidden { public var c: Int { 1 } }", ["A.Hidden.c"]
    ),
    ("public import struct A.B\n@_exported public import class C.D", []),
    ("public class A {\n  public private(set) var b = 1\n  public class func c() {}\n}", ["A", "A.b", "A.c"]),
    (
      "public final class A {\n  public required init(from decoder: any Decoder) {}\n  public init(b: Int) {}\n}",
      ["A", "A.init"]
    ),
    ("public struct A {\n  public typealias Element = Int\n  public typealias B = Int\n}", ["A", "A.B"]),
    ("@attached(peer)\npublic macro A(b: Int) = #externalMacro(module: \"C\", type: \"D\")", ["A"]),
    ("public func a() { let macro = 1; struct B { public var c = 1 } }", ["a"]),
    ("public struct _A { public var b = 1 }\npublic func _c() {}", []),
    ("public let a = [\n  { (b: Int) in b }\n], c = 1\npublic static func < (a: A, b: A) -> Bool { true }", ["a"]),
  ])
  func `which declarations need a comment`(text: String, names: [String]) {
    let found = Self.declarations(text, hidden: ["Hidden"]).filter { !$0.hasComment }
    #expect(found.map { $0.path.joined(separator: ".") } == names)
  }
}
