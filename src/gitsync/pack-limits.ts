/** How much a pack may hold. It is checked while the pack arrives, before anything of it is unpacked as a whole. */
export interface PackLimits {
  /** Bytes of one object, unpacked. */
  readonly maxObjectBytes: number
  /** Bytes of all objects together, unpacked. */
  readonly maxUnpackedBytes: number
  readonly maxObjects: number
}

const MIB = 1024 * 1024

export const PACK_LIMITS: PackLimits = { maxObjectBytes: 16 * MIB, maxUnpackedBytes: 512 * MIB, maxObjects: 200_000 }
