internal import RoostExpansion
@_spi(PluginMessage) internal import SwiftCompilerPluginMessageHandling
internal import SwiftSyntaxMacros

/// The compiler plug-in. It answers the compiler's requests, which arrive on standard input.
///
/// The module `SwiftCompilerPlugin`, which usually does this, is not part of a toolchain. The
/// macros are in a module of their own, `RoostExpansion`: if a test depended on the plug-in itself,
/// SwiftPM would compile every module twice.
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
