internal import RoostBytes
package import RoostFile

/// Takes bytes in the order in which they are written.
package protocol ByteOutput: AnyObject {
  func write(_ bytes: UnsafeRawBufferPointer) throws
  /// Ends the output.
  func finish() throws
}

/// Keeps the bytes in memory.
package final class MemoryOutput: ByteOutput {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package func write(_ bytes: UnsafeRawBufferPointer) { self.bytes += bytes }
  package func finish() {}
}

/// Writes to a file, a pipe, or any other descriptor.
package final class DescriptorOutput: ByteOutput {
  private let stream: ByteStream

  package init(_ stream: ByteStream) { self.stream = stream }

  package func write(_ bytes: UnsafeRawBufferPointer) throws { try stream.write(bytes) }
  package func finish() {}
}

/// Compresses the output as an LZ4 frame, for the program `lz4` and for ``UnpackedInput``.
package final class PackedOutput: ByteOutput {
  private let output: any ByteOutput
  private let packer: FramePacker
  private var hasBegun = false

  package init(_ output: any ByteOutput) throws {
    guard let packer = FramePacker() else { throw Self.failed }
    self.packer = packer
    self.output = output
  }

  private static var failed: StoreError { StoreError(.outOfMemory, "there is no memory to compress the output") }

  package func write(_ bytes: UnsafeRawBufferPointer) throws {
    try begin()
    // In pieces, because the library needs room for all bytes of a call at once.
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 20))
      rest = rest.dropFirst(piece.count)
      try put(packer.add(piece))
    }
  }

  package func finish() throws {
    try begin()
    try put(packer.end())
    try output.finish()
  }

  private func begin() throws {
    if hasBegun { return }
    hasBegun = true
    try put(packer.begin())
  }

  private func put(_ packed: [UInt8]?) throws {
    guard let packed else { throw Self.failed }
    try packed.withUnsafeBytes { try output.write($0) }
  }
}
