public import Foundation

// Foundation's macros of these names accept any types. A model's predicate is more specific, so the
// compiler chooses Roost's macro for it. The result is Foundation's type.
//
// Roost's macros accept any number of inputs, as Foundation's do. With exactly one input the
// compiler would choose them less often: if the input's type is known first, the compiler counts an
// optional on the way twice, and `$0.album?.title == title` would use Foundation's macro.

/// A condition on models. The store tests it without making models if it can.
@freestanding(expression)
public macro Predicate<each Input: PersistentModel>(
  _ body: (repeat each Input) -> Bool
) -> Foundation.Predicate<repeat each Input> = #externalMacro(module: "RoostMacros", type: "PredicateMacro")

/// A value that is computed from a model.
@freestanding(expression)
public macro Expression<each Input: PersistentModel, Output>(
  _ body: (repeat each Input) -> Output
) -> Foundation.Expression<repeat each Input, Output> = #externalMacro(module: "RoostMacros", type: "PredicateMacro")
