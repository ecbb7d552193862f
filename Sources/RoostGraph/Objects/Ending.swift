internal import CRetain

/// Whether the last reference to an object is gone, so that it must not be kept. A user's `deinit` may read its object, and even change it;
/// a collection that kept it then would keep memory that is given back after the `deinit`.
func isEnding(_ object: any _ModelObject) -> Bool {
  guard let memory = swift_tryRetain(Unmanaged.passUnretained(object as AnyObject).toOpaque()) else { return true }
  Unmanaged<AnyObject>.fromOpaque(memory).release()
  return false
}
