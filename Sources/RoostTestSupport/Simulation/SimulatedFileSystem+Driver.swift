internal import RoostFile

/// The interface for tests.
extension SimulatedFileSystem {
  /// Runs after each mutating call, on the caller's thread and outside the file system's lock,
  /// before the caller continues. It may take crash points and set faults. Callers on several
  /// threads run it concurrently.
  package var onStep: ((RecordedCall) -> Void)? {
    get { lock.withLock { hook } }
    set {
      // The old hook is released outside the lock: it may own the last handle of a file, whose
      // close takes the lock.
      let old = lock.withLock {
        defer { hook = newValue }
        return hook
      }
      withExtendedLifetime(old) {}
    }
  }

  package var observer: (any CallObserver)? {
    get { lock.withLock { watcher } }
    set {
      let old = lock.withLock {
        defer { watcher = newValue }
        return watcher
      }
      withExtendedLifetime(old) {}
    }
  }

  /// The number of mutating calls so far.
  package var step: Int { lock.withLock { stepNumber } }

  /// The calls so far: the mutating ones while ``recordsSteps`` is set, and also the reading ones
  /// while ``recordsReads`` is.
  package var steps: [RecordedCall] { lock.withLock { recorded } }

  /// Whether calls are recorded. Long runs turn this off to save memory. Calls are counted in any
  /// case.
  package var recordsSteps: Bool {
    get { lock.withLock { recording } }
    set { lock.withLock { recording = newValue } }
  }

  package var recordsReads: Bool {
    get { lock.withLock { recordsReading } }
    set { lock.withLock { recordsReading = newValue } }
  }

  package func forgetSteps() { lock.withLock { recorded = [] } }

  /// After this mutating call every call fails with EIO and changes nothing: the process is dead.
  package func stopAfter(step: Int) { lock.withLock { lastStep = step } }

  package func inject(_ rule: FaultRule) { lock.withLock { rules.append(rule) } }
  package func clearFaults() { lock.withLock { rules = [] } }

  /// The most bytes of all files together; nil for no limit.
  package var capacity: UInt64? {
    get { lock.withLock { bound } }
    set { lock.withLock { bound = newValue } }
  }

  package var paths: [String] { lock.withLock { names.keys.sorted() } }

  /// The visible contents of a file; nil if there is no such file.
  package func contents(of path: String) -> [UInt8]? {
    lock.withLock { names[Self.normal(path)].flatMap { inodes[$0]?.seen.bytes() } }
  }

  /// The contents after a crash that keeps no unsynced change; nil if the name itself would be
  /// gone.
  package func durableContents(of path: String) -> [UInt8]? {
    lock.withLock { durableNames[Self.normal(path)].flatMap { inodes[$0]?.durable.bytes() } }
  }

  /// Replaces the contents of an existing file at once and durably, without a recorded call:
  /// damage. Returns false if the file does not exist.
  package func overwrite(_ path: String, with bytes: [UInt8]) -> Bool {
    lock.withLock {
      guard let inode = names[Self.normal(path)].flatMap({ inodes[$0] }) else { return false }
      var content = Content()
      content.grow(to: bytes.count)
      bytes.withUnsafeBytes { content.write($0, at: 0) }
      inode.replace(content)
      return true
    }
  }
}

/// Runs every call.
extension SimulatedFileSystem {
  func perform<Value>(
    _ call: RecordedCall, _ body: (FaultRule.Effect?) throws(Fault) -> Value
  ) throws(Fault) -> Value {
    lock.acquire()
    return try performHoldingLock(call, body)
  }

  /// Numbers and records the call, applies a due fault, runs `body`, releases the lock, and calls
  /// the hook.
  func performHoldingLock<Value>(
    _ call: RecordedCall, _ body: (FaultRule.Effect?) throws(Fault) -> Value
  ) throws(Fault) -> Value {
    guard stepNumber < lastStep else {
      lock.release()
      throw Fault(ErrorNumber.io)
    }
    if call.kind.mutates { stepNumber += 1 }
    var step = call
    step.number = stepNumber
    let result: Result<Value, Fault>
    // An opened file is released outside the lock, even if the call fails afterwards, because
    // closing it takes the lock.
    var made: Value?
    do throws(Fault) {
      let effect = strike(call)
      if case .error(let number) = effect { throw Fault(number) }
      let value = try body(effect)
      made = value
      if case .errorAfterEffect(let number) = effect { throw Fault(number) }
      result = .success(value)
    } catch {
      result = .failure(error)
      step.errorNumber = error.errorNumber
    }
    if call.kind.mutates ? recording : recordsReading { recorded.append(step) }
    let hook = call.kind.mutates ? hook : nil
    withExtendedLifetime(made) { lock.release() }
    hook?(step)
    return try result.get()
  }

  /// The fault that is due for this call. Every rule counts it; the first due rule decides.
  private func strike(_ call: RecordedCall) -> FaultRule.Effect? {
    var effect: FaultRule.Effect?
    for index in rules.indices where rules[index].strikes(call.kind, call.path) {
      effect = effect ?? rules[index].effect
    }
    return effect
  }

  /// The size to which `inode` may grow within the limit on all sizes together.
  func room(for inode: Inode) -> UInt64 {
    guard let bound else { return SimulatedFile.largestSize }
    var others: UInt64 = 0
    for (number, other) in inodes where number != inode.number { others += UInt64(other.seen.size) }
    return min(others > bound ? 0 : bound - others, SimulatedFile.largestSize)
  }
}
