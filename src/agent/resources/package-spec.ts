import type { PackageWish } from '../package-manager.ts'

export interface PackageSpec extends PackageWish {
  /** Missing: as it is. */
  readonly held?: boolean | undefined
  /** Where it is not installed, it stays so. */
  readonly ifInstalled?: boolean | undefined
  /** Directory to which its archive is unpacked before anything is disturbed, so that what it brings can be judged. */
  readonly unpackTo?: string | undefined
  /** Whose package it is. Missing: of the one that the host has. */
  readonly manager?: string | undefined
}

export interface PackageItem extends PackageWish {
  readonly held: boolean
  /** What is installed: what was staged is for a change of this. */
  readonly from?: string | undefined
  /** Only whether it is held differs. */
  readonly fits: boolean
  readonly unpackTo?: string | undefined
  /** The kernel that runs goes, with its modules. */
  readonly endsKernel?: boolean
}

export interface PackageChange {
  readonly items: readonly PackageItem[]
}
