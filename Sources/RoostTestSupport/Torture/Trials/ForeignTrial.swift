internal import RoostBytes
internal import RoostFile
internal import RoostKV
internal import RoostPages

extension Trial {
  /// Trial 10: truncated files, files of other programs, and wrong headers with matching
  /// checksums.
  package static let foreign = Trial(10, "truncated and foreign", unit: "files", quota: 5_000) { seed, record in
    strangers(seed, record, rounds: 260)
  }

  package static func strangers(_ seed: UInt64, _ record: TortureRecord, rounds: Int) {
    guard let healthy = HealthyStore(seed &+ 400, isClosed: seed % 2 == 0) else {
      return record.fail(seed: seed, "the store to be cut cannot be made")
    }
    var generator = SplitMix64(seed: seed)
    let log = healthy.crash.image(.all).contents(of: Play.path + "-log")
    for round in 1...rounds {
      var own = generator.split()
      guard record.wants(step: round), !record.isFull else { continue }
      let image = healthy.crash.image(.all)
      image.recordsSteps = false
      let what = spoil(image, healthy, log: log, round: round, generator: &own)
      record.place(seed, round, image: what)
      record.count += 1
      switch healthy.outcome(image, &own) {
      case .right: record.note("right")
      case .error(let error): record.note(error.code.rawValue)
      case .older where what.hasPrefix("log"): record.note("an earlier commit of a cut log")
      case .older: record.fail(seed: seed, step: round, image: what, "an older state is used silently")
      case .wrong(let sentence): record.fail(seed: seed, step: round, image: what, sentence)
      }
    }
  }

  private static func spoil(
    _ image: SimulatedFileSystem, _ healthy: HealthyStore, log: [UInt8]?, round: Int,
    generator: inout SplitMix64
  ) -> String {
    let file = healthy.file
    switch generator.below(log == nil ? 6 : 9) {
    case 0, 1:
      let size = generator.below(file.count / 512 + 1) * 512
      _ = image.overwrite(Play.path, with: Array(file[..<size]))
      return "cut to \(size)"
    case 2:
      _ = image.overwrite(Play.path, with: generator.bytes(generator.below(40_000)))
      return "random bytes"
    case 3:
      let longer = file + generator.bytes(generator.below(3) * 700)
      _ = image.overwrite(Play.path, with: longer)
      return "extended"
    case 4:
      var other = file
      for slot in 0..<2 {
        let magic = generator.bytes(8)
        other.replaceSubrange(slot * 4096..<slot * 4096 + 8, with: magic)
      }
      _ = image.overwrite(Play.path, with: other)
      return "another magic"
    case 5:
      let field = generator.pick([8, 12, 32, 40, 48, 56, 60, 64, 72, 80, 84, 88, 96, 100, 104, 112, 120, 136, 140])
      _ = image.overwrite(Play.path, with: lie(file, field, generator: &generator))
      return "a lie in field \(field)"
    case 6:
      guard let log else { return "none" }
      let size = generator.below(log.count / 512 + 1) * 512
      _ = image.overwrite(Play.path + "-log", with: Array(log[..<size]))
      return "log cut to \(size)"
    case 7:
      guard var log else { return "none" }
      let bytes = generator.pick([4096, 1 << 28, 1 << 27, 0, 7, Int(UInt32.max)])
      withUnsafeBytes(of: UInt32(clamping: bytes).littleEndian) { log.replaceSubrange(12..<16, with: $0) }
      seal(&log, from: 0, count: 40, at: 40)
      _ = image.overwrite(Play.path + "-log", with: log)
      return "log says \(bytes) bytes a segment"
    default:
      _ = image.overwrite(Play.path + "-log", with: generator.bytes(generator.below(30_000)))
      return "log of random bytes"
    }
  }

  /// Both superblocks with a field that is huge, zero or random, and a matching checksum.
  private static func lie(_ file: [UInt8], _ field: Int, generator: inout SplitMix64) -> [UInt8] {
    var file = file
    let value = generator.pick([0, 1, UInt64(UInt32.max), UInt64.max, UInt64.max / 2, generator.next(), 2, 1 << 31])
    for slot in 0..<2 {
      let at = slot * 4096 + field
      let width = [8, 12, 56, 80, 84, 96, 100, 120, 136, 140].contains(field) ? 4 : field == 60 ? 1 : 8
      withUnsafeBytes(of: value.littleEndian) { file.replaceSubrange(at..<at + width, with: $0.prefix(width)) }
      seal(&file, from: slot * 4096, count: 4088, at: slot * 4096 + 4088)
    }
    return file
  }

  private static func seal(_ bytes: inout [UInt8], from start: Int, count: Int, at place: Int) {
    let check = bytes[start..<start + count].withUnsafeBytes { Checksum.of($0) }
    withUnsafeBytes(of: check.littleEndian) { bytes.replaceSubrange(place..<place + 8, with: $0) }
  }
}
