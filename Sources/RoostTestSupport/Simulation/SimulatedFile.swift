package import RoostFile

/// An open file of a ``SimulatedFileSystem``.
package final class SimulatedFile: StorageFile, @unchecked Sendable {
  // Unchecked because the file system's lock protects `isOpen` and the inode.
  /// The largest file: a size that was read from damaged bytes must not use up the machine's
  /// memory.
  static let largestSize: UInt64 = 1 << 36

  package let path: String
  private let fileSystem: SimulatedFileSystem
  private let inode: Inode
  private let handle: UInt64
  private let writable: Bool
  private var isOpen = true

  init(_ fileSystem: SimulatedFileSystem, _ inode: Inode, path: String, handle: UInt64, writable: Bool) {
    self.fileSystem = fileSystem
    self.inode = inode
    self.path = path
    self.handle = handle
    self.writable = writable
  }

  deinit { close() }

  package func readOnce(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Fault) -> Int {
    try perform(.read, offset: offset, length: buffer.count) { effect throws(Fault) in
      try checkPosition(offset)
      if offset >= UInt64(inode.seen.size) { return 0 }
      let wanted = effect?.cut(buffer.count) ?? buffer.count
      return inode.seen.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: Int(offset))
    }
  }

  package func writeOnce(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(Fault) -> Int {
    try perform(.write, offset: offset, length: bytes.count) { effect throws(Fault) in
      try checkWritable()
      try checkPosition(offset)
      var count = effect?.cut(bytes.count) ?? bytes.count
      let end = offset + UInt64(count)
      if end > Self.largestSize { throw Fault(ErrorNumber.tooBig) }
      if end > UInt64(inode.seen.size) {
        // Writes as much as fits; the next call finds no room at all.
        let room = max(fileSystem.room(for: inode), UInt64(inode.seen.size))
        if count > 0 && offset >= room { throw Fault(ErrorNumber.noSpace) }
        count = Int(min(end, room) - offset)
      }
      if count == 0 { return 0 }
      let part = UnsafeRawBufferPointer(rebasing: bytes[..<count])
      fileSystem.watcher?.willWrite(path, at: offset, part)
      inode.write(part, at: Int(offset), sequence: &fileSystem.sequence)
      return count
    }
  }

  package func truncateOnce(to size: UInt64) throws(Fault) {
    try perform(.truncate, offset: 0, length: Int(clamping: size)) { _ throws(Fault) in try resize(to: size) }
  }

  package func allocateOnce(offset: UInt64, length: UInt64) throws(Fault) {
    try perform(.allocate, offset: offset, length: Int(clamping: length)) { _ throws(Fault) in
      try checkWritable()
      try checkPosition(offset)
      try checkPosition(length)
      if length == 0 { throw Fault(ErrorNumber.invalid) }
      if offset + length > UInt64(inode.seen.size) { try resize(to: offset + length) }
    }
  }

  package func syncOnce() throws(Fault) {
    try perform(.sync, offset: 0, length: 0) { effect throws(Fault) in
      let failure: SyncFailure? = if case .sync(let failure) = effect { failure } else { nil }
      try inode.sync(failure)
      fileSystem.watcher?.didSync(path)
    }
  }

  package func sizeOnce() throws(Fault) -> UInt64 {
    try perform(.size, offset: 0, length: 0) { _ in UInt64(inode.seen.size) }
  }

  package func identityOnce() throws(Fault) -> FileIdentity {
    try perform(.identity, offset: 0, length: 0) { _ in
      let links = fileSystem.names.values.count { $0 == inode.number }
      return FileIdentity(device: 1, inode: inode.number, links: UInt64(links))
    }
  }

  /// Does not count as a call, because it changes nothing and cannot fail.
  package func isHeldOnce() throws(Fault) -> Bool {
    fileSystem.lock.withLock { inode.lockHolder != nil && inode.lockHolder != handle }
  }

  /// As in the operating system: a file opened for reading cannot take the lock, and taking it
  /// twice is harmless.
  package func lockOnce() throws(Fault) -> Bool {
    try perform(.lock, offset: 0, length: 0) { _ throws(Fault) in
      try checkWritable()
      if let holder = inode.lockHolder, holder != handle { return false }
      inode.lockHolder = handle
      return true
    }
  }

  package func close() {
    fileSystem.lock.withLock {
      isOpen = false
      if inode.lockHolder == handle { inode.lockHolder = nil }
    }
  }

  private func resize(to size: UInt64) throws(Fault) {
    try checkWritable()
    try checkPosition(size)
    if size > Self.largestSize { throw Fault(ErrorNumber.tooBig) }
    if size > UInt64(inode.seen.size) && size > fileSystem.room(for: inode) { throw Fault(ErrorNumber.noSpace) }
    fileSystem.watcher?.willResize(path, to: size)
    inode.resize(to: Int(size), sequence: &fileSystem.sequence)
  }

  /// The operating system's offsets are signed.
  private func checkPosition(_ offset: UInt64) throws(Fault) {
    if offset > UInt64(Int64.max) { throw Fault(ErrorNumber.invalid) }
  }

  private func checkWritable() throws(Fault) {
    if !writable { throw Fault(ErrorNumber.badHandle) }
  }

  private func perform<Value>(
    _ kind: CallKind, offset: UInt64, length: Int, body: (FaultRule.Effect?) throws(Fault) -> Value
  ) throws(Fault) -> Value {
    let call = RecordedCall(number: 0, kind: kind, path: path, offset: offset, length: length)
    return try fileSystem.perform(call) { effect throws(Fault) in
      if !isOpen { throw Fault(ErrorNumber.badHandle) }
      return try body(effect)
    }
  }
}
