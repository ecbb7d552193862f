import Foundation

/// Measures opening in a new process, which is this program with other arguments. The kernel was
/// asked to drop the files from its cache.
enum Opening {
  struct Work {
    let engine: any LibraryEngine
    let folder: String

    /// Nil if the arguments have another form.
    init?(_ arguments: [String]) {
      guard arguments.count == 4, arguments[1] == Opening.word,
        let engine = EngineRegistry.objects.first(where: { $0.name == arguments[2] })
      else { return nil }
      self.engine = engine
      folder = arguments[3]
    }
  }

  private static let word = "opening"
  static let processes = 5

  /// The milliseconds of one process from its first own line on, the mean of five, and whether each
  /// read the expected track.
  static func ask(_ engine: any LibraryEngine, _ folder: String, expecting track: UInt64) throws -> Sample {
    var (milliseconds, isRight) = (0.0, true)
    for _ in 0..<processes {
      try forget(folder)
      let answer = try ThisProgram.run([word, engine.name, folder]).split(separator: " ")
      guard answer.count == 2, let time = Double(answer[0]) else {
        throw EngineError(engine.name, "open", "the measured program printed nothing")
      }
      milliseconds += time
      if UInt64(answer[1]) != track { isRight = false }
    }
    return Sample(milliseconds: milliseconds / Double(processes), isRight: isRight)
  }

  static func run(_ work: Work) throws {
    var track: UInt64 = 0
    let milliseconds = try Stopwatch.time { track = try work.engine.openAndRead(work.folder) }
    print(milliseconds, track, terminator: "")
  }

  private static func forget(_ folder: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      guard let file = FileHandle(forUpdatingAtPath: "\(folder)/\(name)") else { continue }
      try file.synchronize()
      #if canImport(Glibc)
        posix_fadvise(file.fileDescriptor, 0, 0, POSIX_FADV_DONTNEED)
      #endif
      try file.close()
    }
  }
}
