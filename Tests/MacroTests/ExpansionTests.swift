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

  @Test func `an actor`() {
    let text = Expansion("@ModelActor public actor Store {}").text
    #expect(text.contains("public nonisolated let modelExecutor: any ModelExecutor"))
    #expect(text.contains("self.modelExecutor = DefaultSerialModelExecutor(modelContext: modelContext)"))
  }
}
