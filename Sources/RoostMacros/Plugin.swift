@_spi(PluginMessage) internal import SwiftCompilerPluginMessageHandling
internal import SwiftSyntaxMacros

/// The compiler plug-in: it answers the compiler's questions, which come by standard input.
///
/// The module `SwiftCompilerPlugin`, which does this elsewhere, is not among those that a toolchain brings along.
@main
struct Plugin {
  static func main() throws {
    let connection = try StandardIOMessageConnection()
    try CompilerPluginMessageListener(connection: connection, provider: Provider()).main()
  }

  /// What the macros' declarations in `Roost` name.
  static func macro(_ name: String) -> (any Macro.Type)? {
    switch name {
    case "ModelMacro": ModelMacro.self
    case "PersistedPropertyMacro": PersistedPropertyMacro.self
    case "AttributeMacro": AttributeMacro.self
    case "RelationshipMacro": RelationshipMacro.self
    case "TransientMacro": TransientMacro.self
    case "ConstraintMacro": ConstraintMacro.self
    case "ModelActorMacro": ModelActorMacro.self
    case "PredicateMacro": PredicateMacro.self
    case "SnapshotsMacro": SnapshotsMacro.self
    default: nil
    }
  }
}

private struct Provider: PluginProvider {
  struct UnknownMacro: Error { var name: String }

  func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
    guard let macro = Plugin.macro(typeName) else { throw UnknownMacro(name: typeName) }
    return macro
  }
}
