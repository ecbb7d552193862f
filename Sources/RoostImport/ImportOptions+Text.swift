internal import Roost
internal import RoostTransfer

extension Roost.ImportOptions {
  /// Checks the options that every import needs, and the form of dates.
  func checkText() throws {
    do throws(ValueFault) { _ = try DateReader(dates.plain) } catch { throw RoostError(.badValue, error.detail) }
    try check()
  }

  /// The options of the text importer.
  func plain(into entity: String, hasUnique: Bool, _ shape: ImportShape?) -> RoostTransfer.TextImportOptions {
    var plain = RoostTransfer.TextImportOptions(into: entity)
    plain.renames = columns
    plain.ignoresUnknown = ignoresUnknown
    plain.conflict =
      switch conflict {
      case .insert: .insert
      case .skip: .skip
      case .update: .update
      case .merge: .merge
      case .throw: .throw
      }
    // Without unique values there can be no conflict.
    if !hasUnique, plain.conflict != .throw { plain.conflict = .insert }
    plain.badRecords =
      switch badRecords {
      case .stop: .stop
      case .skip(let most): .skip(most: most)
      }
    plain.dates = dates.plain
    plain.chunk = chunk
    plain.isRelaxed = durability == .relaxed
    plain.author = author
    plain.name = name
    plain.limits.recordBytes = mostRecordBytes
    plain.limits.fieldBytes = mostFieldBytes
    plain.limits.depth = mostDepth
    plain.mostReported = mostReported
    plain.shape = shape
    return plain
  }
}

extension Roost.ImportOptions.DateForm {
  /// The form in the text importer's type.
  var plain: RoostTransfer.DateForm {
    switch self {
    case .automatic: .automatic
    case .iso8601: .iso8601
    case .secondsSince2001: .secondsSince2001
    case .secondsSince1970: .secondsSince1970
    case .millisecondsSince1970: .millisecondsSince1970
    case .format(let pattern): .pattern(pattern)
    }
  }
}
