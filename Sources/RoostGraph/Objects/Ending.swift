internal import CRetain

/// Whether the release of an object has begun, so that it must not be retained. A user's `deinit`
/// may read and change its object. A collection that kept the object then would keep memory that is
/// freed after the `deinit`.
func isEnding(_ object: any _ModelObject) -> Bool {
  guard let memory = swift_tryRetain(Unmanaged.passUnretained(object as AnyObject).toOpaque()) else { return true }
  Unmanaged<AnyObject>.fromOpaque(memory).release()
  return false
}
