#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A child process, and the pipe for its standard output.
struct Spawn {
  let processID: pid_t
  let output: Int32

  /// How a child ended.
  enum End: Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  /// Starts a program; nil if that fails. Its standard error is ours, or is discarded.
  init?(_ path: String, _ arguments: [String], isSilent: Bool = false) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    // A pipe that another child inherited would never end.
    _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
    _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    if isSilent { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
    var environment: [UnsafeMutablePointer<CChar>?] = []
    var index = 0
    while let entry = environ[index] {
      environment.append(strdup(entry))
      index += 1
    }
    environment.append(strdup("SWIFT_BACKTRACE=enable=no"))
    environment.append(nil)
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    words.append(nil)
    defer {
      for entry in environment + words { free(entry) }
    }
    var child: pid_t = 0
    let result = posix_spawnp(&child, path, &actions, nil, words, environment)
    close(ends[1])
    guard result == 0 else {
      close(ends[0])
      return nil
    }
    processID = child
    output = ends[0]
  }

  /// Everything the child writes until it ends.
  func readAll() -> [UInt8] {
    var all: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(output, &part, part.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { break }
      all += part[..<count]
    }
    return all
  }

  func kill(_ signal: Int32 = SIGKILL) { _ = Self.send(processID, signal) }

  private static func send(_ process: pid_t, _ number: Int32) -> Int32 {
    #if canImport(Darwin)
      Darwin.kill(process, number)
    #elseif canImport(Musl)
      Musl.kill(process, number)
    #else
      Glibc.kill(process, number)
    #endif
  }

  /// Waits for the end and closes the pipe. To be called once.
  func wait() -> End {
    var status: Int32 = 0
    while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
    close(output)
    let number = status & 0x7F
    return number == 0 ? .exit((status >> 8) & 0xFF) : .signal(number)
  }
}
