internal import RoostFile
internal import RoostKV
internal import RoostPages

/// Looking after a store between its commits: compaction, copies of it, and reading beside it.
extension Play {
  /// Where copies of the store go.
  package static let copyPath = "/folder/copy.roost"

  /// A step of compaction is a commit of its own where it gains something, and changes nothing that can be read.
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
      // What failed may have been the checkpoint behind the commit.
      let commit = try? store.read { $0.commit }
      if let commit, commit <= UInt64(before), !mustNotWrite { history.takeBack() }
      note(error, "compact")
    }
  }

  /// What a copy made now must hold: with writing stopped, that may be older than the tip.
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
        // What could not be read is left out, and what closing reported may be missing.
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

  /// The digest of the copy that a file system holds, nil where there is none. It must be sound.
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

  /// An opening for reading only sees what was appended, and writes nothing.
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
