import RoostFile

/// A merge that is not finished: later transactions continue it.
///
/// ## Layout
/// The new segment, the next list with chunks, bytes written, sources, each source; then the bytes of the last finished
/// term and the term. All numbers are of variable length. No term is the beginning.
struct MergeState: Equatable {
  static let mostSources = 4096

  var number: UInt32
  var sources: [UInt32]
  var nextList: UInt32 = 0
  var byteCount = 0
  var lastTerm: [UInt8] = []

  init(number: UInt32, sources: [UInt32]) {
    self.number = number
    self.sources = sources
  }

  func encode(to sink: ByteSink) {
    sink.appendNumber(UInt64(number))
    sink.appendNumber(UInt64(nextList))
    sink.appendNumber(byteCount)
    sink.appendNumber(sources.count)
    for source in sources { sink.appendNumber(UInt64(source)) }
    sink.appendNumber(lastTerm.count)
    lastTerm.withUnsafeBytes { sink.append($0) }
  }

  init(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    var source = ByteSource(bytes)
    number = UInt32(try source.count(Int(UInt32.max)))
    nextList = UInt32(try source.count(Int(UInt32.max)))
    byteCount = try source.count(1 << 60)
    sources = []
    for _ in 0..<(try source.count(Self.mostSources)) { sources.append(UInt32(try source.count(Int(UInt32.max)))) }
    lastTerm = Array(try source.take(try source.count(TextScanner.mostTermBytes)))
    guard source.isAtEnd, !sources.isEmpty, Set(sources).count == sources.count, !sources.contains(number) else {
      throw ByteSource.damage
    }
  }
}
