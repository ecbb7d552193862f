import RoostKV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Another process, and the pipe to which it writes.
struct ChildProcess: ~Copyable {
  private let processID: pid_t
  private let descriptor: Int32

  /// Starts `program`; the child's standard output is the pipe.
  init(_ program: String, _ arguments: [String]) throws {
    var ends: [Int32] = [-1, -1]
    try check(pipe(&ends) == 0, "a pipe could not be made")
    defer { _ = close(ends[1]) }
    // Otherwise the child holds the reading end too, and continues to write without a reader.
    _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addclose(&actions, ends[1])
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var started: pid_t = 0
    let result = posix_spawn(&started, program, &actions, nil, words, environ)
    if result != 0 {
      _ = close(ends[0])
      throw CheckFailure(sentence: "\(program) could not be started: \(String(cString: strerror(result)))")
    }
    processID = started
    descriptor = ends[0]
  }

  /// Reads the available bytes, or waits for some; empty if the child has ended, or sends nothing
  /// for too long.
  func read(timeoutMilliseconds: Int32) -> [UInt8] {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, timeoutMilliseconds) > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      count = max(0, readOnce(into: UnsafeMutableRawBufferPointer(buffer)))
    }
  }

  private func readOnce(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    #elseif canImport(Musl)
      Musl.read(descriptor, buffer.baseAddress, buffer.count)
    #else
      Darwin.read(descriptor, buffer.baseAddress, buffer.count)
    #endif
  }

  /// Kills the child as a crash would, without any chance to clean up.
  func kill() { _ = sendKill(processID) }

  /// Waits for the child's end. Returns the signal that ended it, 0 if it ended by itself.
  consuming func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
    _ = close(descriptor)
    return status & 0x7F
  }
}

private func sendKill(_ process: pid_t) -> Int32 { kill(process, SIGKILL) }

/// Writes all bytes to standard output. Returns false if its reader has ended.
func writeToOutput(_ bytes: [UInt8]) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    if count < 0 && errno == EINTR { continue }
    if count <= 0 { return false }
    rest = rest.dropFirst(count)
  }
  return true
}
