import Observation
import RoostRecords

@testable import RoostGraph

/// A model as `@Model` would write it, in few lines.
final class Item: _ModelObject {
  var _$state = _ModelState()
  var _$box: _Box?
  private var _name = _Slot<String>()
  private var _count = _Slot<Int>()
  private var _note = _Slot<String?>()

  var name: String {
    get {
      if !_$state._isReady { _$willRead(0) }
      return _name._read(self, 0)
    }
    set {
      if _name._mayStore(_$state, 0) { return _name._store(newValue) }
      _$willWrite(0)
      _name._store(newValue)
      _$didWrite(0)
    }
  }

  var count: Int {
    get {
      if !_$state._isReady { _$willRead(1) }
      return _count._read(self, 1)
    }
    set {
      if _count._mayStore(_$state, 1) { return _count._store(newValue) }
      _$willWrite(1)
      _count._store(newValue)
      _$didWrite(1)
    }
  }

  var note: String? {
    get {
      if !_$state._isReady { _$willRead(2) }
      return _note._read(self, 2)
    }
    set {
      if _note._mayStore(_$state, 2) { return _note._store(newValue) }
      _$willWrite(2)
      _note._store(newValue)
      _$didWrite(2)
    }
  }

  init(_ name: String, count: Int = 0, note: String? = nil) {
    _name._store(name)
    _count._store(count)
    _note._store(note)
  }

  init(_$state: consuming _ModelState) { self._$state = _$state }

  static let _$type = _ModelType(
    Item.self, name: "Item", superType: nil,
    own: [
      .init(name: "name", keyPath: \Item.name, storage: .value(String.self)),
      .init(name: "count", keyPath: \Item.count, storage: .value(Int.self)),
      .init(name: "note", keyPath: \Item.note, storage: .value(String?.self)),
    ])

  func _$encode(into sink: inout _RowSink) {
    sink._put(_name, 0)
    sink._put(_count, 1)
    sink._put(_note, 2)
  }

  func _$encode(_ property: Int, into sink: inout _RowSink) {
    switch property {
    case 0: sink._put(_name, 0)
    case 1: sink._put(_count, 1)
    default: sink._put(_note, 2)
    }
  }

  func _$decode(from source: inout _RowSource) {
    source._take(&_name, 0)
    source._take(&_count, 1)
    source._take(&_note, 2)
  }

  func _$decode(_ property: Int, from source: inout _RowSource) {
    switch property {
    case 0: source._take(&_name, 0)
    case 1: source._take(&_count, 1)
    default: source._take(&_note, 2)
    }
  }

  func _$forget() {
    _name._forget()
    _count._forget()
    _note._forget()
  }

  func _$visitLinks(_ visitor: inout some _LinkVisitor) {}
  func _$visitLink(_ property: Int, _ visitor: inout some _LinkVisitor) {}
  func _$isFilled(_ property: Int) -> Bool {
    switch property {
    case 0: _name._isFilled
    case 1: _count._isFilled
    default: _note._isFilled
    }
  }
}
