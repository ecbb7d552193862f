/// Makes names that no program uses.
final class PredicateNames {
  private var last = 0

  func next() -> String {
    last += 1
    return "_roost\(last)"
  }
}
