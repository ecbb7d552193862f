internal import RoostGraph

/// The text of a model for `print`, `dump` and a debugger: its loaded values. Printing loads
/// nothing, so a relationship that was not read yet is shown as `<fault>`.
extension PersistentModel {
  /// `Person #7(name: "Ann", home: Place #2, pets: <fault>)`; the number is that of the row.
  public nonisolated var debugDescription: String { Portrait(self).description }

  public nonisolated var customMirror: Mirror {
    let children = Portrait(self).parts.map { property, part -> Mirror.Child in
      if case .value(let value) = part { return (property, value) }
      return (property, PrintedPart(text: Portrait.text(part)))
    }
    return Mirror(self, children: children, displayStyle: .class, ancestorRepresentation: .suppressed)
  }
}

/// A text that `dump` shows without quotes.
private struct PrintedPart: CustomDebugStringConvertible, CustomReflectable {
  let text: String

  var debugDescription: String { text }
  var customMirror: Mirror { Mirror(self, children: []) }
}
