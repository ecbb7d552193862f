public import Foundation

// Expressions that the engine has and Foundation's predicates lack.

extension PredicateExpressions {
  /// `hasPrefix` and `hasSuffix` in a predicate.
  public struct TextEdge<Root: PredicateExpression, Edge: PredicateExpression>: PredicateExpression
  where Root.Output: StringProtocol, Edge.Output: StringProtocol {
    public typealias Output = Bool

    /// The tested text.
    public let root: Root
    /// The prefix or suffix.
    public let edge: Edge
    /// True for `hasSuffix`, false for `hasPrefix`.
    public let isSuffix: Bool

    /// Makes the part of a predicate. `#Predicate` calls the `build_` functions instead.
    public init(root: Root, edge: Edge, isSuffix: Bool) {
      self.root = root
      self.edge = edge
      self.isSuffix = isSuffix
    }

    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      let (text, edge) = (String(try root.evaluate(bindings)), String(try edge.evaluate(bindings)))
      return isSuffix ? text.hasSuffix(edge) : text.hasPrefix(edge)
    }
  }

  /// `lowercased` and `uppercased` in a predicate.
  public struct TextInCase<Root: PredicateExpression>: PredicateExpression where Root.Output: StringProtocol {
    public typealias Output = String

    /// The text to convert.
    public let root: Root
    /// True for `uppercased`, false for `lowercased`.
    public let isUpper: Bool

    /// Makes the part of a predicate. `#Predicate` calls the `build_` functions instead.
    public init(root: Root, isUpper: Bool) {
      self.root = root
      self.isUpper = isUpper
    }

    public func evaluate(_ bindings: PredicateBindings) throws -> String {
      let text = try root.evaluate(bindings)
      return isUpper ? text.uppercased() : text.lowercased()
    }
  }

  /// Makes the part of a predicate for `text.hasPrefix(edge)`.
  public static func build_hasPrefix<Root, Edge>(_ root: Root, _ edge: Edge) -> TextEdge<Root, Edge> {
    TextEdge(root: root, edge: edge, isSuffix: false)
  }

  /// Makes the part of a predicate for `text.hasSuffix(edge)`.
  public static func build_hasSuffix<Root, Edge>(_ root: Root, _ edge: Edge) -> TextEdge<Root, Edge> {
    TextEdge(root: root, edge: edge, isSuffix: true)
  }

  /// Makes the part of a predicate for `text.lowercased()`.
  public static func build_lowercased<Root>(_ root: Root) -> TextInCase<Root> { TextInCase(root: root, isUpper: false) }
  /// Makes the part of a predicate for `text.uppercased()`.
  public static func build_uppercased<Root>(_ root: Root) -> TextInCase<Root> { TextInCase(root: root, isUpper: true) }
}

extension PredicateExpressions.TextEdge: Sendable where Root: Sendable, Edge: Sendable {}
extension PredicateExpressions.TextEdge: Encodable where Root: Encodable, Edge: Encodable {}
extension PredicateExpressions.TextEdge: Decodable where Root: Decodable, Edge: Decodable {}
extension PredicateExpressions.TextEdge: StandardPredicateExpression
where Root: StandardPredicateExpression, Edge: StandardPredicateExpression {}

extension PredicateExpressions.TextInCase: Sendable where Root: Sendable {}
extension PredicateExpressions.TextInCase: Encodable where Root: Encodable {}
extension PredicateExpressions.TextInCase: Decodable where Root: Decodable {}
extension PredicateExpressions.TextInCase: StandardPredicateExpression where Root: StandardPredicateExpression {}
