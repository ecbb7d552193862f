/// One failure of a test, and how to reproduce it.
package struct TortureFailure: Sendable, CustomStringConvertible {
  package var test: Int
  package var seed: UInt64
  package var step: Int
  package var image: String?
  package var sentence: String

  package init(test: Int, seed: UInt64, step: Int = 0, image: String? = nil, _ sentence: String) {
    self.test = test
    self.seed = seed
    self.step = step
    self.image = image
    self.sentence = sentence
  }

  package var replay: String {
    "roost-torture replay --test \(test) --seed \(seed) --step \(step)" + (image.map { " --image \"\($0)\"" } ?? "")
  }

  package var description: String { replay + "\n  " + sentence }
}

/// The counts and failures of a running test.
package final class TortureRecord {
  package let test: Int
  /// The number of examined cases, in the unit of the test.
  package var count = 0
  package private(set) var failures: [TortureFailure] = []
  /// Further counts by name, for the report.
  package var notes: [String: Int] = [:]
  /// The operations in conditions.
  package var census = ConditionCensus()
  /// The present position of the test, reported before each case, so that a crash of the process
  /// can be located.
  package var onPlace: ((_ seed: UInt64, _ step: Int, _ image: String) -> Void)?
  /// Called with each event while a single failure is examined.
  package var trace: ((String) -> Void)?
  /// Only this step, and only this image, are examined.
  package var onlyStep: Int?
  package var onlyImage: String?
  /// The number of failures after which a test stops.
  package var mostFailures = 20

  package init(test: Int) { self.test = test }

  package var isFull: Bool { failures.count >= mostFailures }

  package func fail(seed: UInt64, step: Int = 0, image: String? = nil, _ sentence: String) {
    failures.append(TortureFailure(test: test, seed: seed, step: step, image: image, sentence))
  }

  package func place(_ seed: UInt64, _ step: Int, image: @autoclosure () -> String) {
    if let onPlace { onPlace(seed, step, image()) }
  }

  package func note(_ name: String, _ more: Int = 1) { notes[name, default: 0] += more }

  package func wants(step: Int) -> Bool { onlyStep == nil || onlyStep == 0 || onlyStep == step }
  package func wants(image: @autoclosure () -> String) -> Bool {
    guard let onlyImage else { return true }
    return onlyImage == image()
  }
}
