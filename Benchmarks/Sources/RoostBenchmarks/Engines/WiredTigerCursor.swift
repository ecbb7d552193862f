#if WiredTiger
  import CWiredTiger

  /// A cursor of one table. Its results, and the bytes it is given, are borrowed until its next
  /// call.
  typealias WiredTigerCursor = UnsafeMutablePointer<WT_CURSOR>

  extension WiredTigerCursor {
    @inline(__always)
    func setKey(_ number: UInt64) { wiredtiger_set_key_number(self, number) }

    @inline(__always)
    func setKey(_ bytes: UnsafeRawBufferPointer) { wiredtiger_set_key_bytes(self, bytes.baseAddress, bytes.count) }

    @inline(__always)
    func setValue(_ number: UInt64) { wiredtiger_set_value_number(self, number) }

    @inline(__always)
    func setValue(_ bytes: UnsafeRawBufferPointer) { wiredtiger_set_value_bytes(self, bytes.baseAddress, bytes.count) }

    /// Fails for existing keys if the cursor is set to refuse them.
    @inline(__always)
    func insert() throws { try WiredTiger.check(wiredtiger_insert(self), "insert") }

    @inline(__always)
    func update() throws { try WiredTiger.check(wiredtiger_update(self), "update") }

    @inline(__always)
    func remove() throws { try WiredTiger.check(wiredtiger_remove(self), "remove") }

    /// Moves to the key that was set. Returns false if it is not there.
    @inline(__always)
    func search() throws -> Bool { try WiredTiger.found(wiredtiger_search(self), "search") }

    /// Moves before the first entry.
    @inline(__always)
    func reset() throws { try WiredTiger.check(wiredtiger_reset(self), "reset") }

    @inline(__always)
    func next() throws -> Bool { try WiredTiger.found(wiredtiger_next(self), "next") }

    /// Moves to the last entry of a cursor that was reset.
    func last() throws -> Bool { try WiredTiger.found(wiredtiger_previous(self), "prev") }

    /// Moves to the first key that is not less than the one that was set. Returns false if there is
    /// none.
    @inline(__always)
    func seek() throws -> Bool {
      var order: Int32 = 0
      guard try WiredTiger.found(wiredtiger_search_near(self, &order), "search_near") else { return false }
      return try order >= 0 || next()
    }

    @inline(__always)
    func keyNumber() throws -> UInt64 {
      var number: UInt64 = 0
      try WiredTiger.check(wiredtiger_get_key_number(self, &number), "get_key")
      return number
    }

    @inline(__always)
    func keyBytes() throws -> UnsafeRawBufferPointer {
      var item = WT_ITEM()
      try WiredTiger.check(wiredtiger_get_key_bytes(self, &item), "get_key")
      return UnsafeRawBufferPointer(start: item.data, count: item.size)
    }

    @inline(__always)
    func valueNumber() throws -> UInt64 {
      var number: UInt64 = 0
      try WiredTiger.check(wiredtiger_get_value_number(self, &number), "get_value")
      return number
    }

    @inline(__always)
    func valueBytes() throws -> UnsafeRawBufferPointer {
      var item = WT_ITEM()
      try WiredTiger.check(wiredtiger_get_value_bytes(self, &item), "get_value")
      return UnsafeRawBufferPointer(start: item.data, count: item.size)
    }

    func close() throws { try WiredTiger.check(wiredtiger_close_cursor(self), "close") }
  }
#endif
