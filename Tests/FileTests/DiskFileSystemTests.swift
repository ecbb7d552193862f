#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import RoostFile
import RoostTestSupport
import Testing

@Suite struct DiskFileSystemTests {
  private let disk = DiskFileSystem.shared
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  @Test func `a missing file is not found`() throws {
    #expect(failure { () throws(StoreError) in _ = try disk.open(folder.file("a"), .read) } == .notFound)
    #expect(failure { () throws(StoreError) in _ = try disk.open(folder.file("a"), .write) } == .notFound)
    #expect(failure { () throws(StoreError) in _ = try disk.open(folder.file("no/a"), .replace) } == .notFound)
    #expect(try !disk.exists(folder.file("a")))
  }

  @Test func `opening keeps a file or empties it as its mode says`() throws {
    let path = folder.file("a")
    try disk.open(path, .writeOrCreate).write([1, 2, 3], at: 0)
    #expect(try disk.open(path, .writeOrCreate).bytes(9) == [1, 2, 3])
    #expect(try disk.open(path, .write).bytes(9) == [1, 2, 3])
    #expect(try disk.open(path, .read).bytes(9) == [1, 2, 3])
    #expect(try disk.open(path, .replace).size() == 0)
  }

  @Test func `a file opened for reading refuses to be written`() throws {
    let path = folder.file("a")
    _ = try disk.open(path, .writeOrCreate)
    let file = try disk.open(path, .read)
    #expect(failure { () throws(StoreError) in try file.write([1], at: 0) } != nil)
  }

  @Test func `only its owner can use a new file`() throws {
    let old = umask(0)
    defer { _ = umask(old) }
    _ = try disk.open(folder.file("a"), .writeOrCreate)
    _ = try disk.open(folder.file("b"), .replace)
    for name in ["a", "b"] {
      var facts = stat()
      #expect(stat(folder.file(name), &facts) == 0)
      #expect(facts.st_mode & 0o7777 == 0o600)
    }
  }

  @Test func `a symbolic link is not followed`() throws {
    _ = try disk.open(folder.file("a"), .writeOrCreate)
    #expect(symlink(folder.file("a"), folder.file("link")) == 0)
    #expect(symlink(folder.file("missing"), folder.file("dangling")) == 0)
    for mode in [FileMode.read, .write, .writeOrCreate, .replace] {
      #expect(failure { () throws(StoreError) in _ = try disk.open(folder.file("link"), mode) } == .ioError)
      #expect(failure { () throws(StoreError) in _ = try disk.open(folder.file("dangling"), mode) } == .ioError)
    }
    #expect(try !disk.exists(folder.file("missing")))
  }

  @Test func `a canonical path follows links and need not exist`() throws {
    _ = try disk.open(folder.file("a"), .writeOrCreate)
    #expect(symlink(folder.file("a"), folder.file("link")) == 0)
    #expect(symlink(folder.path, folder.file("here")) == 0)
    #expect(try disk.canonicalPath(folder.file("./link")) == folder.file("a"))
    #expect(try disk.canonicalPath(folder.file("here/here/a")) == folder.file("a"))
    #expect(try disk.canonicalPath(folder.file("here/new")) == folder.file("new"))
    #expect(failure { () throws(StoreError) in _ = try disk.canonicalPath(folder.file("no/new")) } == .notFound)
  }

  @Test func `the lock is refused to a second descriptor until the first is closed`() throws {
    let path = folder.file("a")
    let first = try disk.open(path, .writeOrCreate)
    let second = try disk.open(path, .write)
    #expect(try first.lock())
    #expect(try first.lock())
    #expect(try !second.lock())
    // A process-wide lock would end with any descriptor of the file; this lock must not.
    try disk.open(path, .read).close()
    #expect(try !second.lock())
    first.close()
    #expect(try second.lock())
  }

  @Test func `the lock ends when its file is released`() throws {
    let path = folder.file("a")
    var first: (any StorageFile)? = try disk.open(path, .writeOrCreate)
    #expect(try first!.lock())
    let second = try disk.open(path, .write)
    #expect(try !second.lock())
    first = nil
    #expect(try second.lock())
  }

  @Test func `names are linked, renamed and removed`() throws {
    let (a, b, c) = (folder.file("a"), folder.file("b"), folder.file("c"))
    let file = try disk.open(a, .writeOrCreate)
    try file.write([7], at: 0)
    #expect(try file.identity().links == 1)
    try disk.link(a, to: b)
    #expect(try file.identity().links == 2)
    #expect(try disk.open(b, .read).identity() == file.identity())
    #expect(failure { () throws(StoreError) in try disk.link(a, to: b) } == .alreadyExists)
    #expect(failure { () throws(StoreError) in try disk.link(c, to: folder.file("d")) } == .notFound)
    // If both names belong to one file, a rename does nothing; the simulation behaves alike.
    try disk.rename(a, to: b)
    #expect(try file.identity().links == 2)
    try disk.remove(a)
    try disk.remove(a)
    #expect(try !disk.exists(a))
    try disk.open(c, .writeOrCreate).write([8], at: 0)
    try disk.rename(b, to: c)
    #expect(try disk.open(c, .read).bytes(9) == [7])
    #expect(try !disk.exists(b))
    #expect(failure { () throws(StoreError) in try disk.rename(b, to: a) } == .notFound)
    try disk.syncDirectory(of: c)
    #expect(failure { () throws(StoreError) in try disk.syncDirectory(of: folder.file("no/c")) } == .notFound)
  }

  @Test func `a file can be cut, grown and given room`() throws {
    let file = try disk.open(folder.file("a"), .writeOrCreate)
    try file.write([1, 2, 3, 4], at: 0)
    try file.truncate(to: 2)
    try file.truncate(to: 4)
    #expect(try file.bytes(9) == [1, 2, 0, 0])
    try file.allocate(offset: 4096, length: 4096)
    #expect(try file.size() == 8192)
    #expect(try file.bytes(4) == [1, 2, 0, 0])
    try file.allocate(offset: 0, length: 10)
    #expect(try file.size() == 8192)
    try file.sync()
  }

  @Test func `a read past the end is truncated`() throws {
    let file = try disk.open(folder.file("a"), .writeOrCreate)
    try file.write([UInt8](repeating: 5, count: 100), at: 0)
    #expect(try file.bytes(50, at: 80).count == 20)
    #expect(try file.bytes(50, at: 1 << 40).isEmpty)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 8)
    defer { buffer.deallocate() }
    try file.readFully(into: buffer, at: 36)
    #expect(failure { () throws(StoreError) in try file.readFully(into: buffer, at: 37) } == .truncated)
  }

  /// Before the fix, a place from damaged bytes trapped in the conversion to the system's signed
  /// offset.
  @Test(arguments: [UInt64.max, UInt64.max - 4095, 1 << 63, 1 << 63 - 1] as [UInt64])
  func `an absurd offset is an error`(offset: UInt64) throws {
    let file = try disk.open(folder.file("a"), .writeOrCreate)
    #expect(failure { () throws(StoreError) in _ = try file.bytes(4096, at: offset) } == .ioError)
    #expect(failure { () throws(StoreError) in try file.write([1, 2], at: offset) } != nil)
    #expect(failure { () throws(StoreError) in try file.allocate(offset: offset, length: 4096) } != nil)
    #expect(failure { () throws(StoreError) in try file.allocate(offset: 4096, length: offset) } != nil)
    if offset > 1 << 63 { #expect(failure { () throws(StoreError) in try file.truncate(to: offset) } != nil) }
    #expect(try file.size() == 0)
  }

  @Test func `a closed file gives the error that it is closed`() throws {
    let file = try disk.open(folder.file("a"), .writeOrCreate)
    file.close()
    file.close()
    #expect(failure { () throws(StoreError) in _ = try file.bytes(1) } == .closed)
    #expect(failure { () throws(StoreError) in try file.write([1], at: 0) } == .closed)
    #expect(failure { () throws(StoreError) in try file.sync() } == .closed)
    #expect(failure { () throws(StoreError) in _ = try file.size() } == .closed)
  }
}
