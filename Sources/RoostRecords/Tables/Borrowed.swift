extension Unmanaged {
  /// Uses the object without reference counting. The caller keeps it alive. Counting would cost
  /// more than most steps for one index of a row.
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
