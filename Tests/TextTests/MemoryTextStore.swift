import Foundation
import RoostFile
import RoostText

/// The entries of a text index in memory, in two sorted arrays.
final class MemoryTextStore: TextStore {
  var keys: [[UInt8]] = []
  var values: [[UInt8]] = []

  var byteCount: Int { zip(keys, values).reduce(0) { $0 + $1.0.count + $1.1.count } }

  private func place(_ key: UnsafeRawBufferPointer) -> Int {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      let isBelow = keys[middle].withUnsafeBytes { Self.precedes($0, key) }
      if isBelow { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func precedes(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    guard let start = one.baseAddress, let end = other.baseAddress else { return one.count < other.count }
    let order = memcmp(start, end, min(one.count, other.count))
    return order != 0 ? order < 0 : one.count < other.count
  }

  func visit(
    from key: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var at = place(key)
    while at < keys.count {
      let result = keys[at].withUnsafeBytes { key in
        values[at].withUnsafeBytes { value -> Result<Bool, StoreError> in
          do throws(StoreError) { return .success(try body(key, value)) } catch { return .failure(error) }
        }
      }
      guard try result.get() else { return }
      at += 1
    }
  }

  func put(_ value: UnsafeRawBufferPointer, at key: UnsafeRawBufferPointer) throws(StoreError) {
    precondition(key.count <= 160)
    let at = place(key)
    if at < keys.count, keys[at].elementsEqual(key) {
      values[at] = Array(value)
    } else {
      keys.insert(Array(key), at: at)
      values.insert(Array(value), at: at)
    }
  }

  func delete(_ key: UnsafeRawBufferPointer) throws(StoreError) {
    let at = place(key)
    guard at < keys.count, keys[at].elementsEqual(key) else { return }
    keys.remove(at: at)
    values.remove(at: at)
  }

  func delete(from first: UnsafeRawBufferPointer, to last: UnsafeRawBufferPointer) throws(StoreError) {
    let range = place(first)..<place(last)
    keys.removeSubrange(range)
    values.removeSubrange(range)
  }
}
