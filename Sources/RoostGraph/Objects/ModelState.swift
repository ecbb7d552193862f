/// The state of a model object besides its values. It is stored in the object itself.
///
/// ## Layout
/// ```
///  0  u32  flags: one test says whether a getter may simply load, another whether a setter may store
///  4  u32  ticket, for the identity map
///  8  u64  properties that were changed; the 64th and all later ones share the last bit
/// 16  u64  the row's number, 0 if there is none yet
/// 24  the origin, which has the context; nil for an object without a context
/// 32  data that few objects need, made at the first use
/// 40  a copy of the row, until all lazy values are made from it: see KeptRow
/// ```
/// It cannot be copied, so its `deinit` is the object's end, which it reports to the origin.
public struct _ModelState: ~Copyable {
  @usableFromInline package var flags: Flags
  package var ticket: UInt32 = 0
  @usableFromInline package var changed: UInt64 = 0
  @usableFromInline package var row: UInt64 = 0
  /// Counted by hand, so that its use at the object's end needs no retain.
  private var heldOrigin: Unmanaged<_Origin>?
  /// Also counted by hand: few objects have extras, and the end of others need not call the
  /// runtime.
  private var heldExtras: Unmanaged<_Extras>?
  /// The copy of the row from which empty slots are filled.
  package private(set) var kept: KeptRow?

  /// For an object that a program makes itself.
  public init() {
    flags = .new
    heldOrigin = nil
    heldExtras = nil
    kept = nil
  }

  /// For an object of a row: a fault, whose slots are empty.
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

  /// Conditions of an object. Each of the lowest four bits makes a getter take the slow path.
  @usableFromInline package struct Flags: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt32

    @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The slots are empty.
    @inlinable package static var fault: Flags { Flags(rawValue: 1) }
    /// A reader may observe the object, so getters must register it.
    @inlinable package static var observed: Flags { Flags(rawValue: 2) }
    /// Made by a program and not used since: values may still be in the box.
    @inlinable package static var fresh: Flags { Flags(rawValue: 4) }
    /// Some or all values could not be read; the extras contain the errors.
    @inlinable package static var invalid: Flags { Flags(rawValue: 8) }
    /// The number of values that are moved out of the slots at the moment. It is in the highest
    /// bits, so that no number of them changes another flag.
    @inlinable package static var lent: Flags { Flags(rawValue: 0xFFF0_0000) }
    @inlinable package static var oneLent: Flags { Flags(rawValue: 0x10_0000) }
    /// It belongs to an origin, which must be told of the first change of each property.
    @inlinable package static var managed: Flags { Flags(rawValue: 0x100) }
    /// An observer waits for changes.
    @inlinable package static var tracked: Flags { Flags(rawValue: 0x200) }
    /// A save calls `validate` at the moment. It must learn of each change of each property.
    @inlinable package static var judged: Flags { Flags(rawValue: 0x400) }
    /// From here on four bits belong to the origin, not to the accessors.
    package static var firstOfOrigin: UInt32 { 0x1_0000 }

    @inlinable package static var new: Flags { Flags(rawValue: 2 | 4) }
    @inlinable package static var stopsLoad: UInt32 { 0xFFF0_000F }
    /// A setter of an observed object takes the slow path only if an observer waits.
    @inlinable package static var stopsStore: UInt32 { 0xFFF0_030D }
    /// The flags that stop a setter whose property has changed already.
    @inlinable package static var stopsAgain: UInt32 { 0xFFF0_060D }
  }

  /// Whether a property's value can be made from the kept row.
  @inline(__always)
  package func isLazy(_ property: Int) -> Bool {
    if let kept { kept.unread & Self.bit(property) != 0 } else { false }
  }

  /// Stores a row, from which the empty slots of its lazy properties are filled when they are read.
  @inline(__always)
  package mutating func keep(_ row: KeptRow?) {
    kept?.release()
    kept = row
  }

  /// Records that these properties no longer need the kept row. After the last one the row is
  /// released.
  @inline(__always)
  package mutating func forgetLazy(_ wanted: UInt64) {
    guard let kept else { return }
    kept.unread &= ~wanted
    if kept.unread == 0 { keep(nil) }
  }

  /// The bit of a property.
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

  /// Records that a value is moved out of its slot until ``_giveBack()``.
  @inlinable public mutating func _lend() { flags = Flags(rawValue: flags.rawValue &+ Flags.oneLent.rawValue) }
  @inlinable public mutating func _giveBack() { flags = Flags(rawValue: flags.rawValue &- Flags.oneLent.rawValue) }
}
