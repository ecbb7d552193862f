import RoostFile
import RoostTransfer

/// Holds the output of one state until it is complete, so that reading may begin again on a newer
/// state.
///
/// After a limit the output is written as it comes. Then it cannot be taken back, and a reading
/// that must begin again ends.
final class HeldOutput: ByteOutput {
  private let target: any ByteOutput
  private let bound: Int
  private var held: [UInt8] = []
  private(set) var hasFlowed = false

  init(_ target: any ByteOutput, bound: Int = 16 << 20) {
    self.target = target
    self.bound = bound
  }

  /// Discards the held output.
  func restart() { if !hasFlowed { held.removeAll(keepingCapacity: true) } }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    if hasFlowed { return try target.write(bytes) }
    held += bytes
    if held.count > bound { try flow() }
  }

  func write(_ text: String) throws { try Array(text.utf8).withUnsafeBytes { try write($0) } }

  /// Does nothing: ``release()`` writes the output.
  func finish() {}

  func release() throws {
    if !hasFlowed { try flow() }
    try target.finish()
  }

  private func flow() throws {
    hasFlowed = true
    try held.withUnsafeBytes { try target.write($0) }
    held = []
  }
}

/// Prints on the console. Pieces end between characters.
final class ConsoleOutput: ByteOutput {
  private let console: Console
  private let filter: (String) -> String

  /// - Parameter filter: makes the text safe for a terminal; not called in a pipe.
  init(_ console: Console, filter: @escaping (String) -> String) {
    self.console = console
    self.filter = filter
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    try console.raw(console.isTerminal ? filter(text) : text)
  }

  func finish() {}
}
