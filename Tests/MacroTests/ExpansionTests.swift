import Testing

/// The expansions of the macros, as text.
@Suite struct ExpansionTests {
  @Test func `a property of a known type`() {
    let text = Expansion("@_PersistedProperty(3) var n: Int = 1").text
    #expect(
      text == """
        var n: Int {
        @storageRestrictions(initializes: _n)
        init(initialValue) {
        _n = .init(initialValue)
        }
        get { _n._get(_$state._isReady, self, 3) }
        set { _n._set(newValue, _$state._isFree(3), self, 3) }
        }

        @exclusivity(unchecked) nonisolated(unsafe) final private var _n: _Slot<Int>
        """)
  }

  @Test func `a property that may be a relationship`() {
    let text = Expansion("@_PersistedProperty(1, in: \"Sub\") var tags: [Tag]").text
    #expect(
      text == """
        var tags: [Tag] {
        @storageRestrictions(initializes: _tags)
        init(initialValue) {
        _tags = .init(initialValue)
        }
        get { _tags._get(_$state._isReady, self, Sub._$first._$plus(1)) }
        set { _tags._set(Roost::_stored(newValue), _$state._isFree(Sub._$first._$plus(1)), self, Sub._$first._$plus(1)) }
        _modify {
        let isFree = _$state._isFree(Sub._$first._$plus(1))
        var value = _tags._lend(isFree, self, Sub._$first._$plus(1))
        defer { _tags._giveBack(value, isFree, self, Sub._$first._$plus(1)) }
        yield &value
        }
        }

        @exclusivity(unchecked) nonisolated(unsafe) final private var _tags = Roost::_slot(for: ([Tag]).self)
        """)
  }

  @Test func `a property whose type is the model, under a known name`() {
    let source = "@Model final class Item {\nstruct Data {}\nvar data: [Data]\nvar n: Int\ninit() {}\n}"
    let text = Expansion(source).text
    for line in [
      "private var _data = Roost::_slot(for: ([Data]).self)", "private var _n: _Slot<Int>",
      "set { _data._set(Roost::_stored(newValue)", "sink._put(_data, 0, wanted)", "sink._putKnown(_n, 1, wanted)",
    ] {
      #expect(text.contains(line), "\(line)")
    }
  }

  @Test func `rules of properties`() {
    let source = """
      @Model final class Item {
      @Validate(.range(1...5), message: "1 to 5") var n: Int
      @Attribute(.unique) @Validate(.notEmpty) @Validate(.length(...9)) var s: String
      @Relationship(inverse: \\Other.item) @Validate(.length(1...)) var others: [Other]
      var plain: Int
      init() {}
      }
      """
    let expansion = Expansion(source)
    for line in [
      "nil, Roost::_Schema.Attribute()._validated(.range(1...5), message: \"1 to 5\"), nil)",
      "nil, Roost::_Schema.Attribute(.unique)._validated(.notEmpty)._validated(.length(...9)), nil)",
      "Roost::_Schema.Relationship(inverse: \\Other.item)._validated(.length(1...)),", "\\Item.plain, nil, nil, nil)",
    ] {
      #expect(expansion.text.contains(line), "\(line)")
    }
    #expect(expansion.complaints.isEmpty)
  }

  @Test func `a model`() {
    let expansion = Expansion(
      """
      @Model public final class Item {
        @Attribute(.unique) var id: UUID
        var kind = Kind.one
        @Relationship(deleteRule: .cascade, inverse: \\Tag.item) var tags: [Tag] = []
        @Transient var shown = false
        #Index<Item>([\\.id])
        init(id: UUID) { self.id = id }
      }
      """)
    #expect(expansion.complaints.isEmpty)
    let text = expansion.text
    for line in [
      "@exclusivity(unchecked) nonisolated(unsafe) public var _$state = Roost::_ModelState()",
      "nonisolated public var _$place: _StatePlace {",
      "@exclusivity(unchecked) nonisolated(unsafe) private var _$backingData = Roost::_HeldValues<Item>()",
      "@exclusivity(unchecked) nonisolated(unsafe) final private var _id: _Slot<UUID>",
      "@exclusivity(unchecked) nonisolated(unsafe) final private var _kind = Roost::_slot(like: Kind.one)",
      "@exclusivity(unchecked) nonisolated(unsafe) final private var _tags = Roost::_slot(for: ([Tag]).self)",
      "Roost::_PropertyMetadata(\"id\", \\Item.id, nil, Roost::_Schema.Attribute(.unique), nil),",
      "Roost::_PropertyMetadata(\"kind\", \\Item.kind, Kind.one, nil, Roost::_coder(like: Kind.one)),",
      "Roost::_PropertyMetadata(\"tags\", \\Item.tags, ([]) as [Tag], Roost::_Schema.Relationship(deleteRule: .cascade, inverse: \\Tag.item), "
        + "Roost::_coder(for: ([Tag]).self)),",
      "Roost::_PropertyMetadata(\"SwiftData.Schema.Index\", \\Roost::_Schema.encodingVersion, nil, "
        + "Roost::_Schema.Index<Item>([\\.id]), nil),",
      "nonisolated public static var schemaMetadata: [_PropertyMetadata] {",
      "sink._putKnown(_id, 0, wanted)", "sink._put(_kind, 1, wanted)", "source._takeKnown(&_id, 0, wanted)",
      "visitor._visitValue(0, &_id)", "visitor._visit(2, &_tags)",
      "extension Item: nonisolated PersistentModel, nonisolated _ModelObject {}", "extension Item: Sendable {}",
    ] {
      #expect(text.contains(line), "\(line)")
    }
    #expect(!text.contains("_shown"))
  }

  @Test func `a subclass`() {
    let text = Expansion("@Model class Dog: Animal {\nvar tricks = 1\ninit() {}\n}", conformances: []).text
    for line in [
      "get { _tricks._get(_$state._isReady, self, Dog._$first._$plus(0)) }",
      "nonisolated private static var _$first: Int { Animal._$count }", "super._$encode(only: wanted, into: &sink)",
      "super._$decode(only: wanted, from: &source)", "super._$visit(&visitor)",
      "nonisolated override func _$visit(_ visitor: inout some _SlotVisitor) {",
    ] {
      #expect(text.contains(line), "\(line)")
    }
    #expect(!text.contains("extension Dog") && !text.contains("var _$state = "))
  }

  @Test func `an open model, and one of any type`() {
    let open = Expansion("@Model open class Item {\nvar n = 1\npublic init() {}\n}").text
    #expect(open.contains("nonisolated open class var schemaMetadata: [_PropertyMetadata] {"))
    #expect(open.contains("nonisolated(unsafe) final public var _$state = Roost::_ModelState()"))
    // A closure of the main actor may end the program on any other thread, but a function does not.
    #expect(open.contains("@MainActor func own() -> [AnyKeyPath?]") && open.contains("return Roost::_paths(own)"))
    let source = "@Model final class Box<Value: Codable> {\nvar n: Value\ninit(n: Value) { self.n = n }\n}"
    let generic = Expansion(source).text
    #expect(generic.contains("Roost::_registeredModelType(Box.self, after: nil)"))
    #expect(generic.contains("final private var _n = Roost::_slot(for: (Value).self)"))
  }

  @Test func `accessors that the user wrote`() {
    let expansion = Expansion(
      """
      @Model final class Item {
        var n: Int {
          @storageRestrictions(accesses: _$backingData, initializes: _n)
          init(initialValue) {
            _$backingData.setValue(forKey: \\.n, to: initialValue)
            _n = .init()
          }
          get { getValue(forKey: \\.n) }
          set { setValue(forKey: \\.n, to: newValue) }
        }
        @Transient private var _n = _SwiftDataNoType()
        init(n: Int) { self.n = n }
      }
      """)
    #expect(expansion.complaints.isEmpty)
    #expect(expansion.text.contains("sink._put(_$box, (Int).self, 0, wanted)"))
    #expect(expansion.text.contains("source._take(&_$box, (Int).self, 0, wanted)"))
    #expect(!expansion.text.contains("final private var _n"))
  }

  /// Before the fix, such properties were left out of the store without a warning, because the
  /// attribute might have been a property wrapper.
  @Test(arguments: ["@RemoteKey(\"key\")", "@Other.Key", "@RemoteKey @Attribute(.unique)", "@Store", "@StoreActor"])
  func `a property with an attribute of another package is stored`(attribute: String) {
    let expansion = Expansion("@Model final class Item {\n\(attribute) var n: Int = 1\ninit() {}\n}")
    #expect(expansion.complaints.isEmpty)
    #expect(
      expansion.text.contains("private var _n: _Slot<Int>") && expansion.text.contains("sink._putKnown(_n, 0, wanted)"))
  }

  /// Much code for SwiftData declares identifiers and foreign values by `let`: in Swift 5 mode they are stored.
  @Test func `constants in Swift 5 mode`() {
    let source = """
      @Model final class Item {
        @Attribute(.unique) let id = UUID()
        let name: String
        let count = 1
        @Transient let kept = 2
        init(name: String) { self.name = name }
      }
      """
    let expansion = Expansion(source, language: 5)
    #expect(expansion.complaints.isEmpty)
    for line in [
      "private var _id = Roost::_slot(like: UUID())", "private var _name: _Slot<String>",
      "private var _count: _Slot<Int>",
      "Roost::_PropertyMetadata(\"name\", \\Item.name, nil, nil, nil)", "sink._putKnown(_count, 2, wanted)",
    ] {
      #expect(expansion.text.contains(line), "\(line)")
    }
    #expect(!expansion.text.contains("_kept"))
    #expect(Expansion(source, language: 6).complaints.count == 2)
  }

  @Test func `a property with observers loses them`() {
    let text = Expansion("@_PersistedProperty(0) var n: Int = 1 { didSet { print(n) } }").text
    #expect(text.contains("set { _n._set(newValue, _$state._isFree(0), self, 0) }"))
  }

  @Test func `an actor`() {
    let text = Expansion("@ModelActor public actor Store {}").text
    #expect(text.contains("public nonisolated let modelExecutor: any ModelExecutor"))
    #expect(text.contains("self.modelExecutor = DefaultSerialModelExecutor(modelContext: modelContext)"))
  }
}
