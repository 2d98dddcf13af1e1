import { byText } from '../../protocol/by-text.ts'
import type { NodeReboot } from '../../protocol/node-pool.ts'
import type { RebootRequest } from '../../protocol/reboot-order.ts'
import type { Action } from '../model/decision.ts'
import type { Instant } from '../model/instant.ts'
import type { NodeView } from '../model/node-view.ts'
import { isRequestOver } from '../model/reboot.ts'
import type { Memory, PoolSnapshot } from '../model/snapshot.ts'
import { recorded } from './record.ts'

type Requested = NodeView & { readonly rebootRequest: RebootRequest }

/** A record of each request that the status does not show yet; it shows the first fifty by name. */
export function observeReboots({ nodes, memory }: PoolSnapshot, now: Instant): Memory {
  const asking = nodes.filter((node): node is Requested => node.rebootRequest !== undefined && !isRequestOver(node))
  if (asking.length === 0) return memory
  const shown = asking.sort(byText(({ name }) => name)).slice(0, REBOOTS_SHOWN)
  const before = (memory.reboots ?? []).filter(({ state }) => state !== 'Required')
  const known = new Map(before.map((reboot) => [reboot.node, reboot]))
  const last = before.length === REBOOTS_SHOWN ? (before.at(-1)?.node ?? '') : undefined
  const begun = shown.filter(({ name, rebootRequest: { at } }) => {
    const isShiftedIn = last !== undefined && name > last
    return !isShiftedIn && !isRecorded(known.get(name), at)
  })
  if (begun.length === 0) return memory
  const asked = begun.map(askedOf)
  const names = new Set(begun.map(({ name }) => name))
  let after: Memory = { ...memory, reboots: [...before.filter(({ node }) => !names.has(node)), ...asked] }
  for (const node of begun) after = recordReboot(after, { node, now })
  return after
}

export const REBOOTS_SHOWN = 50

function isRecorded(known: NodeReboot | undefined, at: string | undefined): boolean {
  return known !== undefined && known.at === at
}

function askedOf({ name, rebootRequest: { at, reason }, rebootBy }: Requested): NodeReboot {
  return {
    node: name,
    state: 'Waiting',
    because: reason,
    ...(rebootBy && { who: rebootBy.who }),
    ...(at !== undefined && { at }),
  }
}

function recordReboot(memory: Memory, { node, now }: { readonly node: Requested; readonly now: Instant }): Memory {
  const { reason } = node.rebootRequest
  const effect = {
    action: 'Reboot',
    nodes: [node.name],
    message: 'reboots when it is selected',
    ...(reason !== '' && { value: reason }),
  } as const
  return recorded(memory, { effect, by: node.rebootBy, now })
}

/** Requests whose machines have rebooted. */
export function endedRequests(nodes: readonly NodeView[]): readonly Extract<Action, { kind: 'clearReboot' }>[] {
  const names = nodes.filter(isRequestOver).map(({ name }) => name)
  return names.sort().map((node) => ({ kind: 'clearReboot', node }))
}
