import RoostFile
import RoostTransfer

/// Reads a text from a file or standard input, and decompresses LZ4 frames.
enum InputFile {
  /// The text, and its number of bytes if that is known.
  static func open(_ file: String) throws -> (input: any ByteInput, byteCount: UInt64?) {
    let stream = file == "-" ? ByteStream.standardInput : try ByteStream.reading(file)
    let plain = DescriptorInput(stream)
    var head = [UInt8](repeating: 0, count: 4)
    var count = 0
    while count < 4 {
      let more = try head.withUnsafeMutableBytes { bytes in
        try plain.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[count...]))
      }
      if more == 0 { break }
      count += more
    }
    let whole = PrefixedInput(head[..<count], before: plain)
    if UnpackedInput.isFrame(head[..<count]) { return (try UnpackedInput(whole), nil) }
    return (whole, stream.byteCount)
  }
}
