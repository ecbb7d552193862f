import RoostFile
import RoostPages
import RoostTestSupport
import Testing

@testable import RoostRecords

/// Stops the machine after every call of a play, and examines the result of each crash.
final class CrashEverywhere {
  static let path = "/a.roost"
  let fileSystem = SimulatedFileSystem()
  let options: StoreOptions
  private(set) var acknowledged = 0
  /// The number of the commit of the first step.
  private(set) var firstCommit: UInt64 = 0
  private var points: [(crash: CrashPoint, acknowledged: Int)] = []

  init(_ options: StoreOptions) { self.options = options }

  /// Runs the steps; each is acknowledged when it returns.
  func play(_ steps: [(RecordStore) throws -> Void], from first: Int = 0, stride: Int = 1) throws {
    let store = try RecordStore(Self.path, options: options, fileSystem: fileSystem)
    var calls = 0
    for (number, step) in steps.enumerated() {
      if number >= first {
        fileSystem.onStep = { [unowned self] _ in
          calls += 1
          if calls % stride == 0 { points.append((fileSystem.crashPoint(), acknowledged)) }
        }
      }
      try step(store)
      acknowledged = number + 1
      if number == 0 { firstCommit = try store.read { $0.commit } }
    }
    try store.close()
    fileSystem.onStep = nil
  }

  /// Calls `check` with the store that each image opens as, and the number of steps that were
  /// acknowledged before the crash.
  func examine(_ policy: CrashPolicy, _ check: (RecordStore, Int, String) throws -> Void) throws -> Int {
    var count = 0
    for (number, point) in points.enumerated() {
      for choice in point.crash.choices(policy) {
        let image = point.crash.image(choice)
        image.recordsSteps = false
        let store = try RecordStore(Self.path, options: options, fileSystem: image)
        try check(store, point.acknowledged, "call \(number), \(choice)")
        try store.close()
        count += 1
      }
    }
    return count
  }
}
