/// The largest sizes of parts of an import. A program may raise them.
package struct TransferLimits: Hashable, Sendable {
  package var recordBytes = 16 << 20
  package var fieldBytes = 16 << 20
  package var columns = 4096
  package var depth = 64

  package init() {}
}
