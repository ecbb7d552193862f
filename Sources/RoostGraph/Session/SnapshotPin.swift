internal import RoostRecords

/// A snapshot that stays as long as a cursor holds this, also after its context moved to a newer one.
package final class SnapshotPin {
  let reader: RecordReader

  init(_ reader: RecordReader) {
    reader.share()
    self.reader = reader
  }
}
