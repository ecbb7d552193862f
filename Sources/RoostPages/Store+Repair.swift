package import RoostFile

/// Repairing a store's file.
extension Store {
  /// Repairs on the disk every page in which one bit has flipped, of those that `visit` reads, and returns which.
  ///
  /// The store must not be open; its lock is held meanwhile. A page is written with the bytes that were written there
  /// before, so a crash in between leaves each sector as it was or as it should be.
  package static func repair(
    _ path: String, fileSystem: any FileSystem, floor: Floor, _ visit: (Examination) -> Void
  ) throws(StoreError) -> [PageRepairs.Repair] {
    let path = try fileSystem.canonicalPath(path)
    let file = try openFile(path, .write, fileSystem)
    let repairs = PageRepairs(ofWhole: path)
    let examination: Examination
    do throws(StoreError) {
      guard try file.lock() else { throw lockedError(path, fileSystem) }
      try checkNames(file, path, fileSystem)
      let pair = try SuperblockPair.read(from: file, repairs: repairs)
      examination = try Examination(pair.newest, file, validator: floor.validate, fileSystem, repairs: repairs)
    } catch {
      file.close()
      throw error
    }
    // The examination closes the file, and with it the lock goes.
    defer { withExtendedLifetime(examination) {} }
    visit(examination)
    let made = repairs.all
    for repair in made { try flip(repair, in: file) }
    if !made.isEmpty { try file.sync() }
    return made
  }

  private static func flip(_ repair: PageRepairs.Repair, in file: any StorageFile) throws(StoreError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Page.size, alignment: 16)
    defer { buffer.deallocate() }
    try file.readFully(into: buffer, at: repair.page.byteOffset)
    buffer[repair.bit / 8] ^= 1 << UInt8(repair.bit % 8)
    try file.write(UnsafeRawBufferPointer(buffer), at: repair.page.byteOffset)
  }
}
