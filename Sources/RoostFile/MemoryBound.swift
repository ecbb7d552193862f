#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The memory that this process may use: the machine's, or less if a control group of Linux limits
/// it.
///
/// ## Layout
/// ```
/// /proc/self/cgroup   lines of number:controllers:path
/// version 2           number 0, no controllers   /sys/fs/cgroup<path>/memory.max, memory.high
/// version 1           controllers with memory    /sys/fs/cgroup/memory<path>/memory.limit_in_bytes
/// ```
/// Every group above a group limits it too, so all are read. In a container the path may be that of
/// the host, which does not exist there. Then the top of the mounted folder is the container's
/// group.
package enum MemoryBound {
  /// The present limit in bytes; nil if it is unknown.
  package static func now() -> UInt64? {
    let group = group { text(of: $0) }
    guard let physical else { return group }
    return min(physical, group ?? physical)
  }

  /// The machine's memory.
  static var physical: UInt64? {
    #if canImport(Darwin)
      var bytes: UInt64 = 0
      var size = MemoryLayout<UInt64>.size
      return sysctlbyname("hw.memsize", &bytes, &size, nil, 0) == 0 && bytes > 0 ? bytes : nil
    #else
      let (pages, pageBytes) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
      return pages > 0 && pageBytes > 0 ? UInt64(pages) * UInt64(pageBytes) : nil
    #endif
  }

  /// The lowest limit of the control groups of this process, read from files by `read`; nil if
  /// there is none.
  package static func group(_ read: (String) -> String?) -> UInt64? {
    guard let groups = read("/proc/self/cgroup") else { return nil }
    var lowest: UInt64?
    for line in groups.split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      let isSecond = fields[0] == "0" && fields[1].isEmpty
      guard isSecond || fields[1].split(separator: ",").contains("memory") else { continue }
      let files = isSecond ? ["memory.max", "memory.high"] : ["memory.limit_in_bytes"]
      for folder in folders(isSecond ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory", fields[2]) {
        for file in files {
          // "max" is not a number, and no limit.
          guard let bytes = read(folder + "/" + file).flatMap({ UInt64($0.prefix { $0.isNumber }) }) else { continue }
          lowest = min(lowest ?? bytes, bytes)
        }
      }
    }
    return lowest
  }

  /// The folders of a group and of all groups above it.
  private static func folders(_ top: String, _ path: Substring) -> [String] {
    var folders = [top]
    for name in path.split(separator: "/").prefix(64) {
      // A group outside the mounted folder.
      if name == ".." { return [top] }
      folders.append(folders[folders.count - 1] + "/" + name)
    }
    return folders
  }

  /// The first bytes of a small system file; nil if it cannot be read.
  private static func text(of path: String) -> String? {
    guard let file = try? DiskFileSystem.shared.open(path, .read) else { return nil }
    defer { file.close() }
    var bytes = [UInt8](repeating: 0, count: 4096)
    guard let count = try? bytes.withUnsafeMutableBytes({ try file.readOnce(into: $0, at: 0) }) else { return nil }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
