internal import RoostCare
internal import RoostPages

extension RecordStore {
  /// A read-only store that shows this store at a former place of its history. The undone changes
  /// are in memory. All other pages are read from this store's file, so this store cannot be closed
  /// before it. A store in memory, or one opened for reading, is copied.
  ///
  /// Throws `expired` if the past is not known: since then the history was removed, off or not full
  /// at some time, or the catalog changed too much.
  package func rewound(to place: HistoryPlace) throws -> RecordStore {
    try read { reader in try reader.check(place) }
    let past = try RecordStore(past: store.makeLayer() ?? Backup.copyInMemory(store))
    do {
      let writer = try RecordWriter(past.store, SchemaCache(), numbers: nil, timeoutMilliseconds: nil)
      do { try writer.tables.rewind(to: place) } catch {
        writer.abandon()
        throw error
      }
      try writer.commit(.relaxed)
    } catch {
      try? past.close()
      throw error
    }
    return past
  }

  /// Throws unless another store is an earlier state of this one, as a backup is: the newest entry
  /// of its history must be in this store's history too.
  ///
  /// Then a row with the same number in both was the same row when the backup was made.
  package func checkDescent(from other: RecordReader) throws {
    let theirs = try other.latestToken
    let token = HistoryPlace(
      storeHigh: store.identity.high, storeLow: store.identity.low, transaction: theirs.transaction, stamp: theirs.stamp
    )
    do { try read { try $0.check(token) } } catch is RecordFault {
      throw RecordFault(
        .unknown,
        "the other store is no backup of this one, or was changed since it was made, or the history does not reach back to it"
      )
    }
  }
}
