/// Gets calls before objects change.
package protocol ChangeWatching: AnyObject {
  /// Called before a stored object without changes changes. The context is in the middle of the
  /// change, so the call may only read it.
  func willChange(_ object: any _ModelObject)
  /// Called before an object is deleted.
  func willDelete(_ object: any _ModelObject)
}

/// Learns of changes of the program.
protocol WriteNoting: AnyObject {
  /// Called before a setter stores.
  func note(_ object: any _ModelObject, _ property: Int, origin: RowOrigin)
  /// Called if an object is inserted or deleted, or its deletion is undone.
  func noteEntry(_ object: any _ModelObject)
  func noteRollback()
}
