import SwiftDiagnostics
import SwiftIfConfig
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

@testable import RoostExpansion

/// The expansion of a source by the macros, as text.
struct Expansion {
  let text: String
  /// Line, severity and message, and after an arrow the offer of a fix-it.
  let complaints: [String]

  /// - Parameters:
  ///   - conformances: those that the compiler requests of `@Model`; a subclass of a model has them
  ///     already.
  ///   - language: the language mode; nil if the compiler does not report it.
  init(_ source: String, conformances: [TypeSyntax] = ["PersistentModel", "Sendable"], language: Int? = nil) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Tests", fullFilePath: "Tests.swift")],
      buildConfiguration: language.map {
        StaticBuildConfiguration(languageVersion: VersionTuple($0), compilerVersion: VersionTuple(6, 3))
      })
    var macros: [String: MacroSpec] = [:]
    for name in ["Attribute", "Relationship", "Transient", "ModelActor"] {
      macros[name] = MacroSpec(type: Macros.type(named: name + "Macro")!)
    }
    macros["Unique"] = MacroSpec(type: Macros.type(named: "ConstraintMacro")!)
    macros["Index"] = MacroSpec(type: Macros.type(named: "ConstraintMacro")!)
    macros["_PersistedProperty"] = MacroSpec(type: Macros.type(named: "PersistedPropertyMacro")!)
    macros["Predicate"] = MacroSpec(type: Macros.type(named: "PredicateMacro")!)
    macros["Expression"] = macros["Predicate"]
    macros["Snapshots"] = MacroSpec(type: Macros.type(named: "SnapshotsMacro")!, conformances: conformances)
    macros["Model"] = MacroSpec(type: Macros.type(named: "ModelMacro")!, conformances: conformances)
    let expanded = file.expand(
      macroSpecs: macros,
      contextGenerator: {
        BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
      },
      indentationWidth: .spaces(2))
    text = expanded.description
    complaints = context.diagnostics.map { diagnostic in
      let place = context.location(for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "Tests.swift")
      let fixes = diagnostic.fixIts.map { " → " + $0.message.message }.joined()
      return "\(place.line): \(diagnostic.diagMessage.severity): \(diagnostic.message)\(fixes)"
    }
  }
}
