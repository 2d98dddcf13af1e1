import { byText } from '../../protocol/by-text.ts'
import { HELD_SHOWN, type HeldNode } from '../../protocol/node-pool.ts'
import type { Instant } from '../model/instant.ts'
import type { NodeView } from '../model/node-view.ts'
import type { Memory, PoolSnapshot } from '../model/snapshot.ts'
import { isSignedFor, recorded } from './record.ts'

type Held = NodeView & { readonly hold: string }

/** The nodes that people hold now, and a record of each that is new or gone. */
export function observeHolds({ nodes, memory }: PoolSnapshot, now: Instant): Memory {
  const all = nodes.filter((node): node is Held => node.hold !== undefined)
  if (all.length + memory.held.length === 0) return memory
  const shown = all.toSorted(byText(({ name }) => name)).slice(0, HELD_SHOWN)
  const known = new Map(memory.held.map((held) => [held.node, held]))
  const released = releasedOf(memory.held, nodes)
  const begun = shown.filter((node) => known.get(node.name)?.reason !== node.hold && !isShiftedIn(node, memory.held))
  const held = shown.map((node) => {
    const before = known.get(node.name)
    return before?.reason === node.hold ? before : heldNode(node, memory)
  })
  let after: Memory = { ...memory, held }
  for (const node of released) after = recordHold(after, { node, action: 'Release', now })
  for (const node of begun) after = recordHold(after, { node, action: 'Hold', now })
  return after
}

function releasedOf(held: readonly HeldNode[], nodes: readonly NodeView[]): readonly NodeView[] {
  if (held.length === 0) return []
  const names = new Set(held.map(({ node }) => node))
  return nodes.filter((node) => names.has(node.name) && node.hold === undefined).sort(byText(({ name }) => name))
}

/** It was held before, and only became one of the first fifty because another was released. */
function isShiftedIn({ name }: NodeView, before: readonly HeldNode[]): boolean {
  return before.length === HELD_SHOWN && name > (before.at(-1)?.node ?? '')
}

function heldNode({ name, hold, heldBy }: Held, memory: Memory): HeldNode {
  const signed = isSignedFor({ action: 'Hold', nodes: [name] }, heldBy, memory)
  return { node: name, reason: hold, ...(signed && heldBy) }
}

function recordHold(
  memory: Memory,
  { node, action, now }: { readonly node: NodeView; readonly action: 'Hold' | 'Release'; readonly now: Instant },
): Memory {
  const message = action === 'Hold' ? 'excluded from rollouts' : 'included in rollouts again'
  const value = node.hold ? { value: node.hold } : {}
  return recorded(memory, { effect: { action, nodes: [node.name], message, ...value }, by: node.heldBy, now })
}
