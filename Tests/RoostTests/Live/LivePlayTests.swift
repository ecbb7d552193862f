import Foundation
import Observation
import RoostTestSupport
import SwiftData
import Testing

/// Results that follow commits, compared with fetches.
@Suite struct LivePlayTests {
  @Test(.timeLimit(.minutes(30)), arguments: 1...6)
  func `differences replayed onto a copy equal a fetch after each commit`(seed: UInt64) async throws {
    let play = try LivePlay(seed: seed)
    var followed = play.followed()
    for number in followed.indices { try await followed[number].check() }
    for _ in 0..<80 {
      try play.commit(play.contexts[play.below(4)])
      // Some are several commits late.
      for number in followed.indices where play.below(3) > 0 { try await followed[number].check() }
    }
    for number in followed.indices { try await followed[number].check() }
  }

  @Test(arguments: 1...5) func `an observer shows the results of a fetch of its context`(seed: UInt64) throws {
    try LivePlay(seed: seed).playObserved(120)
  }
}
