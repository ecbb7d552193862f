extension TextFormat {
  /// What an import says of its records in the store, so that another run continues with the same ones.
  var claim: String {
    switch self {
    case .csv(let delimiter, _): delimiter.map { "table \($0)" } ?? "table"
    case .json, .jsonLines: "objects"
    }
  }
}
