internal import Foundation
internal import Roost
internal import RoostGraph
internal import RoostRecords
internal import RoostTransfer

extension RecordImporter {
  func run(
    _ source: ImportSource, _ cancellation: ImportCancellation, progress: ((Roost.ImportProgress) -> Void)?
  ) throws -> Roost.ImportReport {
    try ImportErrors.pass {
      try target.store.refuseWorkingSet("an import of texts")
      try options.checkText()
      let (format, input) = (try source.format().plain, try source.open())
      let plain = options.plain(into: target.entity, hasUnique: try target.hasUnique(), try target.shape())
      let (clock, notice) = (ImportProgressClock { input.fraction($0) }, ImportNotice(target))
      let rejects = options.rejects.map { RejectFile($0.path(percentEncoded: false), format) }
      var isResumed = false
      var header: (() -> TableHeader?)?
      let importer = Importer(
        target.store.records, plain, cancellation: cancellation, watch: notice,
        progress: progress.map { tell in { tell(clock.progress($0)) } },
        reject: rejects.map { file in { try file.add($0, header: header?(), isResumed: isResumed) } })
      header = { [unowned importer] in importer.header }
      isResumed = try importer.isResumed()
      let found = try withExtendedLifetime(container) { try importer.run(input, format) }
      return report(found, clock)
    }
  }

  private func report(_ found: RoostTransfer.TextImportReport, _ clock: ImportProgressClock) -> Roost.ImportReport {
    var report = Roost.ImportReport()
    report.progress = clock.progress(found.progress)
    if !found.isCancelled { report.progress.fraction = 1 }
    report.faults = found.faults.map { ImportFault($0) }
    report.unresolved = found.unresolved.map {
      Roost.ImportReport.Unresolved(
        model: target.identifier($0.row), property: $0.property, key: $0.key, reason: .init($0.reason))
    }
    report.unresolvedCount = found.unresolvedCount
    report.isCancelled = found.isCancelled
    return report
  }
}
