internal import RoostRecords
internal import Synchronization

/// The bytes of a row that an object keeps to make its lazy values: texts, data and `Codable`
/// values are made at the first read of their property.
///
/// The bytes are a copy in a block of memory that many rows share, so an object keeps neither a
/// page nor a snapshot. The object owns its `KeptRow` and releases it once, on any thread.
///
/// ## Layout
/// ```
///  0  u64  unread: bits of the properties whose values were not made yet
///  8  u64  the row's RowPlan, which the object's origin keeps alive
/// 16  u32  offset from the beginning of the block, in bytes
/// 20  u32  bytes of the row
/// 24       the row
/// ```
package struct KeptRow: Equatable {
  private let memory: UnsafeMutableRawPointer

  /// Bytes before the row.
  static var headSize: Int { 24 }

  /// Copies a row to `memory`, which is `offset` bytes into a block.
  init(
    _ row: UnsafeRawBufferPointer, _ plan: Unmanaged<RowPlan>, unread: UInt64, at memory: UnsafeMutableRawPointer,
    offset: Int
  ) {
    self.memory = memory
    memory.storeBytes(of: unread, as: UInt64.self)
    memory.storeBytes(of: plan, toByteOffset: 8, as: Unmanaged<RowPlan>.self)
    memory.storeBytes(of: UInt32(truncatingIfNeeded: offset), toByteOffset: 16, as: UInt32.self)
    memory.storeBytes(of: UInt32(truncatingIfNeeded: row.count), toByteOffset: 20, as: UInt32.self)
    if let start = row.baseAddress { (memory + Self.headSize).copyMemory(from: start, byteCount: row.count) }
  }

  /// Bits of the properties whose values were not made yet.
  package var unread: UInt64 {
    @inline(__always) get { memory.load(as: UInt64.self) }
    @inline(__always) nonmutating set { memory.storeBytes(of: newValue, as: UInt64.self) }
  }

  var plan: RowPlan {
    @inline(__always) get { memory.load(fromByteOffset: 8, as: Unmanaged<RowPlan>.self).takeUnretainedValue() }
  }

  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: memory + Self.headSize, count: Int(memory.load(fromByteOffset: 20, as: UInt32.self)))
  }

  var start: UnsafeRawPointer { UnsafeRawPointer(memory + Self.headSize) }

  /// The place of a property in the row.
  @inline(__always)
  func place(_ property: Int) -> _Place {
    memory.load(fromByteOffset: 8, as: Unmanaged<RowPlan>.self)._withUnsafeGuaranteedRef { $0.places[property] }
  }

  /// Whether a value is stored outside the row, so that the store is needed to make it.
  var hasValuesOutside: Bool {
    let plan = plan
    return stride(from: plan.layout.endsStart, to: plan.layout.bytesStart, by: 2).contains { end in
      _RowSource.word(start, end) & _RowSource.outsideBit != 0
    }
  }

  private var block: RowBlock { RowBlock(memory - Int(memory.load(fromByteOffset: 16, as: UInt32.self))) }

  /// Keeps the bytes until one more ``release()``, while a user's code decodes them.
  func retain() { block.retain() }
  func release() { block.release(1) }

}

/// Memory for the kept rows of many objects. The last release frees it.
///
/// ## Layout
/// ```
///  0  i64  references: one for each kept row, and many for the KeptRows that still fills it
///  8       kept rows, each at a multiple of 8
/// ```
struct RowBlock {
  private let memory: UnsafeMutableRawPointer

  static var headSize: Int { 8 }
  /// The references of the ``KeptRows`` that fills a block. No block has room for that many rows.
  static var ownReferences: Int { 1 << 32 }

  init(_ memory: UnsafeMutableRawPointer) { self.memory = memory }

  init(size: Int) {
    memory = .allocate(byteCount: size, alignment: 8)
    references.initialize(to: Atomic(Self.ownReferences))
  }

  private var references: UnsafeMutablePointer<Atomic<Int>> { memory.assumingMemoryBound(to: Atomic<Int>.self) }

  func memory(at offset: Int) -> UnsafeMutableRawPointer { memory + offset }

  func retain() { references.pointee.add(1, ordering: .relaxed) }

  func release(_ count: Int) {
    if references.pointee.subtract(count, ordering: .acquiringAndReleasing).newValue == 0 { memory.deallocate() }
  }
}

/// Copies rows into blocks, for the objects of one context.
struct KeptRows: ~Copyable {
  private var block: RowBlock?
  private var used = 0
  private var given = 0

  /// The size of a block in bytes. An object that outlives all others of its block keeps the block.
  static var blockSize: Int { 8 << 10 }
  /// Longer rows are not kept: their values are made at once.
  static var longest: Int { 4096 }

  deinit { block?.release(RowBlock.ownReferences - given) }

  /// Copies a row; nil if it is too long, or has no lazy values.
  @inline(__always)
  mutating func keep(_ row: UnsafeRawBufferPointer, _ plan: Unmanaged<RowPlan>, lazy: UInt64) -> KeptRow? {
    if lazy == 0 || row.count > Self.longest { return nil }
    let size = (KeptRow.headSize &+ row.count &+ 7) & ~7
    if block == nil || used &+ size > Self.blockSize { begin() }
    guard let block else { return nil }
    let kept = KeptRow(row, plan, unread: lazy, at: block.memory(at: used), offset: used)
    used &+= size
    given &+= 1
    return kept
  }

  @inline(never)
  private mutating func begin() {
    block?.release(RowBlock.ownReferences - given)
    block = RowBlock(size: Self.blockSize)
    (used, given) = (RowBlock.headSize, 0)
  }
}
