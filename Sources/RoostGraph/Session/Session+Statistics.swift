extension Session {
  /// What a context has done.
  package struct Statistics: Hashable, Sendable {
    /// Rows that were read to fill one object.
    package var faultsFilled = 0
    /// Objects that were filled while their rows were at hand.
    package var objectsFilled = 0
    /// Rows that were read because one of several was asked for.
    package var faultsFilledTogether = 0
    /// Lists that were loaded by themselves, and those that were loaded because one of several was asked for.
    package var listsLoaded = 0
    package var listsLoadedTogether = 0
    /// How often rows or lists were read together.
    package var coarseReads = 0
    package var saves = 0
    /// Bytes of the log that saves have written, and pages that they have made.
    package var bytesWritten = 0
    package var pagesWritten = 0

    package init() {}
  }
}
