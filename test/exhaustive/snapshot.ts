import type { FleetSnapshot } from '../../src/rollout/decide-fleet.ts'
import type { NodeView } from '../../src/rollout/model/node-view.ts'
import type { PoolSnapshot, Revision } from '../../src/rollout/model/snapshot.ts'
import type { Content, Scope } from './scope.ts'
import { bootId, isReady, type NodeState, revisionName, type State } from './state.ts'

const NO_LABELS = {}
const ONE_ZONE = 'zone-0'

/** What the controller sees of the state. */
export function snapshotOf(state: State, scope: Scope): FleetSnapshot {
  const commits = commitsOf(scope).slice(0, state.head + 1)
  const kept = new Set(commits.map((content, index) => revisionName(index, content)))
  const pools = state.pools.map(({ name, memory, controls }): PoolSnapshot => {
    const policy = scope.pools.get(name)?.policy
    const nodes = state.nodes.filter(({ pool }) => pool === name).map(viewOf)
    const revisions = commits.map((content, index) => revisionOf(content, { index, nodes, commits }))
    const head = revisions.at(-1)
    if (!policy || !head) throw new Error(`pool "${name}" is not in the scope "${scope.name}"`)
    const known = new Map(revisions.map((revision) => [revision.revision, revision]))
    return { name, policy, nodes, head, known, kept, memory, controls }
  })
  return { pools, policy: scope.fleet, controls: state.controls }
}

/** The scope's own, and one more with which operators help at the end. */
export function commitsOf({ commits }: Scope): readonly Content[] {
  return [...commits, { name: 'fresh', effect: 'good' }]
}

function viewOf(node: NodeState): NodeView {
  if (node.seenAs) return node.seenAs
  return shownOf(node)
}

/** The node as the API server shows it. */
export function shownOf(node: NodeState): NodeView {
  const { name, createdAt, readySince, unschedulable, held, assigned, status, rebootRequest } = node
  return {
    name,
    createdAt,
    readySince,
    unschedulable,
    labels: NO_LABELS,
    zone: ONE_ZONE,
    kubeletVersion: '1.36.3',
    ready: isReady(node),
    assignedByHand: false,
    ...(held && { hold: 'repair' }),
    bootId: bootId(node),
    ...(rebootRequest && { rebootRequest }),
    ...(assigned && { assigned }),
    ...(status && { status }),
  }
}

interface Rendering {
  readonly index: number
  readonly nodes: readonly NodeView[]
  readonly commits: readonly Content[]
}

function revisionOf(content: Content, { index, nodes, commits }: Rendering): Revision {
  const wanted = new Map(
    nodes.map(({ name, status }) => {
      const disruption = disruptionFrom(status?.active, { content, commits })
      return [name, { kind: 'config', digest: content.name, disruption } as const]
    }),
  )
  return { revision: revisionName(index, content), fingerprint: fingerprintOf(content.name), wanted }
}

/** What counts only after a reboot ends only with another one, too. */
export function disruptionFrom(
  active: string | undefined,
  { content, commits }: { readonly content: Content; readonly commits: readonly Content[] },
): 'none' | 'restart' | 'reboot' {
  if (active === content.name) return 'none'
  return content.reboots || commits.find(({ name }) => name === active)?.reboots ? 'reboot' : 'restart'
}

export function fingerprintOf(content: string): string {
  return `of ${content}`
}
