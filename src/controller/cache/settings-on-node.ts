import type { Taint } from '../../protocol/node-settings.ts'

/** What is on a Node now, as far as it matters. */
export interface SettingsOnNode {
  /** The record of what the controller wrote. */
  readonly written?: string | undefined
  readonly taints?: readonly Taint[] | undefined
  /** Of the keys that the record names. */
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  /** By subject (`label tier`), who wrote it last; only where something was changed before. */
  readonly managers?: Readonly<Record<string, string>>
}
