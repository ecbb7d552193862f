import Foundation
import RoostTestSupport
import SwiftData
import Synchronization
import Testing

@Model private final class Cipher {
  @Validate(.pattern("(a+)+b")) var text: String
  var count = 0

  init(_ text: String) { self.text = text }
}

extension Cipher: Validatable {
  static let started = Mutex(false)
  static let done = Mutex(false)

  func validate(_ validation: Validation) throws { if text.count > 10 { Self.started.withLock { $0 = true } } }
}

/// A pattern that takes long for a text.
@Suite struct SlowPatternTests {
  @Test func `a save matches patterns before it takes the lock`() throws {
    let container = try ModelContainer(
      for: Cipher.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    // Each further letter doubles the time.
    let regex = try Regex("(a+)+b")
    var text = "aaaaaaaaaaaa"
    let clock = ContinuousClock()
    while try clock.measure({ _ = try regex.wholeMatch(in: text) }) < .milliseconds(400) { text += "a" }
    let slow = text
    // Separate threads, because other tests may use all threads of the pool.
    Thread.detachNewThread {
      let context = ModelContext(container)
      context.insert(Cipher(slow))
      let error = #expect(throws: RoostError.self) { try context.save() }
      #expect(error?.faults.map(\.property) == ["text"])
      Cipher.done.withLock { $0 = true }
    }
    let context = ModelContext(container)
    let quick = Cipher("ab")
    context.insert(quick)
    while !Cipher.started.withLock({ $0 }) { sched_yield() }
    var saves = 0
    while !Cipher.done.withLock({ $0 }) {
      quick.count += 1
      try context.save()
      saves += 1
    }
    // If a save waited for the lock, there would be only one.
    #expect(saves > 3)
  }
}
