internal import RoostFile
internal import RoostKV
internal import RoostPages

/// Maintains a store between its commits: compaction, copies, and concurrent reads.
extension Play {
  /// The path of copies of the store.
  package static let copyPath = "/folder/copy.roost"

  /// Runs a step of compaction. It is a separate commit if it gains something, and changes nothing
  /// readable.
  func compact(_ store: KeyValueStore, _ pages: Int) {
    let mayNot = mustNotWrite
    let before = history.begun
    history.begin(model)
    do {
      let compaction = try store.compact(pages: pages)
      if mayNot { fail("a compaction succeeded after a failed sync") }
      if compaction.pages > compaction.pagesBefore {
        fail("compaction made the file longer: \(compaction)")
      }
      let commit = try store.read { $0.commit }
      if commit == UInt64(before) { history.takeBack() }
      if commit > UInt64(before) + 1 { fail("compaction made commit \(commit) where \(before + 1) is due") }
      promise(history.begun)
    } catch let error as StoreError where error.code == .commitUncertain {
      if !mustNotWrite && !expectsErrors { fail("uncertain without a failed sync: \(error)") }
      note(error, "compact")
      mustNotWrite = true
    } catch {
      // The checkpoint after the commit may have failed.
      let commit = try? store.read { $0.commit }
      if let commit, commit <= UInt64(before), !mustNotWrite { history.takeBack() }
      note(error, "compact")
    }
  }

  /// The expected content of a copy made now: after writing has stopped, that may be older than the
  /// tip.
  private func copied(_ store: KeyValueStore) throws -> UInt64 {
    let commit = try store.read { $0.commit }
    return history.digests[Int(commit)]
  }

  func backup(_ store: KeyValueStore) {
    isCopying = true
    defer { isCopying = false }
    do {
      let digest = try copied(store)
      history.beginCopy(digest)
      try store.backup(to: Self.copyPath, replacing: true)
      if deviceLies { history.loseCopy() } else { history.endCopy(digest) }
      examineCopy("backup")
    } catch { note(error, "backup") }
  }

  func salvage() {
    releaseAll()
    close()
    let digest = model.digest
    history.beginCopy(digest)
    isCopying = true
    do {
      var options = options
      options.draftBytes = 1 << 20
      let salvage = try KeyValueStore.salvage(
        from: Self.path, to: Self.copyPath, replacing: true, options: options, fileSystem: seam)
      if expectsErrors || deviceLies {
        // Unreadable parts are left out, and parts that the close reported may be missing.
        history.loseCopy()
      } else {
        if let loss = salvage.losses.first { fail("salvage of a sound store: \(loss)") }
        history.endCopy(digest)
        examineCopy("salvage")
      }
    } catch { note(error, "salvage") }
    isCopying = false
    open()
  }

  private func examineCopy(_ what: String) {
    if expectsErrors { return }
    do {
      let found = try Self.copy(in: seam, options)
      if let complaint = history.complaint(copy: found) { fail("after \(what): " + complaint) }
    } catch { note(error, "the copy") }
  }

  /// The digest of the copy in a file system, nil if there is none. It must be sound.
  static func copy(in fileSystem: any FileSystem, _ options: StoreOptions) throws -> UInt64? {
    guard try fileSystem.exists(copyPath) else { return nil }
    let findings = try KeyValueStore.verify(copyPath, fileSystem: fileSystem).findings
    if let finding = findings.first { throw WrongAnswer("the copy: \(finding)") }
    var options = options
    options.readOnly = true
    let copy = try KeyValueStore(copyPath, options: options, fileSystem: fileSystem)
    defer { try? copy.close() }
    return try copy.digest().digest
  }

  /// Opens the store for reading only, which must see all appended commits and write nothing.
  func readOnly(_ store: KeyValueStore, closes: Bool) {
    if closes {
      releaseAll()
      close()
    }
    let calls = fileSystem.step
    do {
      var options = options
      options.readOnly = true
      let reader = try KeyValueStore(Self.path, options: options, fileSystem: seam)
      let (commit, digest) = try reader.digest()
      try reader.close()
      if let complaint = history.complaint(commit: commit, digest: digest) {
        fail("reading only: " + complaint)
      } else if !expectsErrors && !deviceLies && commit != UInt64(history.begun) {
        fail("reading only: commit \(commit) is seen where \(history.begun) is the last")
      }
      if fileSystem.step != calls { fail("an opening for reading only wrote something") }
    } catch { note(error, "reading only") }
    if closes { open() }
  }
}
