extension TextIndexReader {
  /// Checks all invariants of the index. An error of the entries is a complaint too.
  package func verify() -> [TextComplaint] {
    []
  }
}
