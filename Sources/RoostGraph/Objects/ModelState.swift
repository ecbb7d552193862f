/// What every model's object carries beside its values. It stands in the object itself.
///
/// ## Layout
/// ```
///  0  u32  flags: one test says whether a getter may simply load, another whether a setter may simply store
///  4  u32  ticket, for whoever keeps the object's place in a map
///  8  u64  properties that were changed; the 64th and those behind it share the last bit
/// 16  u64  the row's number, 0 where there is none yet
/// 24  the origin: where the object comes from, and through it the context; nil while the object is nobody's
/// 32  what few objects need, made at the first use
/// 40  a copy of the row, until all lazy values are made from it: see KeptRow
/// ```
/// It cannot be copied, so that its end is the object's: the origin is told then.
public struct _ModelState: ~Copyable {
  @usableFromInline package var flags: Flags
  package var ticket: UInt32 = 0
  @usableFromInline package var changed: UInt64 = 0
  @usableFromInline package var row: UInt64 = 0
  /// Counted by hand, so that its use at the object's end takes no reference of its own.
  private var heldOrigin: Unmanaged<_Origin>?
  /// Counted by hand too: few objects have extras, and the others' end need not ask the runtime.
  private var heldExtras: Unmanaged<_Extras>?
  /// Empty slots whose values can be made from it.
  package private(set) var kept: KeptRow?

  /// Of an object that a program makes itself.
  public init() {
    flags = .new
    heldOrigin = nil
    heldExtras = nil
    kept = nil
  }

  /// Of an object for a row: a fault, whose slots are empty.
  package init(row: UInt64, origin: _Origin, flags: Flags = [.fault, .managed]) {
    self.flags = flags
    self.row = row
    heldOrigin = .passRetained(origin)
    heldExtras = nil
    kept = nil
  }

  deinit {
    kept?.release()
    heldExtras?.release()
    guard let heldOrigin else { return }
    heldOrigin._withUnsafeGuaranteedRef { $0.objectGoes(row: row, ticket: ticket) }
    heldOrigin.release()
  }

  package var origin: _Origin? {
    @inline(__always) get { heldOrigin?.takeUnretainedValue() }
    set {
      let old = heldOrigin
      heldOrigin = newValue.map { .passRetained($0) }
      old?.release()
    }
  }

  package var extras: _Extras? {
    @inline(__always) get { heldExtras?.takeUnretainedValue() }
    set {
      let old = heldExtras
      heldExtras = newValue.map { .passRetained($0) }
      old?.release()
    }
  }

  /// What is the matter with an object. Every flag of the first four bits makes a getter ask first.
  @usableFromInline package struct Flags: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt32

    @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The slots are empty.
    @inlinable package static var fault: Flags { Flags(rawValue: 1) }
    /// Whoever reads it may want to be told of changes.
    @inlinable package static var observed: Flags { Flags(rawValue: 2) }
    /// Made by a program, and not looked at since: values may wait in the box.
    @inlinable package static var fresh: Flags { Flags(rawValue: 4) }
    /// Some values, or all, cannot be had; the extras know why.
    @inlinable package static var invalid: Flags { Flags(rawValue: 8) }
    /// Values are moved out of the slots at the moment; how many is counted in these bits, the highest, so that no number of them
    /// touches another flag.
    @inlinable package static var lent: Flags { Flags(rawValue: 0xFFF0_0000) }
    @inlinable package static var oneLent: Flags { Flags(rawValue: 0x10_0000) }
    /// It belongs to an origin, which wants to know of the first change of each property.
    @inlinable package static var managed: Flags { Flags(rawValue: 0x100) }
    /// Somebody waits to be told of changes.
    @inlinable package static var tracked: Flags { Flags(rawValue: 0x200) }
    /// A save calls `validate` at the moment, and wants to know of each change of each property.
    @inlinable package static var judged: Flags { Flags(rawValue: 0x400) }
    /// Not for the accessors: from here on four bits belong to the origin.
    package static var firstOfOrigin: UInt32 { 0x1_0000 }

    @inlinable package static var new: Flags { Flags(rawValue: 2 | 4) }
    @inlinable package static var stopsLoad: UInt32 { 0xFFF0_000F }
    /// A setter of an observed object must ask only if somebody waits.
    @inlinable package static var stopsStore: UInt32 { 0xFFF0_030D }
    /// What stops a setter whose property is changed already.
    @inlinable package static var stopsAgain: UInt32 { 0xFFF0_060D }
  }

  /// Whether a property's value can be made from the kept row.
  @inline(__always)
  package func isLazy(_ property: Int) -> Bool {
    if let kept { kept.unread & Self.bit(property) != 0 } else { false }
  }

  /// Takes over a row, from which the empty slots of its lazy properties are filled when they are read.
  @inline(__always)
  package mutating func keep(_ row: KeptRow?) {
    kept?.release()
    kept = row
  }

  /// Notes that these properties need the kept row no more. The last one releases the row.
  @inline(__always)
  package mutating func forgetLazy(_ wanted: UInt64) {
    guard let kept else { return }
    kept.unread &= ~wanted
    if kept.unread == 0 { keep(nil) }
  }

  /// The bit that stands for a property.
  @inlinable
  package static func bit(_ property: Int) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: min(property, 63)) }

  // MARK: For the accessors

  /// Whether a getter may simply load.
  @inlinable public var _isReady: Bool {
    @inline(__always) get { flags.rawValue & Flags.stopsLoad == 0 }
  }

  /// Whether a setter of a relationship may simply store.
  @inlinable public var _isFree: Bool {
    @inline(__always) get { flags.rawValue & Flags.stopsStore == 0 }
  }

  /// Whether a setter of a value may simply store.
  @inlinable @inline(__always)
  public func _isFree(_ property: Int) -> Bool {
    let flags = flags.rawValue
    if flags & Flags.stopsStore == 0 { return true }
    return flags & Flags.stopsAgain == 0 && changed & Self.bit(property) != 0
  }

  /// A value is moved out of its slot until ``_giveBack()``.
  @inlinable public mutating func _lend() { flags = Flags(rawValue: flags.rawValue &+ Flags.oneLent.rawValue) }
  @inlinable public mutating func _giveBack() { flags = Flags(rawValue: flags.rawValue &- Flags.oneLent.rawValue) }
}
