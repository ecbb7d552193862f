internal import RoostFile

/// Passes pieces from the reading thread to the storing one, and back for reuse.
///
/// The number of pieces is fixed, so memory does not grow with the input: the reading thread waits
/// for a piece.
///
/// Unchecked because everything is read and written under the lock.
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

  // MARK: The reading thread

  /// A piece to fill; nil if no more are needed.
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

  /// Ends the queue, because the input is at its end or cannot be read.
  func end(_ error: (any Error)? = nil) {
    lock.withLock {
      (isEnd, failure) = (true, error)
      changed.broadcast()
    }
  }

  // MARK: The storing thread

  /// The next piece; nil at the end, or after ``stop()``. If the input could not be read, the error
  /// is thrown after the last complete piece.
  func take() throws -> ImportPiece? {
    try lock.withLock {
      while full.isEmpty, !isEnd, !isStopped { changed.wait(lock) }
      if isStopped { return nil }
      if let piece = full.popLast() { return piece }
      if let failure { throw failure }
      return nil
    }
  }

  /// The next piece if it is ready.
  func takeReady() -> ImportPiece? { lock.withLock { isStopped ? nil : full.popLast() } }

  func giveBack(_ piece: ImportPiece) {
    lock.withLock {
      piece.clear()
      empty.append(piece)
      changed.broadcast()
    }
  }

  /// Wakes a thread that waits for a piece. Any thread may call it.
  func stop() {
    lock.withLock {
      isStopped = true
      changed.broadcast()
    }
  }

  /// Tells the reading thread that no more pieces are needed.
  func giveUp() {
    lock.withLock {
      isGivenUp = true
      changed.broadcast()
    }
  }
}
