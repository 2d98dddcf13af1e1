import type { KubeObject } from '../../../src/kube/kube-api.ts'
import { parseAgentStatus } from '../../../src/protocol/agent-status.ts'
import { type DesiredConfig, parseDesiredConfig } from '../../../src/protocol/desired-config.ts'
import { namesFor } from '../../../src/protocol/names.ts'
import type { StoredChange } from '../../../src/sim/apiserver/storage/change.ts'

const names = namesFor()

/** A Node's desired-config was written. */
export interface Assignment {
  readonly node: string
  readonly desired: DesiredConfig
  readonly before: KubeObject
}

/** @returns undefined for every other change of a Node */
export function assignmentIn({ entry, previous }: StoredChange): Assignment | undefined {
  const [after, before] = [entry.object as unknown as KubeObject, previous?.object as unknown as KubeObject | undefined]
  const text = after.metadata.annotations?.[names.desiredConfig]
  if (before === undefined || text === undefined || text === before.metadata.annotations?.[names.desiredConfig]) return undefined
  return { node: after.metadata.name, desired: parseDesiredConfig(text), before }
}

export function desiredOf(node: KubeObject): DesiredConfig | undefined {
  const text = node.metadata.annotations?.[names.desiredConfig]
  return text === undefined ? undefined : parseDesiredConfig(text)
}

/** The agent has ended what is assigned, and the node is whole, with the new configuration or with the one from before. */
export function hasEnded(node: KubeObject): boolean {
  const phase = phaseOf(node)
  return phase === 'Applied' || phase === 'RolledBack'
}

/** It waits for a greater grant, and has not disturbed anything yet. */
export function isBlocked(node: KubeObject): boolean {
  return phaseOf(node) === 'Blocked'
}

/** What the agent says of what is assigned now. */
function phaseOf(node: KubeObject): string | undefined {
  const [desired, status] = [desiredOf(node), parseAgentStatus(node.metadata.annotations?.[names.status])]
  const speaksOfIt = desired !== undefined && status?.digest === desired.DIGEST && status?.assignedAt === desired.ASSIGNED
  return speaksOfIt ? status?.phase : undefined
}

export function activeDigest(node: KubeObject): string | undefined {
  return parseAgentStatus(node.metadata.annotations?.[names.status])?.active
}

export function isAvailable(node: KubeObject): boolean {
  const { unschedulable } = (node.spec ?? {}) as { unschedulable?: boolean }
  return unschedulable !== true && isReady(node)
}

export function isReady(node: KubeObject): boolean {
  const { conditions = [] } = (node.status ?? {}) as { conditions?: readonly { type: string; status: string }[] }
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
}
