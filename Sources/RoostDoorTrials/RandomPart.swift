internal import Foundation
internal import Roost

/// A part of a random predicate: as an expression of Foundation, and as plain Swift that computes
/// the expected value.
struct RandomPart<Value> {
  /// The source text, for the report of a failure.
  var text: String
  var build: (Variables) -> any StandardPredicateExpression<Value>
  /// Computes the value for models. If Swift would trap, it throws.
  var value: (Frame) throws -> Value

  init(
    _ text: String, _ build: @escaping (Variables) -> any StandardPredicateExpression<Value>,
    value: @escaping (Frame) throws -> Value
  ) {
    self.text = text
    self.build = build
    self.value = value
  }
}

/// The places where Swift would trap.
enum NodeFault: Error { case overflow, dividedByZero, nilUnwrapped, outOfBounds, badRange }

/// Foundation's variables, by the numbers of this module.
final class Variables {
  private var known: [Int: Any] = [:]

  func set<Value>(_ number: Int, _ variable: PredicateExpressions.Variable<Value>) { known[number] = variable }

  func get<Value>(_ number: Int, _ type: Value.Type) -> PredicateExpressions.Variable<Value> {
    guard let found = known[number] as? PredicateExpressions.Variable<Value> else {
      preconditionFailure("nothing binds variable \(number)")
    }
    return found
  }
}

/// The values of the variables.
struct Frame {
  private var known: [Int: Any] = [:]

  func get<Value>(_ number: Int, _ type: Value.Type) -> Value {
    guard let found = known[number] as? Value else { preconditionFailure("nothing binds variable \(number)") }
    return found
  }

  func with<Value>(_ number: Int, _ value: Value) -> Frame {
    var frame = self
    frame.known[number] = value
    return frame
  }
}

typealias Words = PredicateExpressions
typealias Known = StandardPredicateExpression

// MARK: Names

extension RandomPart {
  static func variable(_ number: Int) -> RandomPart {
    RandomPart("$\(number)", { $0.get(number, Value.self) }, value: { $0.get(number, Value.self) })
  }

  /// A stored property, or another one.
  func property<Part>(_ name: String, _ keyPath: any KeyPath<Value, Part> & Sendable) -> RandomPart<Part> {
    RandomPart<Part>(
      "\(text).\(name)",
      { variables in
        func open<Root: Known<Value>>(_ root: Root) -> any Known<Part> {
          Words.build_KeyPath(root: root, keyPath: keyPath)
        }
        return open(self.build(variables))
      }, value: { try self.value($0)[keyPath: keyPath] })
  }
}

extension RandomPart where Value: Codable & Sendable {
  static func constant(_ value: Value, _ text: String? = nil) -> RandomPart {
    RandomPart(text ?? "\(value)", { _ in Words.build_Arg(value) }, value: { _ in value })
  }
}
