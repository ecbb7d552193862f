internal import Synchronization

/// The offsets of relationships' slots in the objects of a class.
///
/// A visitor reaches a slot through generic code of the user's module, which takes longer than the
/// work on the slot. All slots of references have the same layout, whatever they refer to, and so
/// have those of lists. So the offsets are enough. A visitor finds them with the first object of
/// the class.
final class LinkPlaces: Sendable {
  private let offsets: [Int]

  init(_ object: some _ModelObject) {
    var finder = Finder(address: UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
    finder.offsets = Array(repeating: 0, count: type(of: object)._$type.properties.count)
    object._$visit(&finder)
    offsets = finder.offsets
  }

  /// 0 if the property is no relationship, or is stored in the object's box.
  @inline(__always)
  func offset(_ property: Int) -> Int { property < offsets.count ? offsets[property] : 0 }

  private struct Finder: _SlotVisitor {
    let address: UInt
    var offsets: [Int] = []

    init(address: UInt) { self.address = address }

    mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToOne<Model>) {
      precondition(MemoryLayout<_ToOne<Model>>.size == OneSlot.size)
      note(property, withUnsafeMutablePointer(to: &slot) { UInt(bitPattern: $0) })
    }

    mutating func _visit<Model: _ModelObject>(_ property: Int, _ slot: inout _ToMany<Model>) {
      precondition(MemoryLayout<_ToMany<Model>>.size == ManySlot.size)
      note(property, withUnsafeMutablePointer(to: &slot) { UInt(bitPattern: $0) })
    }

    private mutating func note(_ property: Int, _ place: UInt) {
      precondition(place > address && place - address < 1 << 24, "a slot is outside its object")
      offsets[property] = Int(place - address)
    }
  }
}

extension _ModelType {
  /// The offset of a relationship's slot in the object; 0 if it has none.
  @inline(__always)
  func linkPlace(_ property: Int, in object: some _ModelObject) -> Int {
    guard let known = places.load(ordering: .acquiring) else { return findPlaces(object).offset(property) }
    // It is never freed, so its uses need not be counted.
    return Unmanaged<LinkPlaces>.fromOpaque(known)._withUnsafeGuaranteedRef { $0.offset(property) }
  }

  /// A type lives as long as the program, and so do its offsets. If two threads find them at once,
  /// one copy is kept.
  @inline(never)
  private func findPlaces(_ object: some _ModelObject) -> LinkPlaces {
    let made = Unmanaged.passRetained(LinkPlaces(object))
    let (isFirst, other) = places.compareExchange(
      expected: nil, desired: made.toOpaque(), ordering: .acquiringAndReleasing)
    guard !isFirst, let other else { return made.takeUnretainedValue() }
    made.release()
    return Unmanaged<LinkPlaces>.fromOpaque(other).takeUnretainedValue()
  }
}
