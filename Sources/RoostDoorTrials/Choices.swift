internal import RoostTestSupport

/// The choices of which a random predicate is made, so that a smaller list of them makes a smaller predicate.
final class Choices {
  private var generator: SplitMix64?
  private(set) var taken: [Int] = []
  private let given: [Int]

  init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
    given = []
  }

  /// The same choices again; where they end always the first, which is the simplest.
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
