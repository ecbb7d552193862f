/// Whoever wants to know what objects were before they change.
package protocol ChangeWatching: AnyObject {
  /// A stored object without changes is about to get some. Its context is in the middle of it, and may only be read.
  func willChange(_ object: any _ModelObject)
  /// An object is about to be deleted.
  func willDelete(_ object: any _ModelObject)
}
