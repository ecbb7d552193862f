extension Unmanaged {
  /// Uses the object without counting the use: whoever calls keeps it alive. Counting costs more than most of what is done for
  /// each index of a row.
  @inline(__always)
  func use<Value, Failure: Error>(
    _ body: (Instance) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let result: Result<Value, Failure> = _withUnsafeGuaranteedRef { instance in
      do throws(Failure) { return .success(try body(instance)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
