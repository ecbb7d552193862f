public import Foundation

// Foundation's macros of these names take any types. A model's predicate is more special, so the compiler takes ours for it, and gives
// Foundation's own values.
//
// Ours take any number of inputs, as Foundation's do. With one they would be chosen less often: where the input's type is known first, the
// compiler counts an optional on the way twice, and `$0.album?.title == title` would go to Foundation's macro.

/// A condition on models, which the store tests without making them where it can.
@freestanding(expression)
public macro Predicate<each Input: PersistentModel>(
  _ body: (repeat each Input) -> Bool
) -> Foundation.Predicate<repeat each Input> = #externalMacro(module: "RoostMacros", type: "PredicateMacro")

/// A value that is computed from a model.
@freestanding(expression)
public macro Expression<each Input: PersistentModel, Output>(
  _ body: (repeat each Input) -> Output
) -> Foundation.Expression<repeat each Input, Output> = #externalMacro(module: "RoostMacros", type: "PredicateMacro")
