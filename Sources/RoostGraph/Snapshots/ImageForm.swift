internal import Synchronization

/// The coders and relationships of a class's images.
///
/// Unchecked, because it does not change after it was made; the known paths are atomic.
package final class ImageForm: @unchecked Sendable {
  package let type: _ModelType
  /// The coders by property; nil for relationships and for properties that are not stored.
  package let coders: [AnyCoder?]
  /// The properties that are relationships.
  package let links: [Int]
  /// By property, its position among `links`; -1 for values.
  package let linkPlaces: [Int]
  package let hasLists: Bool
  private let knownPaths = KnownPaths()

  private init(_ type: _ModelType) {
    self.type = type
    var coders: [AnyCoder?] = []
    var links: [Int] = []
    var linkPlaces: [Int] = []
    for (number, property) in type.properties.enumerated() {
      var coder: AnyCoder?
      var place = -1
      switch property.storage {
      case .value(let known): coder = try? known.coder()
      case .toOne, .toMany:
        place = links.count
        links.append(number)
      case .none: break
      }
      coders.append(coder)
      linkPlaces.append(place)
    }
    self.coders = coders
    self.links = links
    self.linkPlaces = linkPlaces
    hasLists = type.properties.contains { if case .toMany = $0.storage { true } else { false } }
  }

  package func isList(_ property: Int) -> Bool {
    if case .toMany = type.properties[property].storage { true } else { false }
  }

  /// The class of a relationship's target.
  package func destination(_ property: Int) -> _ModelType? {
    switch type.properties[property].storage {
    case .toOne(let link), .toMany(let link): link.model._$type
    case .value, .none: nil
    }
  }

  /// The property of a key path. Programs use the same few key path objects again and again, so
  /// they are found by address.
  @inline(__always)
  package func number(of keyPath: AnyKeyPath) -> Int? { knownPaths.number(keyPath, type) }

  package static func of(_ type: _ModelType) -> ImageForm {
    if let known = type.imageForms.load(ordering: .acquiring) {
      return Unmanaged<ImageForm>.fromOpaque(known).takeUnretainedValue()
    }
    return make(type)
  }

  /// A type lives as long as the program, and so does its form. If two threads make one at once,
  /// one is kept.
  @inline(never)
  private static func make(_ type: _ModelType) -> ImageForm {
    let made = Unmanaged.passRetained(ImageForm(type))
    let (isFirst, other) = type.imageForms.compareExchange(
      expected: nil, desired: made.toOpaque(), ordering: .acquiringAndReleasing)
    guard !isFirst, let other else { return made.takeUnretainedValue() }
    made.release()
    return Unmanaged<ImageForm>.fromOpaque(other).takeUnretainedValue()
  }
}

/// Key paths found by their addresses. An entry keeps its key path, so that no other object gets
/// its address.
///
/// Unchecked because of the memory, which is atomic.
private final class KnownPaths: @unchecked Sendable {
  private final class Entry: Sendable {
    // Unsafe, because `AnyKeyPath` is not marked as `Sendable` although it never changes.
    nonisolated(unsafe) let keyPath: AnyKeyPath
    let number: Int

    init(_ keyPath: AnyKeyPath, _ number: Int) {
      self.keyPath = keyPath
      self.number = number
    }
  }

  /// Each is filled once and stays.
  private struct Place: ~Copyable { let entry = Atomic<UnsafeMutableRawPointer?>(nil) }
  private let places: UnsafeMutableBufferPointer<Place>

  init() {
    places = .allocate(capacity: 64)
    for at in places.indices { places.initializeElement(at: at, to: Place()) }
  }

  @inline(__always)
  func number(_ keyPath: AnyKeyPath, _ type: _ModelType) -> Int? {
    let address = UInt(bitPattern: Unmanaged.passUnretained(keyPath).toOpaque())
    let at = Int((address &>> 4 ^ address &>> 10) & 63)
    guard let known = places[at].entry.load(ordering: .acquiring) else { return find(keyPath, type, at: at) }
    let number = Unmanaged<Entry>.fromOpaque(known)._withUnsafeGuaranteedRef { $0.keyPath === keyPath ? $0.number : -1 }
    return number >= 0 ? number : type.number(of: keyPath)
  }

  @inline(never)
  private func find(_ keyPath: AnyKeyPath, _ type: _ModelType, at: Int) -> Int? {
    guard let number = type.number(of: keyPath) else { return nil }
    let made = Unmanaged.passRetained(Entry(keyPath, number))
    let (isFirst, _) = places[at].entry.compareExchange(
      expected: nil, desired: made.toOpaque(), ordering: .acquiringAndReleasing)
    if !isFirst { made.release() }
    return number
  }
}
