import Roost
import RoostGraph
import RoostPages
import RoostTestSupport

/// A container on a simulated file system, so that tests can make its file operations fail.
struct DoorStore {
  let files: SimulatedFileSystem
  let container: ModelContainer
  let store: GraphStore

  /// - Parameters:
  ///   - files: the file system.
  ///   - cacheBytes: bytes of the page cache. A small cache makes objects be read from the file.
  init(_ files: SimulatedFileSystem = SimulatedFileSystem(), cacheBytes: Int? = nil) throws {
    self.files = files
    var opened: GraphStore?
    var options = StoreOptions()
    if let cacheBytes { options.cacheBytes = cacheBytes }
    container = try ModelContainer(Schema([School.self, Pupil.self, Club.self, Teacher.self, Thing.self, Sheet.self])) {
      plans, _ in
      let store = try GraphStore("/store.roost", plans, options: options, fileSystem: files)
      opened = store
      return store
    }
    guard let opened else { throw GraphFault(.closed, "the container opened no store") }
    store = opened
  }
}
