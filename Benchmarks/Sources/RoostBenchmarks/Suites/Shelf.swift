/// An open store in its own folder, with the session of the thread that runs the suite.
final class Volume {
  let store: any Store
  let session: any Session
  private let folder: String
  private let scratch: Scratch
  private var isOpen = true

  init(_ engine: any Engine, _ keys: KeyKind, _ durability: Durability, in scratch: Scratch) throws {
    self.scratch = scratch
    folder = try scratch.folder(engine.name)
    store = try engine.open(folder, keys: keys, durability: durability)
    session = try store.session()
  }

  /// Brings the store to rest and walks it once, to check that it is complete and to warm its
  /// caches.
  func settle(expecting digest: Digest) throws {
    try store.settle()
    guard try session.scan() == digest else {
      throw EngineError(folder, "settle", "the store does not hold what was put in")
    }
  }

  /// Closes the store and removes it. A second call does nothing.
  func discard() throws {
    guard isOpen else { return }
    isOpen = false
    session.close()
    try store.close()
    try scratch.remove(folder)
  }
}

/// Filled stores for the operations that read them.
final class Shelf {
  private struct Label: Hashable {
    let engine: String
    let keys: KeyKind
  }

  private var volumes: [Label: Volume] = [:]

  func put(_ volume: Volume, _ engine: String, _ keys: KeyKind) {
    volumes[Label(engine: engine, keys: keys)] = volume
  }

  func volume(_ engine: String, _ keys: KeyKind) -> Volume? {
    volumes[Label(engine: engine, keys: keys)]
  }

  func clear() throws {
    defer { volumes = [:] }
    for volume in volumes.values {
      try volume.discard()
    }
  }
}
