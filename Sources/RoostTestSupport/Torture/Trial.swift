/// One number of the arsenal: something that is done for one seed after another, until enough was examined.
///
/// To add a number, make a `static let` with one of the two initializers and name it in `Arsenal.trials`. The quota is
/// the number of cases that must really happen: `ci` and `soak` fail a number that stays below it.
package struct Trial: Sendable {
  package var number: Int
  package var name: String
  /// What is counted.
  package var unit: String
  /// How many cases must happen before a change is taken in.
  package var quota: Int
  /// How many cases are listed, where a seed picks one from a list; nil where each seed draws its own.
  package private(set) var cases: Int?
  /// How many workers may run it at the same time.
  package var workers: Int
  /// Why this build does not have the number; nil if it has.
  package private(set) var absence: Absence?
  package var run: @Sendable (_ seed: UInt64, TortureRecord) -> Void

  /// A reason for which a build does not have a number.
  package enum Absence: String, Sendable {
    case releaseBuild = "not in a release build"
  }

  package init(
    _ number: Int, _ name: String, unit: String, quota: Int, workers: Int = 2,
    run: @escaping @Sendable (_ seed: UInt64, TortureRecord) -> Void
  ) {
    self.number = number
    self.name = name
    self.unit = unit
    self.quota = quota
    self.workers = workers
    self.run = run
  }

  /// A number that this build does not have. It is named in lists, and no run of it counts as good.
  package init(_ number: Int, _ name: String, absence: Absence) {
    self.init(number, name, unit: "", quota: 0) { seed, record in record.fail(seed: seed, absence.rawValue) }
    self.absence = absence
  }

  /// An error's sentence where the number is not in this build: how to run it; nil if it is.
  package var absenceAdvice: String? {
    absence.map {
      "number \(number) is \($0.rawValue): run it from a debug build, with `swift run roost-torture run --test \(number)`"
    }
  }

  /// A number whose cases are listed. Any `cases` seeds in a row go through the whole list, whatever the first one is.
  ///
  /// - Parameter quota: how many of the cases must happen; nil for all.
  package init(
    _ number: Int, _ name: String, unit: String, cases: Int, quota: Int? = nil, workers: Int = 2,
    run: @escaping @Sendable (_ index: Int, _ seed: UInt64, TortureRecord) -> Void
  ) {
    self.init(number, name, unit: unit, quota: quota ?? cases, workers: workers) { seed, record in
      run(Int((seed &- 1) % UInt64(cases)), seed, record)
    }
    self.cases = cases
  }
}
