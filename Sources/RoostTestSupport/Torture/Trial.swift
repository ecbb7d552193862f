/// A test that runs for one seed after another, until enough cases were examined.
///
/// To add a trial, make a `static let` with one of the two initializers and name it in
/// `Arsenal.trials`. The quota is the number of cases that must really happen: `ci` and `soak` fail
/// a trial that stays below it.
package struct Trial: Sendable {
  package var number: Int
  package var name: String
  /// The unit of the counted cases.
  package var unit: String
  /// The number of cases that must happen before a change is accepted.
  package var quota: Int
  /// The number of listed cases, if a seed picks one from a list; nil if each seed draws its own.
  package private(set) var cases: Int?
  /// The most workers that may run it at the same time.
  package var workers: Int
  /// Why this build lacks the trial; nil if it has it.
  package private(set) var absence: Absence?
  package var run: @Sendable (_ seed: UInt64, TortureRecord) -> Void

  /// A reason why a build lacks a trial.
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

  /// A trial that this build lacks. It is shown in lists, and no run of it counts as good.
  package init(_ number: Int, _ name: String, absence: Absence) {
    self.init(number, name, unit: "", quota: 0) { seed, record in record.fail(seed: seed, absence.rawValue) }
    self.absence = absence
  }

  /// An error message if this build lacks the trial, which says how to run it; otherwise nil.
  package var absenceAdvice: String? {
    absence.map {
      "trial \(number) is \($0.rawValue): run it from a debug build, with `swift run roost-torture run --test \(number)`"
    }
  }

  /// A trial with listed cases. Any `cases` consecutive seeds cover the whole list.
  ///
  /// - Parameter quota: the number of cases that must happen; nil for all.
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
