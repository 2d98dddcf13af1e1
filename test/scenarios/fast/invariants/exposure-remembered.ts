import { digestFor, fingerprintOf } from '../content.ts'
import type { Invariant } from '../invariants.ts'
import type { SimNode } from '../sim-node.ts'
import type { SimPool, World } from '../world.ts'
import { wasSound } from './canary-exposure.ts'

/** Of what really happened, as far as the nodes still show it, and not of what a status says. */
export const exposureRemembered: Invariant = {
  claim: 'no more sound nodes get the target in the first wave than it has places, whatever a tool has made of the status',
  ofWorld: (world) => world.truth === undefined || [...world.pools.values()].every((pool) => keepsToPlaces(pool, world)),
}

function keepsToPlaces(pool: SimPool, world: World): boolean {
  const { wave, history, target } = pool.memory
  const canary = world.rules.pools.get(pool.name)?.waves[0]
  const [run] = history
  if (!canary || !('count' in canary.nodes) || wave?.name !== canary.name || wave.index !== 1 || wave.count === 1) return true
  if (run?.result !== 'Running' || target === undefined || !exposesAnother(pool, world)) return true
  const { exposed = new Set<SimNode>() } = world.truth?.of(pool.name) ?? {}
  const content = target.fingerprint.slice('of '.length)
  const shown = [...exposed].filter((node) => isShown(node, { pool: pool.name, content, world }) && wasSound(node.view(), run))
  return shown.length <= canary.nodes.count
}

function exposesAnother({ name, memory: { target } }: SimPool, { takes }: World): boolean {
  return takes.some(({ node, digest, exposes }) => exposes && node.pool === name && fingerprintOf(digest) === target?.fingerprint)
}

/** What a host runs that has lost its assignment is assigned again in waves, as docs/agent.md says. */
function isShown(
  node: SimNode,
  { pool, content, world }: { readonly pool: string; readonly content: string; readonly world: World },
): boolean {
  const { assigned, leaving } = node.shown
  if (world.nodes.get(node.name) !== node || node.pool !== pool || leaving) return false
  return assigned?.digest === digestFor(content, node.labels)
}
