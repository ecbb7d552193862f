public import Foundation

// Foundation's macros of these names take any types. A model's predicate is more special, so the compiler takes ours for it, and gives
// Foundation's own values.

/// A condition on models, which the store tests without making them where it can.
@freestanding(expression)
public macro Predicate<Input: PersistentModel>(_ body: (Input) -> Bool) -> Foundation.Predicate<Input> =
  #externalMacro(module: "RoostMacros", type: "PredicateMacro")

/// A value that is computed from a model.
@freestanding(expression)
public macro Expression<Input: PersistentModel, Output>(
  _ body: (Input) -> Output
) -> Foundation.Expression<Input, Output> = #externalMacro(module: "RoostMacros", type: "PredicateMacro")
