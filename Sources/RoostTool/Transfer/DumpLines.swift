import RoostRecords
import RoostTransfer

/// The line of each row in a dump, to name the line of a row that references a missing one.
///
/// A dump is sorted by row numbers, so runs of rows on successive lines are stored instead of
/// single rows.
struct DumpLines {
  private struct Run {
    var entity: EntityID
    var row: UInt64
    var line: Int
    var count: UInt64 = 1
  }

  private var runs: [Run] = []

  mutating func note(_ row: RowID, of entity: EntityID, line: Int) {
    if let last = runs.last, last.entity == entity, last.row + last.count == row.number,
      last.line + Int(last.count) == line
    {
      runs[runs.count - 1].count += 1
    } else {
      runs.append(Run(entity: entity, row: row.number, line: line))
    }
  }

  func line(_ row: RowID, of entity: EntityID) -> Int? {
    let run = runs.first { $0.entity == entity && $0.row <= row.number && row.number - $0.row < $0.count }
    return run.map { $0.line + Int(row.number - $0.row) }
  }

  /// The first reference to a missing row, as an error; nil if there is none.
  func missing(_ reader: RecordReader) throws -> TransferFault? {
    for entity in reader.catalog.entities {
      let table = try reader.table(entity.id)
      for field in entity.fields {
        guard case .reference(let target) = field.type, let access = table.access(field.id) else { continue }
        let (targets, name) = (try reader.table(target), reader.catalog.name(of: target) ?? "?")
        var cursor = try table.cursor()
        while let row = try cursor.nextRow(isBackward: false) {
          guard case .reference(let other) = try table.value(access, row), try !targets.contains(other) else {
            continue
          }
          return TransferFault(
            .missing,
            "\(entity.name) #\(row.id.number) references \(name) #\(other.number), which the dump does not have",
            line: line(row.id, of: entity.id), field: field.name)
        }
      }
    }
    return nil
  }
}
