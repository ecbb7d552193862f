extension Session {
  /// Counts of a context's work.
  package struct Statistics: Hashable, Sendable {
    /// Rows that were read to fill one object.
    package var faultsFilled = 0
    /// Objects that were filled when a query read their rows.
    package var objectsFilled = 0
    /// Rows that were read because the program read another object of their batch.
    package var faultsFilledTogether = 0
    /// Lists that were loaded alone, and lists that were loaded because the program read another
    /// list of their batch.
    package var listsLoaded = 0
    package var listsLoadedTogether = 0
    /// The number of times that rows or lists were read together.
    package var coarseReads = 0
    package var saves = 0
    /// Bytes of the log that saves have written, and pages that they have made.
    package var bytesWritten = 0
    package var pagesWritten = 0

    package init() {}
  }
}
