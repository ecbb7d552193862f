package import RoostFile
internal import RoostPages
internal import RoostRecords

/// Plays a scenario of rows once for each call and each fault, continues with the same handle, then
/// stops the machine.
package final class RowFaultSweep {
  private let seed: UInt64
  private let scenario: RowScenario
  private let record: TortureRecord
  package var wrap: ((SimulatedFileSystem) -> any FileSystem)?
  /// The distance between the cases that are played.
  package var stride = 1

  package init(_ scenario: RowScenario, seed: UInt64, _ record: TortureRecord) {
    self.scenario = scenario
    self.seed = seed
    self.record = record
  }

  package func run() {
    record.place(seed, 0, image: "rows without a fault")
    let play = RowPlay(scenario, wrap: wrap)
    play.fileSystem.recordsSteps = true
    play.fileSystem.recordsReads = true
    play.run()
    play.examine()
    play.close()
    if let failure = play.failures.first { return record.fail(seed: seed, failure) }
    var seen: [CallKind: Int] = [:]
    var cases: [FaultSweep.Case] = []
    for (index, step) in play.fileSystem.steps.enumerated() {
      seen[step.kind, default: 0] += 1
      cases += FaultSweep.cases(step.kind, nth: seen[step.kind, default: 1], call: index + 1)
    }
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

  private func run(_ one: FaultSweep.Case) {
    let play = RowPlay(scenario, wrap: wrap)
    play.expectsErrors = true
    play.deviceLies = one.lies
    play.trace = record.trace
    if !one.lies {
      play.order = OrderChecker(play.fileSystem, path: RowPlay.path, segmentBytes: scenario.options.segmentBytes)
    }
    play.fileSystem.inject(one.rule)
    var points: [(CrashPoint, RowPast)] = []
    var struck = 0
    play.onStep = { [unowned play, record] step, past in
      record.trace?("\(step)   begun \(past.begun), promised \(past.promised)")
      if step.errorNumber != 0 { struck = 1 } else if struck > 0 { struck += 1 }
      if struck == 1 || struck == 4 || struck == 12 { points.append((play.fileSystem.crashPoint(), past)) }
      if points.count > 6 { points.removeFirst() }
    }
    play.run()
    // The device works again. The store continues if it may, and is opened again otherwise.
    play.fileSystem.clearFaults()
    play.run(.write(seed: seed &+ 1, changes: 3, .full, abandons: false))
    points.append((play.fileSystem.crashPoint(), play.past))
    play.run(.reopen)
    play.run(.write(seed: seed &+ 2, changes: 3, .full, abandons: false))
    points.append((play.fileSystem.crashPoint(), play.past))
    if !one.lies { play.examine() }
    for error in play.errors { record.trace?("threw \(error)") }
    for failure in play.failures.prefix(1) { fail(one, failure) }
    for complaint in (play.order?.takeComplaints() ?? []).prefix(2) { fail(one, complaint) }
    let isFine = play.failures.isEmpty
    play.onStep = nil
    play.abandon()
    if isFine { for (crash, past) in points { examine(crash, past, one: one) } }
  }

  private func fail(_ one: FaultSweep.Case, _ sentence: String) {
    record.fail(seed: seed, step: one.call, image: one.rule.description, sentence)
  }

  private func examine(_ crash: CrashPoint, _ past: RowPast, one: FaultSweep.Case) {
    let policy = CrashPolicy(exhaustiveUpTo: 1, ofEach: 1, randoms: 1, garbage: 0, seed: seed &+ UInt64(one.call))
    for choice in crash.choices(policy) {
      record.note("images")
      let image = crash.image(choice)
      image.recordsSteps = false
      let place = "crash at \(crash.step), \(choice): "
      do {
        let store = try RecordStore(RowPlay.path, options: scenario.options, fileSystem: image)
        defer {
          image.stopAfter(step: 0)
          try? store.close()
        }
        let (commit, state) = try store.read { ($0.commit, try RowState($0)) }
        if let complaint = past.complaint(commit, state) {
          fail(one, place + complaint)
        } else {
          let findings = try RowAudit.findings(store)
          // An index is read here for the first time. A page that a device lost after a lie is
          // reported, so it is not silent.
          if one.lies && findings.contains(where: { $0.kind == .page }) {
            record.note("findings after a lie")
          } else if let finding = findings.first {
            fail(one, place + finding.description)
          }
        }
      } catch is StoreError where one.lies {
        // A lying device may destroy the store, but not silently.
        record.note("typed errors after a lie")
      } catch { fail(one, place + "\(error)") }
    }
  }
}
