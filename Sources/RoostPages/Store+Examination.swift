package import RoostFile

/// Opens examinations.
extension Store {
  /// Makes a checkpoint and opens its state in the file for examination.
  ///
  /// If no checkpoint can be made, the state of the last one is examined, and the failure is among
  /// the complaints.
  package func examine(_ pace: Pace? = nil) throws(StoreError) -> Examination {
    try turn.refuseHolder()
    var failure: StoreError?
    if !options.readOnly {
      do throws(StoreError) { try checkpoint() } catch { failure = error }
    }
    // So no superblock is being written while they are read.
    checkpointGate.acquire()
    defer { checkpointGate.release() }
    turn.takeAlways()
    defer { turn.give() }
    if isClosed { throw closedError }
    let examination = try Examination(store: self, pace)
    if let failure { examination.complain(failure) }
    return examination
  }

  /// Opens a file for examination without replaying its log and without a lock.
  ///
  /// It throws if the file is not a store, or if the location of its pages is unknown.
  ///
  /// - Parameter cachePages: the number of pages that stay in memory; nil for the cache size of an
  ///   open store.
  package static func examine(
    _ path: String, fileSystem: any FileSystem, floor: Floor, cachePages: Int? = nil, pace: Pace? = nil
  ) throws(StoreError) -> Examination {
    let path = try fileSystem.canonicalPath(path)
    let file = try fileSystem.open(path, .read)
    do throws(StoreError) {
      let pair = try SuperblockPair.choose(SuperblockPair.readings(from: file), file.size(), path: path)
      return try Examination(
        pair.newest, file, validator: floor.validate, fileSystem: fileSystem, capacity: cachePages, pace: pace)
    } catch {
      file.close()
      throw error
    }
  }

  /// Opens a file for examination even if the location of its pages is unknown, and repairs single
  /// bits of what it reads.
  ///
  /// It takes no lock, because the file may be read-only. The caller checks before and afterwards
  /// that no process has the store open, and discards the result otherwise.
  package static func examineRemains(
    _ path: String, fileSystem: any FileSystem, floor: Floor
  ) throws(StoreError) -> Examination {
    let path = try fileSystem.canonicalPath(path)
    let file = try fileSystem.open(path, .read)
    do throws(StoreError) {
      let repairs = PageRepairs(ofWhole: path)
      let readings = try SuperblockPair.readings(from: file, repairs: repairs)
      for reading in readings {
        if case .valid = reading {
          let pair = try SuperblockPair.choose(readings, file.size(), path: path)
          return try Examination(pair.newest, file, validator: floor.validate, fileSystem: fileSystem, repairs: repairs)
        }
        if case .futureVersion(let version) = reading {
          throw Superblock.futureVersion(version, path)
        }
      }
      return try Examination(pagesOf: file, validator: floor.validate)
    } catch {
      file.close()
      throw error
    }
  }

  /// The errors in the invariants of this module, as sentences. No lock is held; the tip must not
  /// change meanwhile.
  package func checkInvariants() throws(StoreError) -> [String] {
    try turn.refuseHolder()
    turn.takeAlways()
    defer { turn.give() }
    return space.checkInvariants()
  }
}

extension Space {
  /// Checks the invariants of ``Space``, by their numbers.
  package func checkInvariants() -> [String] {
    var findings: [String] = []
    for word in 0..<free.wordCount where free.word(word) & ~spare.word(word) != 0 {
      findings.append("1: places from \(word * 64) on are free, but not spare")
    }
    if free.count + waitingCount != spare.count {
      findings.append("1: \(free.count) free and \(waitingCount) waiting places are not \(spare.count) spare ones")
    }
    return findings
  }
}
