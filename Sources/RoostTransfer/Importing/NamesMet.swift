/// The names in the records so far, and their meanings.
///
/// Most records have the same names in the same order, so a search begins after the name that was
/// found last.
struct NamesMet {
  private struct Name {
    /// The number of the name of its struct; -1 for none.
    var above: Int
    var bytes: Range<Int>
    /// The field that takes its values unchanged; -1 if more is needed.
    var field: Int
  }

  private var names: [Name] = []
  private var bytes: [UInt8] = []
  private(set) var paths: [String] = []
  private(set) var meanings: [FieldBinding.Meaning] = []

  var count: Int { names.count }

  mutating func removeAll() { self = NamesMet() }

  /// Adds a name, and returns its number.
  mutating func add(
    _ name: UnsafeRawBufferPointer, above: Int, path: String, _ meaning: FieldBinding.Meaning
  ) -> Int {
    let start = bytes.count
    bytes += name
    var plain = -1
    if case .field(let field, let presences) = meaning.target, presences.isEmpty { plain = field }
    names.append(Name(above: above, bytes: start..<bytes.count, field: plain))
    paths.append(path)
    meanings.append(meaning)
    return names.count - 1
  }

  /// The number of a name; nil if it is new.
  func find(_ name: UnsafeRawBufferPointer, above: Int, expected: Int) -> Int? {
    if expected < names.count, isSame(expected, name, above: above) { return expected }
    return names.indices.first { isSame($0, name, above: above) }
  }

  /// A name, and the other names with the same meaning.
  func alike(_ number: Int) -> [(number: Int, isExact: Bool)] {
    let meaning = meanings[number].name
    if meaning.isEmpty { return [] }
    return meanings.indices.filter { meanings[$0].name == meaning }.map { ($0, meanings[$0].isExact) }
  }

  /// Ignores the values of a name from now on.
  mutating func leaveOut(_ number: Int) {
    meanings[number] = .nothing
    names[number].field = -1
  }

  @inline(__always)
  func field(_ number: Int) -> Int { names[number].field }

  @inline(__always)
  private func isSame(_ number: Int, _ name: UnsafeRawBufferPointer, above: Int) -> Bool {
    let known = names[number]
    guard known.above == above, known.bytes.count == name.count else { return false }
    return bytes.withUnsafeBytes { all in
      var offset = 0
      while offset < name.count {
        if all[known.bytes.lowerBound &+ offset] != name[offset] { return false }
        offset &+= 1
      }
      return true
    }
  }
}
