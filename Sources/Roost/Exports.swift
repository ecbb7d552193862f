/// The reports of backups, verification, compaction and salvage.
@_exported public import struct RoostCare.BackupProgress
@_exported public import struct RoostCare.Compaction
@_exported public import struct RoostCare.Salvage
@_exported public import struct RoostCare.SalvageProgress
@_exported public import struct RoostCare.Verification
@_exported public import struct RoostCare.VerificationProgress
