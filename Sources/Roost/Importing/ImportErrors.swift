internal import RoostRecords

package enum ImportErrors {
  /// Converts errors of lower modules into errors that programs can match on.
  package static func pass<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw shown(error) }
  }

  package static func shown(_ error: any Error) -> any Error {
    let fault = (error as? TransferFault).map { ImportFault($0) } ?? error as? ImportFault
    if let fault { return RoostError(.badInput, fault.description, underlyingError: fault) }
    return Doorway.translated(error)
  }
}
