#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import RoostFile
import RoostTestSupport
import Synchronization

/// Runs portions of a trial in worker processes, one for each core, and survives their crashes.
final class Crew: @unchecked Sendable {
  // `@unchecked Sendable`: `lock` guards `result`.
  private let program: String
  private let folder: ScratchFolder
  private let trial: Trial
  private let lock = Lock()
  private var result: TrialResult

  /// A worker without a sign of life for this long hangs.
  static let patienceSeconds = 120.0

  init(_ program: String, _ folder: ScratchFolder, trial: Trial) {
    self.program = program
    self.folder = folder
    self.trial = trial
    result = TrialResult(trial)
  }

  func run(_ portions: [Portion]) -> TrialResult {
    let begin = Clock.monotonicNanoseconds()
    for portion in portions {
      let before = result.count
      run(portion)
      result.end(portion, count: result.count - before)
    }
    result.seconds = Double(Clock.monotonicNanoseconds() - begin) / 1e9
    return result
  }

  private func run(_ portion: Portion) {
    let count = min(trial.workers, portion.seeds ?? .max)
    let threads = (0..<count).compactMap { index in
      try? Thread { [self] in
        var share = portion
        share.first &+= UInt64(index)
        share.quota = (portion.quota + count - 1) / count
        // The first workers take the remainder.
        share.seeds = portion.seeds.map { ($0 - index + count - 1) / count }
        work(share, stride: UInt64(count), of: portion)
      }
    }
    for thread in threads { thread.join() }
  }

  private func work(_ share: Portion, stride: UInt64, of portion: Portion) {
    let first = share.first
    let path = folder.file("place-\(trial.number)-\(first)")
    guard let place = Place(path) else { return fail(first, 0, image: nil, sentence: "no place file could be made") }
    var arguments = [
      "worker", "--test", "\(trial.number)", "--seed", "\(first)", "--stride", "\(stride)", "--quota",
      "\(share.quota)", "--place", path,
    ]
    if let seeds = share.seeds { arguments += ["--seeds", "\(seeds)"] }
    guard let child = Spawn(program, arguments) else {
      return fail(first, 0, image: nil, sentence: "no worker could be started")
    }
    let hasEnded = Flag()
    let watch = try? Thread { Self.watch(child, place, until: hasEnded) }
    let output = child.readAll()
    let end = child.wait()
    lock.withLock { result.take(output) }
    switch end {
    case .exit(0): break
    case .exit(let code): fail(place.seed, place.step, image: place.image, sentence: "the worker ended with \(code)")
    case .signal(let number):
      fail(place.seed, place.step, image: place.image, sentence: "the process died of signal \(number)")
    }
    hasEnded.value.store(true, ordering: .relaxed)
    watch?.join()
  }

  private final class Flag: Sendable {
    let value = Atomic<Bool>(false)
  }

  /// Kills a worker that hangs.
  private static func watch(_ child: Spawn, _ place: Place, until hasEnded: Flag) {
    var beat = place.beat
    var seen = Clock.monotonicNanoseconds()
    while !hasEnded.value.load(ordering: .relaxed) {
      usleep(50_000)
      let now = Clock.monotonicNanoseconds()
      if place.beat != beat {
        beat = place.beat
        seen = now
      } else if Double(now - seen) > patienceSeconds * 1e9 {
        child.kill(SIGABRT)
        return
      }
    }
  }

  private func fail(_ seed: UInt64, _ step: Int, image: String?, sentence: String) {
    lock.withLock {
      result.failures.append(TortureFailure(test: trial.number, seed: seed, step: step, image: image, sentence))
    }
  }
}
