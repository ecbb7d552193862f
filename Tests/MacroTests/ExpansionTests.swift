import Testing

/// What the macros write, as text.
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
        set { _tags._set(_stored(newValue), _$state._isFree(Sub._$first._$plus(1)), self, Sub._$first._$plus(1)) }
        _modify {
        let isFree = _$state._isFree(Sub._$first._$plus(1))
        var value = _tags._lend(isFree, self, Sub._$first._$plus(1))
        defer { _tags._giveBack(value, isFree, self, Sub._$first._$plus(1)) }
        yield &value
        }
        }

        @exclusivity(unchecked) nonisolated(unsafe) final private var _tags = _slot(for: ([Tag]).self)
        """)
  }

  @Test func `a property of the model's own type that goes by a known name`() {
    let source = "@Model final class Item {\nstruct Data {}\nvar data: [Data]\nvar n: Int\ninit() {}\n}"
    let text = Expansion(source).text
    for line in [
      "private var _data = _slot(for: ([Data]).self)", "private var _n: _Slot<Int>",
      "set { _data._set(_stored(newValue)", "sink._put(_data, 0, wanted)", "sink._putKnown(_n, 1, wanted)",
    ] {
      #expect(text.contains(line), "\(line)")
    }
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
      "@exclusivity(unchecked) nonisolated(unsafe) public var _$state = _ModelState()",
      "nonisolated public var _$place: _StatePlace {",
      "@exclusivity(unchecked) nonisolated(unsafe) private var _$backingData = _BackingData<Item>()",
      "@exclusivity(unchecked) nonisolated(unsafe) final private var _id: _Slot<UUID>",
      "@exclusivity(unchecked) nonisolated(unsafe) final private var _kind = _slot(like: Kind.one)",
      "@exclusivity(unchecked) nonisolated(unsafe) final private var _tags = _slot(for: ([Tag]).self)",
      "_PropertyMetadata(\"id\", \\Item.id, nil, _Schema.Attribute(.unique), nil),",
      "_PropertyMetadata(\"kind\", \\Item.kind, Kind.one, nil, _coder(like: Kind.one)),",
      "_PropertyMetadata(\"tags\", \\Item.tags, ([]) as [Tag], _Schema.Relationship(deleteRule: .cascade, inverse: \\Tag.item), "
        + "_coder(for: ([Tag]).self)),",
      "_PropertyMetadata(\"SwiftData.Schema.Index\", \\_Schema.encodingVersion, nil, _Schema.Index<Item>([\\.id]), nil),",
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
    #expect(open.contains("nonisolated(unsafe) final public var _$state = _ModelState()"))
    let source = "@Model final class Box<Value: Codable> {\nvar n: Value\ninit(n: Value) { self.n = n }\n}"
    let generic = Expansion(source).text
    #expect(generic.contains("_registeredModelType(Box.self, after: nil)"))
    #expect(generic.contains("final private var _n = _slot(for: (Value).self)"))
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
