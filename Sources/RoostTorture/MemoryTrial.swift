import RoostFile
import RoostKV
import RoostTestSupport
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A child that runs all operations on one file, with a limit on its address space, and reports its
/// memory use.
enum Guest {
  /// A store mirrors its file in address space, and three of them are open at the same time while one is salvaged.
  static let addressBytes = 1 << 30
  static let seconds: UInt32 = 60

  /// Prints three lines: how the attempts ended, the most bytes requested at once, and the most
  /// memory in use.
  static func run(_ path: String, _ seed: UInt64) -> Int32 {
    var limit = rlimit(rlim_cur: rlim_t(addressBytes), rlim_max: rlim_t(addressBytes))
    #if canImport(Glibc)
      guard setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return 4 }
    #else
      guard setrlimit(RLIMIT_AS, &limit) == 0 else { return 4 }
    #endif
    // The alarm ends a child that never stops. This counts as a failure.
    _ = alarm(seconds)
    let ends = Greed.exercise(path, DiskFileSystem.shared, options: Victim.options(seed))
    print(ends.joined(separator: " "))
    print(Room.largest.load(ordering: .relaxed))
    print(peakBytes)
    return 0
  }

  /// The most memory that was in use; 0 if the system does not report it. `getrusage` would include
  /// the parent's memory.
  private static var peakBytes: Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let words = text.split { $0 == " " || $0 == "\t" }
      if words.first == "VmHWM:", words.count > 1 { return (Int(words[1]) ?? 0) << 10 }
    }
    return 0
  }
}

extension Trial {
  /// Trial 14: files that request more memory than their size justifies. See ``Greed``.
  static let memory = Trial(14, "memory", unit: "greedy files", quota: 200) { seed, record in
    guard let folder = try? ScratchFolder(), let greed = Greed(seed) else {
      return record.fail(seed: seed, "the files cannot be made")
    }
    var step = 0
    /// How the child ended, the most bytes that it requested at once, and the most memory that it
    /// used.
    func serve(_ files: GoldenStore.Files, _ name: String) -> (ends: [Substring], asked: Int, used: Int)? {
      let path = folder.file(name)
      for (suffix, bytes) in [("", files.data), ("-log", files.log)] {
        guard let bytes else { continue }
        guard let file = try? DiskFileSystem.shared.open(path + suffix, .replace) else { return nil }
        try? file.write(bytes, at: 0)
        file.close()
      }
      guard let child = Spawn(TortureCommand.program, ["guest", "--path", path, "--seed", "\(seed)"], isSilent: true)
      else {
        return nil
      }
      let lines = String(decoding: child.readAll(), as: UTF8.self).split(separator: "\n")
      let end = child.wait()
      for suffix in ["", "-log", "-backup", "-saved"] { try? DiskFileSystem.shared.remove(path + suffix) }
      guard end == .exit(0), lines.count == 3, let asked = Int(lines[1]), let used = Int(lines[2]) else {
        record.fail(seed: seed, step: step, image: name, "the child ended with \(end)")
        return nil
      }
      return (lines[0].split(separator: " "), asked, used)
    }
    guard let usual = serve(greed.healthy, "healthy") else { return record.fail(seed: seed, "no child can be started") }
    if !usual.ends.allSatisfy({ $0 == "read" }) { record.fail(seed: seed, "the healthy file: \(usual.ends)") }
    var generator = SplitMix64(seed: seed)
    for kind in Greed.names.indices {
      for _ in 0..<2 {
        step += 1
        var own = generator.split()
        guard record.wants(step: step), let files = greed.make(kind, &own) else { continue }
        record.place(seed, step, image: Greed.names[kind])
        guard let found = serve(files, Greed.names[kind].filter { $0 != " " && $0 != ":" }) else { continue }
        record.count += 1
        let size = files.data.count + (files.log?.count ?? 0)
        // Two mebibytes, or the most that LZ4 can decompress from the file.
        if found.asked > max(1 << 21, 255 * size) {
          record.fail(seed: seed, step: step, image: Greed.names[kind], "\(found.asked) bytes are asked for at once")
        }
        if found.used > usual.used + size + Self.slackBytes {
          record.fail(
            seed: seed, step: step, image: Greed.names[kind],
            "\(found.used >> 20) MiB are used where a healthy file takes \(usual.used >> 20)")
        }
        for end in found.ends where end != "read" && end != "counts" && StoreError.Code(rawValue: String(end)) == nil {
          record.fail(seed: seed, step: step, image: Greed.names[kind], "an end without a code: \(end)")
        }
        record.note(found.ends.contains { $0 != "read" } ? "refused" : "read")
      }
    }
  }

  /// The memory that one run may use more than another.
  private static var slackBytes: Int { 24 << 20 }
}
