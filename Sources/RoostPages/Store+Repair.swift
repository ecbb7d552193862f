package import RoostFile

/// Repairs a store's file.
extension Store {
  /// Repairs pages of the file that `visit` reads: pages with one flipped bit, damaged pages whose
  /// copy is sound, and damaged copies whose page is sound. Returns the repairs.
  ///
  /// `visit` returns the places of copies that something else uses too. They are not written.
  ///
  /// The store must not be open; its lock is held meanwhile. A page is written with its original
  /// bytes, so a crash meanwhile leaves each sector as it was or as it should be.
  package static func repair(
    _ path: String, fileSystem: any FileSystem, floor: Floor, _ visit: (Examination) -> Set<UInt32>
  ) throws(StoreError) -> [PageRepairs.Repair] {
    let path = try fileSystem.canonicalPath(path)
    let file = try openFile(path, .write, fileSystem: fileSystem)
    let repairs = PageRepairs(ofWhole: path)
    let examination: Examination
    do throws(StoreError) {
      guard try file.lock() else { throw lockedError(path, fileSystem) }
      try checkNames(file, path, fileSystem: fileSystem)
      let pair = try SuperblockPair.read(from: file, repairs: repairs)
      examination = try Examination(
        pair.newest, file, validator: floor.validate, fileSystem: fileSystem, repairs: repairs)
    } catch {
      file.close()
      throw error
    }
    // The examination closes the file, which releases the lock.
    defer { withExtendedLifetime(examination) {} }
    let contested = visit(examination)
    var made = repairs.all.filter { if case .bit = $0.means { true } else { false } }
    for repair in made { try carryOut(repair, in: file) }
    // A page with one flipped bit is repaired by now.
    for found in examination.damagedCopies(floor.essentials(examination.snapshot, examination.view))
    where !contested.contains(found.damaged.place) {
      let repair = PageRepairs.Repair(page: found.damaged, from: found.sound)
      try carryOut(repair, in: file)
      made.append(repair)
    }
    if !made.isEmpty { try file.sync() }
    return made
  }

  private static func carryOut(_ repair: PageRepairs.Repair, in file: any StorageFile) throws(StoreError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Page.size, alignment: 16)
    defer { buffer.deallocate() }
    switch repair.means {
    case .bit(let bit):
      try file.readFully(into: buffer, at: repair.page.byteOffset)
      buffer[bit / 8] ^= 1 << UInt8(bit % 8)
    case .copy(let copy): try file.readFully(into: buffer, at: copy.byteOffset)
    }
    try file.write(UnsafeRawBufferPointer(buffer), at: repair.page.byteOffset)
  }
}
