import type * as z from 'zod'
import { cluster } from './schema/cluster.ts'
import { flagSet } from './schema/flag-set.ts'
import { fleet } from './schema/fleet.ts'
import { hostProfile } from './schema/host-profile.ts'
import { kubeletConfig } from './schema/kubelet-config.ts'
import { kubeletRelease } from './schema/kubelet-release.ts'
import { nodeOverride } from './schema/node-override.ts'
import { nodePool } from './schema/node-pool.ts'

/** Every kind of document that people write, with its schema. */
export const KINDS = {
  Cluster: cluster,
  Fleet: fleet,
  NodePool: nodePool,
  FlagSet: flagSet,
  KubeletConfig: kubeletConfig,
  KubeletRelease: kubeletRelease,
  HostProfile: hostProfile,
  NodeOverride: nodeOverride,
} as const

export type Kind = keyof typeof KINDS
export type SpecOf<K extends Kind> = z.infer<(typeof KINDS)[K]>['spec']

export function isKind(value: unknown): value is Kind {
  return typeof value === 'string' && Object.hasOwn(KINDS, value)
}
