package import SwiftSyntaxMacros

/// The macros of `Roost`, by the names in its declarations.
package enum Macros {
  package static func type(named name: String) -> (any Macro.Type)? {
    switch name {
    case "ModelMacro": ModelMacro.self
    case "PersistedPropertyMacro": PersistedPropertyMacro.self
    case "EphemeralPropertyMacro": EphemeralPropertyMacro.self
    case "AttributeMacro": AttributeMacro.self
    case "RelationshipMacro": RelationshipMacro.self
    case "ValidateMacro": ValidateMacro.self
    case "DerivedMacro": DerivedMacro.self
    case "TransientMacro": TransientMacro.self
    case "ConstraintMacro": ConstraintMacro.self
    case "ModelActorMacro": ModelActorMacro.self
    case "PredicateMacro": PredicateMacro.self
    case "SnapshotsMacro": SnapshotsMacro.self
    default: nil
    }
  }
}
