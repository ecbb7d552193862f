internal import Foundation
internal import Roost
package import RoostTestSupport

extension Trial {
  /// Trial 20: random plays of contexts.
  package static let objects = Trial(20, "random plays of contexts", unit: "plays", quota: 2_000) {
    seed, record in
    record.count += 1
    do {
      let play = try ObjectPlay(seed: seed)
      let complaint = try play.run(steps: 40) { step in
        record.place(seed, step, image: "objects")
        record.trace?("step \(step)")
      }
      for (name, count) in play.counts { record.note(name, count) }
      if let complaint { record.fail(seed: seed, complaint) }
      for part in ObjectParts.all { if let complaint = try part.run(seed) { record.fail(seed: seed, complaint) } }
    } catch { record.fail(seed: seed, "\(error)") }
  }
}
