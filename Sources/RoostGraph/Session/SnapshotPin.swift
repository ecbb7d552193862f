internal import RoostRecords

/// Keeps a snapshot for a cursor, even after its context moved to a newer one.
package final class SnapshotPin {
  let reader: RecordReader

  init(_ reader: RecordReader) {
    reader.share()
    self.reader = reader
  }
}
