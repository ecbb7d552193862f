internal import RoostQuery
internal import RoostRecords

extension Field {
  /// Checks that a value is a case of the enum. Returns the error as a clause; nil if the catalog
  /// does not know the cases.
  var caseCheck: (@Sendable (Value) -> String?)? {
    guard let cases else { return nil }
    let known = Set(cases)
    let more = cases.count > 20 ? ", and \(cases.count - 20) more" : ""
    let words = cases.prefix(20).map { Describer.text($0) }.joined(separator: ", ") + more
    return { value in
      let isKnown =
        switch value {
        case .array(let elements): elements.allSatisfy { $0.isNull || known.contains($0) }
        case .set(let elements): elements.allSatisfy { $0.isNull || known.contains($0) }
        default: known.contains(value)
        }
      return isKnown ? nil : "a case is expected (\(words))"
    }
  }
}
