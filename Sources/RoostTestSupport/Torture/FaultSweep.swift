package import RoostFile
internal import RoostKV
internal import RoostPages

/// Plays a scenario once for each call and each fault, continues with the same handle, then stops
/// the machine.
package final class FaultSweep {
  struct Case {
    var call: Int
    var rule: FaultRule
    var lies = false
  }

  private let seed: UInt64
  private let scenario: Scenario
  private let record: TortureRecord
  package var wrap: ((SimulatedFileSystem) -> any FileSystem)?
  /// The distance between the cases that are played.
  package var stride = 1
  package var checksOrder = true

  package init(_ scenario: Scenario, seed: UInt64, _ record: TortureRecord) {
    self.scenario = scenario
    self.seed = seed
    self.record = record
  }

  package func run() {
    record.place(seed, 0, image: "without a fault")
    let play = Play(scenario.options, wrap: wrap)
    play.fileSystem.recordsSteps = true
    play.fileSystem.recordsReads = true
    play.run(scenario)
    play.close()
    for failure in play.failures { return record.fail(seed: seed, failure) }
    var seen: [CallKind: Int] = [:]
    var cases: [Case] = []
    for (index, step) in play.fileSystem.steps.enumerated() {
      seen[step.kind, default: 0] += 1
      cases += Self.cases(step.kind, nth: seen[step.kind, default: 1], call: index + 1)
    }
    record.note("calls", play.fileSystem.steps.count)
    var number = Int(seed % UInt64(max(stride, 1)))
    for one in cases {
      number += 1
      guard number % stride == 0, record.wants(step: one.call), !record.isFull else { continue }
      if !record.wants(image: one.rule.description) { continue }
      record.place(seed, one.call, image: one.rule.description)
      record.count += 1
      run(one)
    }
  }

  static func cases(_ kind: CallKind, nth: Int, call: Int) -> [Case] {
    var effects: [FaultRule.Effect] = [.error(ErrorNumber.io)]
    switch kind {
    case .write:
      effects += [
        .error(ErrorNumber.noSpace), .error(ErrorNumber.quota), .error(ErrorNumber.interrupted), .shortTransfer,
        .zeroTransfer, .errorAfterEffect(ErrorNumber.io),
      ]
    case .read: effects += [.error(ErrorNumber.interrupted), .shortTransfer, .zeroTransfer]
    case .sync, .syncDirectory:
      effects += [
        .error(ErrorNumber.noSpace), .error(ErrorNumber.interrupted), .sync(.keptAndMarkedClean), .sync(.reverted),
        .sync(.reportedLate), .errorAfterEffect(ErrorNumber.io),
      ]
    case .create:
      effects += [
        .error(ErrorNumber.noSpace), .error(ErrorNumber.interrupted), .errorAfterEffect(ErrorNumber.io),
      ]
    case .truncate, .allocate:
      effects += [
        .error(ErrorNumber.noSpace), .error(ErrorNumber.interrupted), .errorAfterEffect(ErrorNumber.io),
      ]
    default: break
    }
    return effects.flatMap { effect in
      [false, true].map { forever in
        Case(
          call: call, rule: FaultRule(kind, nth: nth, effect, forever: forever), lies: effect == .sync(.reportedLate))
      }
    }
  }

  private func run(_ one: Case) {
    let play = Play(scenario.options, wrap: wrap)
    play.expectsErrors = true
    play.deviceLies = one.lies
    if checksOrder && !one.lies {
      play.order = OrderChecker(play.fileSystem, path: Play.path, segmentBytes: scenario.options.segmentBytes)
    }
    play.fileSystem.inject(one.rule)
    var points: [(CrashPoint, History)] = []
    var struck = 0
    let trace = record.trace
    play.onStep = { [unowned play] step, history in
      trace?("\(step)   begun \(history.begun), promised \(history.promised)")
      // The moment of the fault, and some calls after it.
      if step.errorNumber != 0 { struck = 1 } else if struck > 0 { struck += 1 }
      if struck == 1 || struck == 4 || struck == 12 { points.append((play.fileSystem.crashPoint(), history)) }
      if points.count > 6 { points.removeFirst() }
    }
    play.run(scenario)
    // The device works again. The store continues if it may, and is opened again otherwise.
    play.fileSystem.clearFaults()
    let place = Change.Place(isTable: true, number: 0)
    play.run(.write([.put(place, key: 3, Change.Value(length: 40, seed: 1))], .full, abandons: false))
    points.append((play.fileSystem.crashPoint(), play.history))
    play.run(.reopen)
    play.run(.write([.put(place, key: 4, Change.Value(length: 3000, seed: 2))], .full, abandons: false))
    points.append((play.fileSystem.crashPoint(), play.history))
    func fail(_ sentence: String) {
      record.fail(seed: seed, step: one.call, image: one.rule.description, sentence)
    }
    for error in play.errors { trace?("threw \(error)") }
    for failure in play.failures.prefix(1) { fail(failure) }
    for complaint in (play.order?.takeComplaints() ?? []).prefix(2) { fail(complaint) }
    let isFine = play.failures.isEmpty
    play.onStep = nil
    play.abandon()
    if isFine { for (crash, history) in points { examine(crash, history, one: one, fail: fail) } }
  }

  private func examine(_ crash: CrashPoint, _ history: History, one: Case, fail: (String) -> Void) {
    let policy = CrashPolicy(exhaustiveUpTo: 1, ofEach: 1, randoms: 1, garbage: 0, seed: seed &+ UInt64(one.call))
    for choice in crash.choices(policy) {
      record.note("images")
      let image = crash.image(choice)
      do {
        let store = try KeyValueStore(Play.path, options: scenario.options, fileSystem: image)
        defer {
          image.stopAfter(step: 0)
          try? store.close()
        }
        let (commit, digest) = try store.digest()
        if let complaint = history.complaint(commit: commit, digest: digest) {
          fail("crash at \(crash.step), \(choice): " + complaint)
        } else {
          var findings = try Audit.findings(store)
          if one.lies {
            // Data that a lying device lost may be missing, if that is reported.
            let lost = findings.count
            findings.removeAll { $0.contains("damaged") }
            record.note("damage told after a lie", lost - findings.count)
          }
          if !findings.isEmpty {
            fail("crash at \(crash.step), \(choice): " + findings.prefix(4).joined(separator: "; "))
          }
        }
      } catch let error as StoreError where one.lies {
        // A lying device may destroy the store, but not silently.
        record.note("typed errors after a lie")
        _ = error
      } catch { fail("crash at \(crash.step), \(choice): \(error)") }
    }
  }
}

extension Scenario {
  /// A few actions on a small store, for tests that play them very often.
  package static func short(_ seed: UInt64, actions: Int = 7) -> Scenario {
    var shape = Shape()
    shape.actions = actions
    shape.changes = 8
    shape.keys = 40
    shape.trees = 2
    shape.namedOneIn = 12
    return random(seed, shape)
  }
}
