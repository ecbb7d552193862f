internal import RoostExpansion
@_spi(PluginMessage) internal import SwiftCompilerPluginMessageHandling
internal import SwiftSyntaxMacros

/// The compiler plug-in: it answers the compiler's questions, which come by standard input.
///
/// The module `SwiftCompilerPlugin`, which does this elsewhere, is not among those that a toolchain brings along. The macros are a
/// module of their own, `RoostExpansion`: where a test depends on a plug-in itself, SwiftPM compiles every module twice.
@main
struct Plugin {
  static func main() throws {
    let connection = try StandardIOMessageConnection()
    try CompilerPluginMessageListener(connection: connection, provider: Provider()).main()
  }
}

private struct Provider: PluginProvider {
  struct UnknownMacro: Error { var name: String }

  func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
    guard let macro = Macros.type(named: typeName) else { throw UnknownMacro(name: typeName) }
    return macro
  }
}
