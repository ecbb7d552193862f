internal import RoostBytes
internal import RoostFile
internal import RoostKV
internal import RoostPages
internal import RoostTrees

extension Trial {
  /// Trial 11: decoders over mutated bytes. They may return anything, but no process may crash.
  package static let decoders = Trial(
    11, "fuzzed decoders", unit: "executions", quota: 20_000_000
  ) { seed, record in
    if RowTrials.takes(seed) { return RowTrials.decoders(seed, record) }
    guard let healthy = HealthyStore(seed &+ 700, isClosed: false) else {
      return record.fail(seed: seed, "the bytes to be changed cannot be made")
    }
    var mutator = Mutator(generator: SplitMix64(seed: seed))
    record.place(seed, 0, image: "pages")
    let pages = healthy.reached.sorted().map { Array(healthy.file[Int($0) * 4096..<Int($0) * 4096 + 4096]) }
    for round in 0..<20_000 {
      var page = mutator.generator.pick(pages)
      mutator.mutate(&page)
      if round % 64 == 0 { record.place(seed, round, image: "page") }
      page.withUnsafeBytes { walk($0.baseAddress!) }
    }
    record.note("pages", 20_000)
    record.place(seed, 0, image: "blocks")
    blocks(&mutator, 20_000)
    record.note("LZ4 blocks and extent lists", 20_000)
    record.count += 40_000
    let log = healthy.crash.image(.all).contents(of: Play.path + "-log") ?? []
    for round in 0..<150 {
      record.place(seed, round, image: "superblock or log")
      let complaint = open(healthy, log, mutator: &mutator, ofLog: round % 2 == 0)
      if let complaint { record.fail(seed: seed, step: round, complaint) }
    }
    record.note("superblocks and logs", 150)
    record.count += 150
  }

  /// Reads everything in a page that passes validation.
  private static func walk(_ page: UnsafeRawPointer) {
    if Complaint.about(PageID(page.u32(8)), page) != nil { return }
    var sum: UInt64 = 0
    let kind = page.u8(0)
    for index in 0..<Node.count(page) {
      if page.u8(1) > 0 {
        sum &+= Child.count(Branch.cell(page, index))
        if kind == Page.Kind.byteBranch.rawValue { sum &+= UInt64(ByteNode.key(page, index).count) }
        continue
      }
      let value = kind == Page.Kind.integerLeaf.rawValue ? IntegerLeaf.value(page, index) : ByteNode.value(page, index)
      for byte in value.bytes { sum &+= UInt64(byte) }
      if value.isExtents, let list = ExtentList(decoding: value.bytes) { sum &+= list.byteCount }
      if kind == Page.Kind.integerLeaf.rawValue {
        sum &+= IntegerLeaf.key(page, index)
        sum &+= UInt64(IntegerLeaf.search(page, sum).index)
      } else {
        let key = ByteNode.key(page, index)
        sum &+= key.withUnsafeBytes { UInt64(ByteNode.search(page, ByteKey($0)).index) }
        if let descriptor = TreeDescriptor(value.bytes) { sum &+= descriptor.extents }
      }
    }
  }

  private static func blocks(_ mutator: inout Mutator, _ rounds: Int) {
    let plain = Change.Value(length: 5000, seed: 5, repeats: true).bytes
    var packed = [UInt8](repeating: 0, count: Compression.bound(plain.count))
    let count = plain.withUnsafeBytes { source in
      packed.withUnsafeMutableBytes { Compression.compress(source, into: $0) }
    }
    packed.removeLast(packed.count - (count ?? 0))
    // One extent at place 9 with 4,000 stored and 5,000 original bytes.
    var list = [UInt8](repeating: 0, count: 38)
    list[1...2] = [0x88, 0x13]
    list[9] = 3
    list[17] = 1
    list[18] = 9
    list[22...23] = [0xA0, 0x0F]
    list[26...27] = [0x88, 0x13]
    list[30] = 77
    var target = [UInt8](repeating: 0, count: plain.count)
    for round in 0..<rounds {
      var bytes = round % 2 == 0 ? packed : list
      mutator.mutate(&bytes)
      if mutator.generator.chance(1, in: 8) { bytes.removeLast(mutator.generator.below(bytes.count)) }
      bytes.withUnsafeBytes { source in
        if round % 2 == 0 {
          _ = target.withUnsafeMutableBytes { Compression.decompress(source, into: $0) }
        } else {
          _ = ExtentList(decoding: source)
        }
      }
    }
  }

  /// Opens a store whose log or superblocks are mutated and then sealed again, so that the code
  /// after the checksums is reached. Any result is allowed, as a value.
  private static func open(_ healthy: HealthyStore, _ log: [UInt8], mutator: inout Mutator, ofLog: Bool) -> String? {
    let image = healthy.crash.image(.all)
    image.recordsSteps = false
    if ofLog {
      var bytes = log
      mutator.mutate(&bytes)
      mutator.reseal(&bytes, healthy.options.segmentBytes)
      _ = image.overwrite(Play.path + "-log", with: bytes)
    } else {
      var bytes = healthy.file
      for slot in 0..<2 {
        var part = Array(bytes[slot * 4096 + 8..<slot * 4096 + 136])
        mutator.mutate(&part)
        bytes.replaceSubrange(slot * 4096 + 8..<slot * 4096 + 136, with: part)
        let check = bytes[slot * 4096..<slot * 4096 + 4088].withUnsafeBytes { Checksum.of($0) }
        let place = slot * 4096 + 4088
        withUnsafeBytes(of: check.littleEndian) { bytes.replaceSubrange(place..<place + 8, with: $0) }
      }
      _ = image.overwrite(Play.path, with: bytes)
    }
    do {
      let store = try KeyValueStore(Play.path, options: healthy.options, fileSystem: image)
      _ = try? store.digest()
      image.stopAfter(step: 0)
      try? store.close()
      return nil
    } catch {
      return error.detail.isEmpty ? "an error without a description" : nil
    }
  }
}
