extension TextFormat {
  /// Identifies the kind of the records in the store, so that another run continues with the same
  /// kind.
  var claim: String {
    switch self {
    case .csv(let delimiter, _): delimiter.map { "table \($0)" } ?? "table"
    case .json, .jsonLines: "objects"
    }
  }
}
