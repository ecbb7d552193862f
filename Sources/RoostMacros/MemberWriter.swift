internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// The members that `@Model` adds to a class.
struct MemberWriter {
  let model: ModelSource
  private let access: String
  /// What stands before members that subclasses replace, and before those that belong to the class.
  private let override: String
  private let type: String

  init(_ model: ModelSource) {
    self.model = model
    access = model.access
    override = model.superclass == nil ? "" : "override "
    type = model.isFinal ? "static" : "class"
  }

  var members: [DeclSyntax] {
    var members = model.superclass == nil ? root : subclass
    members += [schema, number, modelType, put, take]
    if model.isGeneric == false {
      members.append(
        "nonisolated private static let _$ownType = _makeModelType(\(raw: model.name).self, \(raw: superType))")
    }
    members += [encode, decode, forget, isFilled, visit]
    return members.map { $0.trimmed }
  }

  // MARK: State and initializers

  private var root: [DeclSyntax] {
    [
      "@exclusivity(unchecked) nonisolated(unsafe) \(raw: access)var _$state = _ModelState()",
      "@exclusivity(unchecked) nonisolated(unsafe) private var _$backingData = _BackingData<\(raw: model.name)>()",
      """
      nonisolated \(raw: access)var persistentBackingData: any BackingData<\(raw: model.name)> {
        get { _ObjectBacking(self) }
        set { _adopt(newValue, self, &_$backingData) }
      }
      """,
      """
      nonisolated \(raw: access)var _$box: _Box? {
        get { _$backingData._box }
        set { _$backingData._box = newValue }
      }
      """,
      """
      nonisolated \(raw: access)required init(backingData: any BackingData<\(raw: model.name)>) {
        \(raw: emptySlots)
        _adopt(backingData, self, &_$backingData)
      }
      """,
      """
      nonisolated \(raw: access)required init(_$state state: consuming _ModelState) {
        \(raw: emptySlots)
        _$state = state
      }
      """,
    ]
  }

  private var subclass: [DeclSyntax] {
    let superclass = model.superclass ?? ""
    return [
      "@exclusivity(unchecked) nonisolated(unsafe) private var _$backingData = _BackingData<\(raw: model.name)>()",
      """
      nonisolated \(raw: access)override var _$box: _Box? {
        get { _$backingData._box ?? super._$box }
        set {
          _$backingData._box = newValue
          super._$box = newValue
        }
      }
      """,
      """
      nonisolated \(raw: access)required init(backingData: any BackingData<\(raw: superclass).Root>) {
        \(raw: emptySlots)
        super.init(backingData: backingData)
      }
      """,
      """
      nonisolated \(raw: access)required init(_$state state: consuming _ModelState) {
        \(raw: emptySlots)
        super.init(_$state: state)
      }
      """,
    ]
  }

  /// Slots that have no beginning of their own.
  private var emptySlots: String {
    slots.filter { !$0.slot.hasBeginning }.map { "_\($0.bareName) = .init()" }.joined(separator: "\n")
  }

  private var slots: [Property] { model.properties.filter { !$0.isByHand } }
  private var numbered: [(number: Int, property: Property)] {
    model.properties.enumerated().map { ($0.offset, $0.element) }
  }

  // MARK: What the class is made of

  private var schema: DeclSyntax {
    var lines: [String] = []
    for property in model.properties {
      let initial = property.initial.map { ", defaultValue: \($0.trimmedDescription)" } ?? ""
      lines.append(
        "_PropertyMetadata(name: \"\(property.bareName)\", keypath: \\\(model.name).\(property.name)\(initial)\(metadata(property)))"
      )
    }
    for constraint in model.constraints {
      let kind = constraint.macroName.text
      lines.append(
        """
        _PropertyMetadata(name: "SwiftData.Schema.\(kind)", keypath: \\_Schema.encodingVersion, \
        metadata: _Schema.\(kind)<\(model.name)>(\(constraint.arguments.trimmedDescription)))
        """)
    }
    return """
      nonisolated \(raw: access)\(raw: override)\(raw: type) var schemaMetadata: [_PropertyMetadata] {
        _anywhere { @MainActor in
          [
            \(raw: lines.joined(separator: ",\n"))
          ]
        }
      }
      """
  }

  private func metadata(_ property: Property) -> String {
    if let relationship = property.relationship {
      return ", metadata: _Schema.Relationship(\(Self.arguments(relationship)))"
    }
    if let attribute = property.attribute { return ", metadata: _Schema.Attribute(\(Self.arguments(attribute)))" }
    return ""
  }

  private static func arguments(_ attribute: AttributeSyntax) -> String {
    attribute.arguments?.trimmedDescription ?? ""
  }

  private var superType: String { model.superclass.map { "after: \($0)._$type" } ?? "after: nil" }

  private var number: DeclSyntax {
    let first = model.superclass.map { "\($0)._$count" } ?? "0"
    return """
      nonisolated private static var _$first: Int { \(raw: first) }
      nonisolated \(raw: access)\(raw: override)\(raw: type) var _$count: Int { _$first &+ \(raw: model.properties.count) }
      """
  }

  private var modelType: DeclSyntax {
    let made =
      model.isGeneric ? "_registeredModelType(\(model.name).self, \(superType))" : "\(model.name)._$ownType"
    return """
      nonisolated \(raw: access)\(raw: override)\(raw: type) var _$type: _ModelType { \(raw: made) }
      """
  }

  // MARK: Into rows and out of them

  private var put: DeclSyntax {
    let cases = numbered.map { number, property in
      property.isByHand
        ? "case \(number): sink._put(_$box, (\(property.type?.description ?? "Never")).self, \(index(number)))"
        : "case \(number): sink._put(_\(property.bareName), \(index(number)))"
    }
    return """
      @inline(__always) nonisolated private final func _$put(_ property: Int, _ sink: inout _RowSink) {
        switch property {
        \(raw: cases.joined(separator: "\n"))
        default: break
        }
      }
      """
  }

  private var take: DeclSyntax {
    let cases = numbered.map { number, property in
      property.isByHand
        ? "case \(number): source._take(&_$box, (\(property.type?.description ?? "Never")).self, \(index(number)))"
        : "case \(number): source._take(&_\(property.bareName), \(index(number)))"
    }
    return """
      @inline(__always) nonisolated private final func _$take(_ property: Int, _ source: inout _RowSource) {
        switch property {
        \(raw: cases.joined(separator: "\n"))
        default: break
        }
      }
      """
  }

  /// The number of a property, behind those of the superclass.
  private func index(_ number: Int) -> String {
    model.superclass == nil ? "\(number)" : "\(model.name)._$first &+ \(number)"
  }

  /// The number in the class of the property that a function was asked for.
  private var relative: String { model.superclass == nil ? "property" : "property &- \(model.name)._$first" }

  private func own(_ call: (Int) -> String) -> String {
    model.properties.indices.map(call).joined(separator: "\n")
  }

  private func inherited(_ call: String) -> String {
    model.superclass == nil ? "" : "if property < \(model.name)._$first { return super.\(call) }\n"
  }

  private var encode: DeclSyntax {
    """
    nonisolated \(raw: access)\(raw: override)func _$encode(into sink: inout _RowSink) {
      \(raw: model.superclass == nil ? "" : "super._$encode(into: &sink)\n")\(raw: own { "_$put(\($0), &sink)" })
    }
    nonisolated \(raw: access)\(raw: override)func _$encode(_ property: Int, into sink: inout _RowSink) {
      \(raw: inherited("_$encode(property, into: &sink)"))_$put(\(raw: relative), &sink)
    }
    """
  }

  private var decode: DeclSyntax {
    """
    nonisolated \(raw: access)\(raw: override)func _$decode(from source: inout _RowSource) {
      \(raw: model.superclass == nil ? "" : "super._$decode(from: &source)\n")\(raw: own { "_$take(\($0), &source)" })
    }
    nonisolated \(raw: access)\(raw: override)func _$decode(_ property: Int, from source: inout _RowSource) {
      \(raw: inherited("_$decode(property, from: &source)"))_$take(\(raw: relative), &source)
    }
    """
  }

  private var forget: DeclSyntax {
    let lines = slots.map { "_\($0.bareName)._forget()" }.joined(separator: "\n")
    return """
      nonisolated \(raw: access)\(raw: override)func _$forget() {
        \(raw: model.superclass == nil ? "" : "super._$forget()\n")\(raw: lines)
      }
      """
  }

  private var isFilled: DeclSyntax {
    let cases = numbered.filter { !$0.property.isByHand }.map {
      "case \($0.number): _\($0.property.bareName)._isFilled"
    }
    return """
      nonisolated \(raw: access)\(raw: override)func _$isFilled(_ property: Int) -> Bool {
        \(raw: inherited("_$isFilled(property)"))return switch \(raw: relative) {
        \(raw: cases.joined(separator: "\n"))
        default: true
        }
      }
      """
  }

  private var visit: DeclSyntax {
    let links = numbered.filter { !$0.property.isByHand && $0.property.slot.mayBeLink }
    let lines = links.map { "_visit(&_\($0.property.bareName), \(index($0.number)), &visitor)" }
    let cases = links.map { "case \($0.number): _visit(&_\($0.property.bareName), property, &visitor)" }
    return """
      nonisolated \(raw: access)\(raw: override)func _$visitLinks(_ visitor: inout some _LinkVisitor) {
        \(raw: model.superclass == nil ? "" : "super._$visitLinks(&visitor)\n")\(raw: lines.joined(separator: "\n"))
      }
      nonisolated \(raw: access)\(raw: override)func _$visitLink(_ property: Int, _ visitor: inout some _LinkVisitor) {
        \(raw: inherited("_$visitLink(property, &visitor)"))switch \(raw: relative) {
        \(raw: cases.joined(separator: "\n"))
        default: break
        }
      }
      """
  }
}
