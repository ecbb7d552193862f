import RoostFile
import RoostRecords
import RoostTransfer

/// A former state of a store, from the command line.
enum AsOf {
  static let option = Syntax.Option(
    name: "as-of", value: "moment",
    help:
      "Read the store as it was: after a transaction, as '120', or before a time, as '2026-01-31T12:00:00Z'. It needs a full history."
  )

  /// The former state of the store, or the present one without `--as-of`.
  static func rows(_ arguments: Arguments) throws -> RecordWitness {
    let witness = try Looking.rows(arguments.operands[0])
    guard let text = arguments.text(option.name) else { return witness }
    do { return try witness.past { reader in try place(text, reader) } } catch let fault as RecordFault
      where fault.code == .expired
    {
      throw RecordFault(.expired, "the state as of '\(text)' is not known: \(fault.detail)")
    }
  }

  /// The place in the history for a word of the command line.
  static func place(_ text: String, _ reader: RecordReader) throws -> HistoryPlace {
    let oldest = try reader.oldestToken
    if let number = UInt64(text) {
      guard number <= reader.commit else {
        throw CheckFailure(
          sentence:
            "the newest transaction is \(reader.commit), so there is no state after \(number): choose a smaller number")
      }
      guard number >= oldest.transaction else { throw removed(oldest) }
      return try reader.token(behind: number)
    }
    let stamp = try time(text)
    if oldest.transaction > 0, oldest.stamp >= stamp { throw removed(oldest) }
    return try reader.token(before: stamp)
  }

  private static func removed(_ oldest: HistoryPlace) -> CheckFailure {
    CheckFailure(
      sentence:
        "the history up to transaction \(oldest.transaction) was removed, so earlier states are not known: ask for a later one, "
        + "or look into a backup")
  }

  private static func time(_ text: String) throws -> HybridTime {
    let seconds: Double
    do { seconds = try Array(text.utf8).withUnsafeBytes { try DateText.date($0) } } catch {
      let detail = (error as? ValueFault)?.detail ?? "\(error)"
      throw UsageError(sentence: "'--as-of \(text)' is neither a transaction nor a time: \(detail)")
    }
    let milliseconds = ((seconds + DateText.epoch) * 1000).rounded()
    guard milliseconds >= 0, milliseconds < Double(UInt64(1) << 48) else {
      throw UsageError(sentence: "'--as-of \(text)' is outside the times that a history can have")
    }
    return HybridTime(milliseconds: UInt64(milliseconds))
  }
}
