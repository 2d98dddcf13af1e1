import type { NodeSettings } from '../../protocol/node-settings.ts'
import type { SettingsRepair } from './settings-drift.ts'

/** What others changed of the Node's settings, written again. For the rollout nothing changes. */
export interface RestoreSettings {
  readonly kind: 'restore'
  readonly node: string
  readonly pool: string
  readonly settings: NodeSettings
  readonly repair: SettingsRepair
}
