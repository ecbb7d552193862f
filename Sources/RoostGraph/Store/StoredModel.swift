internal import Observation
internal import RoostRecords

/// Represents the class of a model that the program does not have. No object of it is made.
final class StoredModel: _ModelObject {
  var _$box: _Box?
  private var state: _ModelState

  init(_$state: consuming _ModelState) { state = _$state }

  var _$place: _StatePlace { _ModelState._place(of: &state) }
  static var _$type: _ModelType { _ModelType(StoredModel.self, name: "", superType: nil, own: []) }
  func _$encode(only wanted: UInt64, into sink: inout _RowSink) {}
  func _$decode(only wanted: UInt64, from source: inout _RowSource) {}
  func _$visit(_ visitor: inout some _SlotVisitor) {}
}

/// A property in a catalog: one field, or the fields of a struct's parts.
struct StoredPart {
  var name: String
  private var field: Field?
  /// Whether the value is never nil in rows of the class, although it is in other rows of the
  /// entity.
  private var isNeeded = false
  /// Whether a subclass adds the property.
  private var isAdded = false
  private var parts: [StoredPart] = []

  init(_ name: String) { self.name = name }

  /// Adds a field by its path below the property.
  ///
  /// - Parameters:
  ///   - field: the field.
  ///   - path: the path.
  ///   - isAdded: whether a subclass adds the property.
  mutating func add(_ field: Field, at path: ArraySlice<String>, isAdded: Bool) {
    guard let first = path.first else {
      self.field = field
      isNeeded = isAdded ? field.isNeeded : !field.isOptional
      self.isAdded = isAdded
      return
    }
    let at = parts.firstIndex { $0.name == first } ?? parts.endIndex
    if at == parts.endIndex { parts.append(StoredPart(first)) }
    parts[at].add(field, at: path.dropFirst(), isAdded: isAdded)
  }

  private var isStruct: Bool { field.map { $0.type == .presence } ?? true }
  private var isOptional: Bool { isStruct ? field != nil : !isNeeded }

  /// Whether the catalog has a default. A subclass's required field without a default has an empty
  /// value there, so an empty value does not count.
  var hasInitial: Bool {
    if isStruct, !isOptional { return parts.allSatisfy { $0.isOptional || $0.hasInitial } }
    guard let field, let initial = field.initial else { return false }
    return !isAdded || !isNeeded || initial != field.type.empty
  }

  /// The default; an empty value if the catalog has none.
  var initial: Value {
    if isOptional, field?.initial == nil { return .null }
    return isStruct ? .structure(parts.map(\.initial)) : field.map { $0.initial ?? $0.type.empty } ?? .null
  }

  var coder: AnyCoder {
    let inner = parts.map { AnyCoder.Part(name: $0.name, coder: $0.coder) }
    var element = ElementType.structure(inner.map { ElementType.Part($0.name, $0.coder.form.element) })
    if !isStruct, let field { element = .plain(field.type) }
    if isOptional { element = .optional(element) }
    return StoredCoder(_Form(element), parts: inner, cases: field?.cases)
  }
}

/// Stores values of a type whose stored form alone is known. A value is its bytes as an element of
/// a list.
private final class StoredCoder: AnyCoder {
  private let known: [Value]?

  init(_ form: _Form, parts: [Part], cases: [Value]?) {
    known = cases
    super.init(form, [UInt8].self, parts: parts)
  }

  override var cases: [Value]? { known }

  override func append(any value: Any, to bytes: inout _ByteSink) -> Bool {
    guard let value = value as? [UInt8] else { return false }
    value.withUnsafeBytes { bytes._append(plain: $0) }
    return true
  }
}
