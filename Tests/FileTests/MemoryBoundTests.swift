import RoostFile
import Testing

/// The limits of control groups, from their files.
@Suite struct MemoryBoundTests {
  private func bound(_ files: [String: String]) -> UInt64? { MemoryBound.group { files[$0] } }

  @Test func `without groups there is no bound`() {
    #expect(bound([:]) == nil)
    #expect(bound(["/proc/self/cgroup": ""]) == nil)
    #expect(bound(["/proc/self/cgroup": "0::/a\n"]) == nil)
    #expect(bound(["/proc/self/cgroup": "0::/a\n", "/sys/fs/cgroup/a/memory.max": "max\n"]) == nil)
  }

  @Test func `the second version includes the group and all groups above it`() {
    let group = "0::/user.slice/app.service\n"
    let files = [
      "/proc/self/cgroup": group, "/sys/fs/cgroup/user.slice/app.service/memory.max": "max\n",
      "/sys/fs/cgroup/user.slice/app.service/memory.high": "900000\n",
      "/sys/fs/cgroup/user.slice/memory.max": "800000\n",
    ]
    #expect(bound(files) == 800_000)
    #expect(bound(files.filter { !$0.key.contains("user.slice/memory") }) == 900_000)
  }

  @Test func `the first version has its own file`() {
    let files = [
      "/proc/self/cgroup": "12:cpu,cpuacct:/a\n9:memory:/docker/abc\n1:name=systemd:/b\n0::/\n",
      "/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": "536870912\n",
      "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
    ]
    #expect(bound(files) == 536_870_912)
  }

  @Test(arguments: ["0::/docker/abc\n", "0::/../../other\n", "0::/\n"])
  func `in a container the top group is its own`(group: String) {
    #expect(bound(["/proc/self/cgroup": group, "/sys/fs/cgroup/memory.max": "268435456\n"]) == 268_435_456)
  }

  @Test func `invalid lines are skipped`() {
    let files = [
      "/proc/self/cgroup": "\n:\nx\n::\n9:memory\n0::" + String(repeating: "/a", count: 500) + "\n0::/b",
      "/sys/fs/cgroup/memory.max": "-5\n", "/sys/fs/cgroup/b/memory.max": "99999999999999999999999\n",
      "/sys/fs/cgroup/b/memory.high": "4096",
    ]
    #expect(bound(files) == 4096)
  }

  @Test func `this machine reports its memory`() throws {
    let bytes = try #require(MemoryBound.now())
    #expect(bytes > 1 << 20)
    #expect(bytes < 1 << 50)
  }
}
