internal import RoostFile

/// Pieces on their way from who makes them to who stores them, and back, to be filled again.
///
/// There are only so many of them, so memory does not grow with the input: who makes them waits for one.
///
/// Unchecked because all of it is read and written under the lock.
final class PieceQueue: @unchecked Sendable {
  private let lock = Lock()
  private let changed = ConditionVariable()
  private var empty: [ImportPiece]
  private var full: [ImportPiece] = []
  private var isEnd = false
  private var isGivenUp = false
  private var isStopped = false
  private var failure: (any Error)?

  init(pieces: Int) { empty = (0..<pieces).map { _ in ImportPiece() } }

  // MARK: Who makes them

  /// A piece to be filled; nil where nobody wants another one.
  func takeEmpty() -> ImportPiece? {
    lock.withLock {
      while empty.isEmpty, !isGivenUp { changed.wait(lock) }
      return isGivenUp ? nil : empty.removeLast()
    }
  }

  func put(_ piece: ImportPiece) {
    lock.withLock {
      full.insert(piece, at: 0)
      changed.broadcast()
    }
  }

  /// Nothing comes any more, because the input is at its end, or cannot be read.
  func end(_ error: (any Error)? = nil) {
    lock.withLock {
      (isEnd, failure) = (true, error)
      changed.broadcast()
    }
  }

  // MARK: Who stores them

  /// The next piece; nil at the end, or where somebody wants it. Where the input could not be read, that is thrown behind the last whole piece.
  func take() throws -> ImportPiece? {
    try lock.withLock {
      while full.isEmpty, !isEnd, !isStopped { changed.wait(lock) }
      if isStopped { return nil }
      if let piece = full.popLast() { return piece }
      if let failure { throw failure }
      return nil
    }
  }

  /// The next piece if it is there already.
  func takeReady() -> ImportPiece? { lock.withLock { isStopped ? nil : full.popLast() } }

  func giveBack(_ piece: ImportPiece) {
    lock.withLock {
      piece.clear()
      empty.append(piece)
      changed.broadcast()
    }
  }

  /// Whoever waits for a piece gets none. Anybody may say so.
  func stop() {
    lock.withLock {
      isStopped = true
      changed.broadcast()
    }
  }

  /// No other piece is wanted.
  func giveUp() {
    lock.withLock {
      isGivenUp = true
      changed.broadcast()
    }
  }
}
