internal import Foundation
internal import RoostGraph
internal import RoostQuery

/// A part of a predicate that is computed on models.
final class ModelTest<Model: PersistentModel>: CustomStringConvertible {
  private let condition: Operand
  private let variable: PredicateExpressions.Variable<Model>
  private var step: Step<Bool>?

  init(_ condition: Operand, _ variable: PredicateExpressions.Variable<Model>) {
    self.condition = condition
    self.variable = variable
  }

  private var text: PredicateText { PredicateText(variable.key) }
  var description: String { text.text(condition) }

  func passes(_ model: Model) throws -> Bool {
    do {
      let step = try step ?? Walker(text).step(ofCondition: condition)
      self.step = step
      return try step.run(PredicateBindings((variable, model)))
    } catch let fault as ConditionFault { throw fault } catch {
      throw SwiftDataError.unsupportedPredicate.about("'\(self)': \(Self.reason(error))", error)
    }
  }

  private static func reason(_ error: any Error) -> String {
    // Foundation's errors are compared by their texts, because their `==` never returns.
    guard "\(error)" == "\(PredicateError.undefinedVariable)" else { return "\(error)" }
    return "it uses an undefined variable: use the variables of this predicate's own closures"
  }
}
