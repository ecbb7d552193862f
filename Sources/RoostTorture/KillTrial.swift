import RoostFile
import RoostKV
import RoostPages
import RoostTestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The work of a child that will be killed. The seed and the number of a commit determine its
/// changes.
enum Victim {
  static func options(_ seed: UInt64) -> StoreOptions {
    var options = StoreOptions()
    options.checkpointing = seed % 3 == 0 ? .inline : .background
    options.segmentBytes = 16384
    options.logBytes = 60_000
    options.draftBytes = 40 * 4096
    options.cacheBytes = 100 * 4096
    options.fanoutLimit = 10
    return options
  }

  static func changes(_ seed: UInt64, _ number: Int) -> [Change] {
    var generator = SplitMix64(seed: seed &* 1_000_003 &+ UInt64(number))
    return (0..<4).map { index in
      let place = Change.Place(isTable: generator.chance(1, in: 2), number: 0)
      let key = generator.below(120)
      // The first change always changes something.
      if index > 0 && generator.chance(1, in: 4) { return .removeRange(place, low: key, high: key + 1) }
      let length = generator.chance(1, in: 20) ? 7000 : generator.below(400)
      return .put(place, key: key, Change.Value(length: length, seed: generator.next()))
    }
  }

  /// Applies the changes of a commit to a model.
  static func apply(_ seed: UInt64, _ number: Int, to model: inout Model) {
    for change in changes(seed, number) {
      switch change {
      case .put(let place, let key, let value):
        let key = Change.key(key, isTable: place.isTable)
        _ = model.trees[place.name, default: Model.Tree(isTable: place.isTable)].put(key, value.bytes)
      case .removeRange(let place, let low, let high):
        let low = Change.key(low, isTable: place.isTable)
        let high = high.map { Change.key($0, isTable: place.isTable) }
        _ = model.trees[place.name, default: Model.Tree(isTable: place.isTable)].removeAll(from: low, to: high)
      default: break
      }
    }
  }

  /// Commits until it is killed, or `count` times. Writes each commit's number to standard output.
  ///
  /// It ends with 0, or with 3 if the store threw an error that an injected fault explains.
  static func run(_ path: String, _ seed: UInt64, count: Int) -> Int32 {
    do {
      let store = try KeyValueStore(path, options: options(seed), fileSystem: DiskFileSystem.shared)
      var model = try store.model()
      var number = Int(try store.read { $0.commit })
      for _ in 0..<count {
        number += 1
        var working = model
        try store.write(number % 3 == 0 ? .relaxed : .full) { writer in
          for change in changes(seed, number) { try change.carryOut(writer, &working) }
        }
        model = working
        var word = UInt64(number).littleEndian
        if write(1, &word, 8) != 8 { return 4 }
      }
      try store.close()
      return 0
    } catch is StoreError {
      return 3
    } catch { return 5 }
  }

  /// The last number that a child wrote.
  static func acknowledged(_ output: [UInt8]) -> Int {
    let whole = output.count / 8 * 8
    guard whole >= 8 else { return 0 }
    return output[whole - 8..<whole].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Checks the store that a child left: it must contain every acknowledged commit, and at most one
  /// more. Returns the error, if there is one.
  static func complaint(_ path: String, _ seed: UInt64, acknowledged: Int, model: inout Model, known: inout Int)
    -> String?
  {
    do {
      let store = try KeyValueStore(path, options: options(seed), fileSystem: DiskFileSystem.shared)
      let (commit, digest) = try store.digest()
      let found = Int(commit)
      if found < acknowledged { return "commit \(found) is found where \(acknowledged) was acknowledged" }
      if found > max(acknowledged, known) + 1 { return "commit \(found) is found where \(acknowledged) was the last" }
      while known < found {
        known += 1
        apply(seed, known, to: &model)
      }
      if digest != model.digest { return "commit \(found): " + (try store.model().difference(from: model)) }
      let findings = try Audit.findings(store)
      // Half of the stores are left as they are, so that the next child finds a log.
      if seed % 2 == 0 { try store.close() }
      return findings.isEmpty ? nil : findings.prefix(4).joined(separator: "; ")
    } catch { return "\(error)" }
  }
}

extension Trial {
  /// Trial 7: a child is killed at a random microsecond, again and again over the same store.
  static let kills = Trial(7, "kill -9", unit: "kills", quota: 1_000) { seed, record in
    guard let folder = try? ScratchFolder() else { return record.fail(seed: seed, "no folder can be made") }
    let path = folder.file("a.roost")
    var generator = SplitMix64(seed: seed)
    var model = Model()
    var known = 0
    for round in 1...25 {
      record.place(seed, round, image: "kill")
      guard
        let child = Spawn(
          TortureCommand.program, ["victim", "--path", path, "--seed", "\(seed)", "--count", "1000000"])
      else { return record.fail(seed: seed, step: round, "no child can be started") }
      // A child needs some milliseconds to start, so some kills happen while it opens the store.
      let microseconds = generator.below(generator.chance(1, in: 4) ? 6_000 : 80_000)
      usleep(UInt32(microseconds))
      child.kill()
      let told = Victim.acknowledged(child.readAll())
      let end = child.wait()
      record.count += 1
      record.note("commits", max(0, told - known))
      if end != .signal(SIGKILL) { return record.fail(seed: seed, step: round, "the child ended by itself: \(end)") }
      if let complaint = Victim.complaint(path, seed, acknowledged: max(told, known), model: &model, known: &known) {
        return record.fail(seed: seed, step: round, "killed after \(microseconds) µs: " + complaint)
      }
    }
  }

  /// A system call of the victim that fails, or that kills it.
  private struct Injection {
    var call: String
    var effect: String
    var nth: Int

    /// The k-th call of each kind in turn, from the first k on.
    static let all: [Injection] = {
      let kinds: [(call: String, effect: String, most: Int)] = [
        ("pwrite64", "signal=KILL", 200), ("fdatasync", "signal=KILL", 200), ("pwrite64", "error=EIO", 200),
        ("pwrite64", "error=ENOSPC", 200), ("fdatasync", "error=EIO", 200), ("ftruncate", "error=EIO", 6),
        ("ftruncate", "signal=KILL", 6), ("rename", "error=EIO", 1), ("rename", "signal=KILL", 1),
        ("unlink", "signal=KILL", 2), ("fsync", "signal=KILL", 3), ("fsync", "error=EIO", 3),
      ]
      return (1...200).flatMap { nth in
        kinds.filter { nth <= $0.most }.map { Injection(call: $0.call, effect: $0.effect, nth: nth) }
      }
    }()
  }

  /// Trial 8: the real binary at an exact system call, through `strace -e inject`.
  ///
  /// A case counts only if the trace shows that the call was hit. The last truncations may not
  /// happen.
  static let systemCalls = Trial(
    8, "an exact system call", unit: "injections", cases: Injection.all.count, quota: Injection.all.count - 12
  ) { index, seed, record in
    let (call, effect, nth) = (Injection.all[index].call, Injection.all[index].effect, Injection.all[index].nth)
    guard let folder = try? ScratchFolder() else { return record.fail(seed: seed, "no folder can be made") }
    record.place(seed, nth, image: "\(call) \(effect)")
    let path = folder.file("a.roost")
    let trace = folder.file("trace")
    let arguments = [
      "-f", "-qq", "-o", trace, "-e", "trace=\(call)", "-e", "inject=\(call):\(effect):when=\(nth)",
      TortureCommand.program, "victim", "--path", path, "--seed", "\(seed)", "--count", "400",
    ]
    guard let child = Spawn("strace", arguments, isSilent: true) else { return record.note("not started") }
    let told = Victim.acknowledged(child.readAll())
    let end = child.wait()
    let calls = (try? DiskFileSystem.shared.text(of: trace)) ?? ""
    let isStruck = calls.contains(effect.hasPrefix("signal") ? "killed by SIGKILL" : "(INJECTED)")
    record.note(isStruck ? "\(call) \(effect)" : "\(call) \(effect): did not come")
    if isStruck { record.count += 1 }
    var model = Model()
    var known = 0
    let isExpected = end == .exit(0) || end == .exit(3) || end == .signal(SIGKILL) || end == .exit(137)
    if !isExpected { record.fail(seed: seed, step: nth, image: "\(call) \(effect)", "the child ended with \(end)") }
    if let complaint = Victim.complaint(path, seed, acknowledged: told, model: &model, known: &known) {
      record.fail(seed: seed, step: nth, image: "\(call) \(effect)", complaint)
    }
  }

  /// Why trial 8 cannot run here; nil if it can.
  static var systemCallsAreMissing: String? {
    guard let child = Spawn("strace", ["-qq", "-o", "/dev/null", "-e", "trace=none", "true"], isSilent: true) else {
      return "strace is not installed"
    }
    _ = child.readAll()
    return child.wait() == .exit(0) ? nil : "ptrace is not allowed"
  }
}

extension DiskFileSystem {
  /// A whole small file as text.
  fileprivate func text(of path: String) throws -> String {
    let file = try open(path, .read)
    defer { file.close() }
    var bytes = [UInt8](repeating: 0, count: Int(try file.size()))
    try bytes.withUnsafeMutableBytes { try file.readFully(into: $0, at: 0) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
