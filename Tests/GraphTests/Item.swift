import Observation
import RoostRecords

@testable import RoostGraph

/// A model like the expansion of `@Model`, in few lines.
final class Item: _ModelObject {
  @exclusivity(unchecked) var _$state = _ModelState()
  var _$place: _StatePlace { _ModelState._place(of: &_$state) }
  var _$box: _Box?
  @exclusivity(unchecked) private var _name = _Slot<String>()
  @exclusivity(unchecked) private var _count = _Slot<Int>()
  @exclusivity(unchecked) private var _note = _Slot<String?>()

  var name: String {
    get { _name._get(_$state._isReady, self, 0) }
    set { _name._set(newValue, _$state._isFree(0), self, 0) }
  }

  var count: Int {
    get { _count._get(_$state._isReady, self, 1) }
    set { _count._set(newValue, _$state._isFree(1), self, 1) }
  }

  var note: String? {
    get { _note._get(_$state._isReady, self, 2) }
    set { _note._set(newValue, _$state._isFree(2), self, 2) }
  }

  init(_ name: String, count: Int = 0, note: String? = nil) {
    _name = _Slot(name)
    _count = _Slot(count)
    _note = _Slot(note)
  }

  init(_$state: consuming _ModelState) { self._$state = _$state }

  static let _$type = _ModelType(
    Item.self, name: "Item", superType: nil,
    own: [
      .init(name: "name", keyPath: \Item.name, storage: .value(_Coder(any: String.self))),
      .init(name: "count", keyPath: \Item.count, storage: .value(_Coder(any: Int.self))),
      .init(name: "note", keyPath: \Item.note, storage: .value(_Coder(any: String?.self))),
    ])

  func _$encode(only wanted: UInt64, into sink: inout _RowSink) {
    sink._put(_name, 0, wanted)
    sink._put(_count, 1, wanted)
    sink._put(_note, 2, wanted)
  }

  func _$decode(only wanted: UInt64, from source: inout _RowSource) {
    source._take(&_name, 0, wanted)
    source._take(&_count, 1, wanted)
    source._take(&_note, 2, wanted)
  }

  func _$visit(_ visitor: inout some _SlotVisitor) {
    visitor._visit(0, &_name)
    visitor._visit(1, &_count)
    visitor._visit(2, &_note)
  }
}
