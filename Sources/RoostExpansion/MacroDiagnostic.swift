internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxMacros

/// A fault in the source, and the remedy.
struct MacroDiagnostic: DiagnosticMessage, FixItMessage {
  let message: String
  let severity: DiagnosticSeverity

  init(_ message: String, _ severity: DiagnosticSeverity = .error) {
    self.message = message
    self.severity = severity
  }

  var diagnosticID: MessageID { MessageID(domain: "Roost", id: "model") }
  var fixItID: MessageID { diagnosticID }
}

extension MacroExpansionContext {
  func complain(_ node: some SyntaxProtocol, _ message: String, fixIts: [FixIt] = []) {
    diagnose(Diagnostic(node: Syntax(node), message: MacroDiagnostic(message), fixIts: fixIts))
  }

  func warn(_ node: some SyntaxProtocol, _ message: String, fixIts: [FixIt] = []) {
    diagnose(Diagnostic(node: Syntax(node), message: MacroDiagnostic(message, .warning), fixIts: fixIts))
  }
}

extension FixIt {
  static func replace(_ title: String, old: some SyntaxProtocol, new: some SyntaxProtocol) -> FixIt {
    FixIt(message: MacroDiagnostic(title), changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
  }
}
