/// Offsets in the memory of one class's objects: of the flags, and of the row number in a
/// reference's slot.
struct ReferencePlace {
  let flags: Int
  let row: Int

  init?(_ object: some _ModelObject, _ property: Int) {
    let slot = type(of: object)._$type.linkPlace(property, in: object)
    if slot == 0 { return nil }
    flags = Int(bitPattern: object._$place) - Int(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    row = slot + OneSlot.rowOffset
  }
}

/// A reference's slot, whatever its type: see ``LinkPlaces``. Without a slot it is empty and stores
/// nothing.
///
/// ## Layout
/// The layout of ``_ToOne``: the object or nil, then the row's number.
struct OneSlot {
  static let size = 16
  static let rowOffset = 8
  private let place: UnsafeMutableRawPointer?

  init(_ place: UnsafeMutableRawPointer?) { self.place = place }

  var row: UInt64 { place?.load(fromByteOffset: Self.rowOffset, as: UInt64.self) ?? 0 }

  /// The object that the slot itself holds.
  var object: AnyObject? { place?.assumingMemoryBound(to: AnyObject?.self).pointee }

  var isHolding: Bool { place.map { $0.load(as: UInt.self) != 0 } ?? false }

  /// Makes it hold an object or nothing, as in an object without a context.
  func hold(_ object: (any _ModelObject)?) {
    guard let place else { return }
    place.storeBytes(of: 0, toByteOffset: 8, as: UInt64.self)
    let held = place.assumingMemoryBound(to: AnyObject?.self)
    let old = held.move()
    held.initialize(to: object.map { $0 as AnyObject })
    withExtendedLifetime(old) {}
  }

  /// Makes it refer to a row.
  func lead(to row: UInt64) {
    guard let place else { return }
    place.storeBytes(of: row, toByteOffset: 8, as: UInt64.self)
    if isHolding {
      let held = place.assumingMemoryBound(to: AnyObject?.self)
      let old = held.move()
      held.initialize(to: nil)
      withExtendedLifetime(old) {}
    }
  }
}

/// A list's slot, whatever the class of its members.
///
/// ## Layout
/// The layout of ``_ToMany``: the array or nil, then whether the property itself is nil. An array
/// of objects has the same layout for every class; the standard library also makes all of them as
/// arrays of `AnyObject`.
struct ManySlot {
  static let size = 9
  private let place: UnsafeMutablePointer<[AnyObject]?>?

  init(_ place: UnsafeMutableRawPointer?) { self.place = place?.assumingMemoryBound(to: [AnyObject]?.self) }

  /// Makes an optional list empty if it was nil. In a context no list is nil.
  private func setPresent() { UnsafeMutableRawPointer(place)?.storeBytes(of: false, toByteOffset: 8, as: Bool.self) }

  var isFilled: Bool { place?.pointee != nil }

  var members: [AnyObject]? {
    get { place?.pointee }
    // The `deinit` of a member may read the list, so the old array lives until the new one is
    // stored: see `_Held.replace(with:)`.
    nonmutating set { withExtendedLifetime(replace(newValue)) {} }
  }

  /// Stores other members and returns the previous ones.
  func replace(_ new: [AnyObject]?) -> [AnyObject]? {
    guard let place else { return nil }
    setPresent()
    let old = place.move()
    place.initialize(to: new)
    return old
  }

  /// Moves the members out.
  func take() -> [AnyObject]? {
    guard let place else { return nil }
    let members = place.move()
    place.initialize(to: nil)
    return members
  }

  func append(_ object: AnyObject) {
    guard var members = take() else { return }
    members.append(object)
    self.members = members
  }

  func remove(_ object: AnyObject) {
    guard var members = take() else { return }
    if let at = members.lastIndex(where: { $0 === object }) { members.remove(at: at) }
    self.members = members
  }
}

extension _ModelObject {
  @inline(__always)
  private func linkPlace(_ property: Int) -> UnsafeMutableRawPointer? { linkPlace(property, Self._$type) }

  @inline(__always)
  private func linkPlace(_ property: Int, _ type: _ModelType) -> UnsafeMutableRawPointer? {
    let offset = type.linkPlace(property, in: self)
    return offset == 0 ? nil : Unmanaged.passUnretained(self).toOpaque() + offset
  }

  /// The slot of a reference, as long as the object lives.
  func one(_ property: Int) -> OneSlot { OneSlot(linkPlace(property)) }
  /// The slot of a list.
  func many(_ property: Int) -> ManySlot { ManySlot(linkPlace(property)) }

  /// The slot of a reference in an object of this type, which avoids a look-up of the type.
  func one(_ property: Int, _ type: _ModelType) -> OneSlot { OneSlot(linkPlace(property, type)) }
  /// The slot of a list in an object of this type.
  func many(_ property: Int, _ type: _ModelType) -> ManySlot { ManySlot(linkPlace(property, type)) }
}

extension _ModelType {
  /// Casts an object of this model or of a subclass without a check.
  @inline(__always)
  func object(_ object: AnyObject) -> any _ModelObject {
    func cast<Model: _ModelObject>(_ type: Model.Type) -> any _ModelObject { unsafeDowncast(object, to: type) }
    return cast(model)
  }
}

/// Reads the rows of objects of one class from their states.
struct MemberRows {
  private let offset: Int

  init(_ member: any _ModelObject) {
    offset = Self.address(member._$place) - Self.address(Unmanaged.passUnretained(member as AnyObject).toOpaque())
  }

  private static func address(_ place: UnsafeMutableRawPointer) -> Int { Int(bitPattern: place) }
  private static func address(_ place: _StatePlace) -> Int { Int(bitPattern: place) }

  /// The row of a stored object; nil for a new one.
  @inline(__always)
  func stored(_ member: AnyObject) -> UInt64? {
    let state = (Unmanaged.passUnretained(member).toOpaque() + offset).assumingMemoryBound(to: _ModelState.self)
    return state.pointee.row == 0 || state.pointee.flags.contains(.inserted) ? nil : state.pointee.row
  }

  /// Whether the first members have these rows. There must be at least as many members as rows.
  func begin(_ members: [AnyObject], _ rows: [UInt64]) -> Bool {
    members.withUnsafeBytes { members in
      rows.withUnsafeBufferPointer { rows in
        for at in rows.indices {
          let member = members.loadUnaligned(fromByteOffset: at &* 8, as: UnsafeRawPointer.self)
          let state = (member + offset).assumingMemoryBound(to: _ModelState.self)
          if state.pointee.row != rows[at] { return false }
        }
        return true
      }
    }
  }

  @inline(__always)
  subscript(_ member: AnyObject) -> UInt64 {
    (Unmanaged.passUnretained(member).toOpaque() + offset).assumingMemoryBound(to: _ModelState.self).pointee.row
  }
}
