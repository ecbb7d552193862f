internal import RoostBytes
package import RoostFile
package import RoostPages

/// A valid leaf that was found in a file without a reference to it.
package struct LooseLeaf {
  package let tree: UInt32
  package let isInteger: Bool
  package let stamp: UInt64
  private let memory: UnsafeRawPointer

  /// Nil if the bytes are not a leaf that may have been at this place.
  package init?(_ page: PageID, _ memory: UnsafeRawPointer) {
    guard Page.level(memory) == 0, Complaint.about(page, memory) == nil else { return nil }
    tree = memory.u32(Page.Field.tree)
    isInteger = Page.kind(memory) == .integerLeaf
    stamp = Page.stamp(memory)
    self.memory = memory
  }

  /// The range of keys that belong in a leaf with byte keys.
  package var byteRange: (low: [UInt8], high: [UInt8]?) { (ByteForm.lowFence(memory), ByteForm.highFence(memory)) }
  /// The range of keys that belong in a leaf with integer keys.
  package var numberRange: (low: UInt64, high: UInt64?) {
    (IntegerForm.lowFence(memory), IntegerForm.highFence(memory))
  }

  /// Passes the entries of a leaf with byte keys to `body`.
  package func entries(_ body: ([UInt8], StoredValue) throws(StoreError) -> Void) throws(StoreError) {
    for index in 0..<Node.count(memory) { try body(ByteNode.key(memory, index), ByteNode.value(memory, index)) }
  }

  /// Passes the entries of a leaf with integer keys to `body`.
  package func numbers(_ body: (UInt64, StoredValue) throws(StoreError) -> Void) throws(StoreError) {
    for index in 0..<Node.count(memory) { try body(IntegerLeaf.key(memory, index), IntegerLeaf.value(memory, index)) }
  }
}
