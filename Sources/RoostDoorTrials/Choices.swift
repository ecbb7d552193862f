internal import RoostTestSupport

/// The choices that make a random predicate. A smaller list of choices makes a smaller predicate.
final class Choices {
  private var generator: SplitMix64?
  private(set) var taken: [Int] = []
  private let given: [Int]

  init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
    given = []
  }

  /// Replays choices. After their end it always takes the first one, which is the simplest.
  init(_ given: [Int]) { self.given = given }

  func below(_ bound: Int) -> Int {
    let choice: Int
    if generator != nil {
      choice = generator?.below(bound) ?? 0
    } else {
      choice = taken.count < given.count ? given[taken.count] % bound : 0
    }
    taken.append(choice)
    return choice
  }

  func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
  func coin() -> Bool { below(2) == 1 }
}
