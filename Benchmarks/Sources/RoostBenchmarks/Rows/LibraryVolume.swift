import Foundation

/// An open store in its own folder, with the session of the thread that runs the suite.
final class LibraryVolume {
  let store: any LibraryStore
  let session: any LibrarySession
  let folder: String
  private let scratch: Scratch
  private var isOpen = true

  init(
    _ engine: any LibraryEngine, _ library: Library, _ durability: Durability, copying rest: String? = nil,
    in scratch: Scratch
  ) throws {
    self.scratch = scratch
    folder = try scratch.folder(engine.name)
    if let rest { try scratch.copy(rest, to: folder) }
    store = try engine.open(folder, library, durability: durability)
    session = try store.session()
  }

  /// Closes the store and leaves its files. A second call does nothing.
  func rest() throws {
    guard isOpen else { return }
    isOpen = false
    session.close()
    try store.close()
  }

  /// Closes the store and removes it. A second call does nothing.
  func discard() throws {
    guard isOpen else { return }
    try rest()
    try scratch.remove(folder)
  }
}

/// Filled stores, closed or open for reading, for the operations that need one.
final class LibraryPool {
  private struct Label: Hashable {
    let engine: String
    let size: Int
  }

  private let scratch: Scratch
  private var resting: [Label: String] = [:]
  private var reading: [Label: LibraryVolume] = [:]

  init(_ scratch: Scratch) {
    self.scratch = scratch
  }

  /// Takes a filled store, closes it, and keeps it; a second one of the same kind is removed.
  func keep(_ volume: LibraryVolume, _ engine: any LibraryEngine, _ size: Int) throws {
    let label = Label(engine: engine.name, size: size)
    guard resting[label] == nil else { return try volume.discard() }
    try volume.rest()
    resting[label] = volume.folder
  }

  /// The folder of a filled, closed store.
  func folder(_ engine: any LibraryEngine, _ answers: LibraryAnswers) throws -> String {
    let label = Label(engine: engine.name, size: answers.size)
    if let known = resting[label] { return known }
    let volume = try LibraryVolume(engine, answers.library, .relaxed, in: scratch)
    try volume.session.addShelves()
    try volume.session.insert(0..<answers.size, perTransaction: 10_000)
    try keep(volume, engine, answers.size)
    return volume.folder
  }

  /// The folder of a closed copy, which the caller removes.
  func restingCopy(_ engine: any LibraryEngine, _ answers: LibraryAnswers) throws -> String {
    let copy = try scratch.folder(engine.name)
    try scratch.copy(try folder(engine, answers), to: copy)
    return copy
  }

  /// A separate filled store for an operation that changes it. Its caches are warm.
  func copy(_ engine: any LibraryEngine, _ answers: LibraryAnswers, _ durability: Durability) throws -> LibraryVolume {
    let volume = try LibraryVolume(
      engine, answers.library, durability, copying: try folder(engine, answers), in: scratch)
    guard try volume.session.scan() == answers.whole else {
      throw EngineError(engine.name, "copy", "the store does not hold what was put in")
    }
    try volume.session.prepare()
    return volume
  }

  /// A filled store that is only read, shared by all operations. Its caches are warm.
  func reader(_ engine: any LibraryEngine, _ answers: LibraryAnswers) throws -> LibraryVolume {
    let label = Label(engine: engine.name, size: answers.size)
    if let known = reading[label] { return known }
    let volume = try copy(engine, answers, .relaxed)
    reading[label] = volume
    return volume
  }

  func clear() throws {
    defer {
      resting = [:]
      reading = [:]
    }
    for volume in reading.values { try volume.discard() }
    for folder in resting.values { try scratch.remove(folder) }
  }
}
