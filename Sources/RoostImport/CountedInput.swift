internal import RoostRecords
internal import RoostTransfer
internal import Synchronization

/// Counts the bytes that are read, and decompresses them if they are compressed.
final class CountedInput: ByteInput {
  private let source: any ByteInput
  /// The number of bytes before decompression.
  private let total: UInt64?
  private let kept: AnyObject?
  private var opened: (any ByteInput)?
  private let counter = Counter()

  init(_ source: any ByteInput, _ total: UInt64?, keeping kept: AnyObject? = nil) {
    self.source = source
    self.total = total
    self.kept = kept
  }

  /// The number of bytes that were read, before decompression. Any thread may call it.
  private var read: UInt64 { counter.count.load(ordering: .relaxed) }
  /// Whether the bytes are decompressed.
  private var isPacked = false

  /// The processed fraction of the input; nil if its length is unknown.
  func fraction(_ progress: ImportCounts) -> Double? {
    guard let total else { return nil }
    return total == 0 ? 1 : min(1, Double(isPacked ? read : progress.bytes) / Double(total))
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if let opened { return try opened.read(into: buffer) }
    // The first bytes show whether it is compressed.
    var head: [UInt8] = []
    let counting = Counting(source, counter)
    while head.count < 4 {
      var piece = [UInt8](repeating: 0, count: 4 - head.count)
      let found = try piece.withUnsafeMutableBytes { try counting.read(into: $0) }
      if found == 0 { break }
      head += piece[..<found]
    }
    let whole = PrefixedInput(head, before: counting)
    isPacked = UnpackedInput.isFrame(head)
    let opened: any ByteInput = isPacked ? try UnpackedInput(whole) : whole
    self.opened = opened
    return try opened.read(into: buffer)
  }

  func isReady(by deadline: ContinuousClock.Instant) -> Bool { (opened ?? source).isReady(by: deadline) }

  func stop() { source.stop() }

  private final class Counter: Sendable { let count = Atomic<UInt64>(0) }

  private final class Counting: ByteInput {
    private let source: any ByteInput
    private let counter: Counter

    init(_ source: any ByteInput, _ counter: Counter) {
      self.source = source
      self.counter = counter
    }

    func isReady(by deadline: ContinuousClock.Instant) -> Bool { source.isReady(by: deadline) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
      let found = try source.read(into: buffer)
      counter.count.add(UInt64(found), ordering: .relaxed)
      return found
    }
  }
}
