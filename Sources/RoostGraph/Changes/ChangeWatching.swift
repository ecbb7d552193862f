/// Is told of objects before they change.
package protocol ChangeWatching: AnyObject {
  /// A stored object without changes is about to change. Its context is in the middle of the change
  /// and may only be read.
  func willChange(_ object: any _ModelObject)
  /// An object is about to be deleted.
  func willDelete(_ object: any _ModelObject)
}
