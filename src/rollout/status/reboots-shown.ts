import { byText } from '../../protocol/by-text.ts'
import type { NodeReboot } from '../../protocol/node-pool.ts'
import { REBOOTS_SHOWN } from '../controls/reboot-requests.ts'
import { stamp } from '../model/instant.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { awaitsReboot, isRequestOver, requiresReboot, waitsAfterReboot } from '../model/reboot.ts'
import { listNames } from '../model/text.ts'

/** Characters: fifty of them stand in one object. */
const LONGEST = 200

/** Nodes that have to reboot, as the status shows them. Those that only their hosts want to reboot get the places that are left. */
export function rebootsOf(members: readonly Member[]): readonly NodeReboot[] {
  const byName: NodeReboot[] = []
  for (const member of members) {
    const reboot = rebootOf(member)
    if (reboot) byName.push(reboot)
  }
  if (byName.length === 0) return byName
  byName.sort(byText(({ node }) => node))
  const { ordered = [], required = [] } = Object.groupBy(byName, ({ state }) => (state === 'Required' ? 'required' : 'ordered'))
  return [...ordered, ...required].slice(0, REBOOTS_SHOWN)
}

function rebootOf(member: Member): NodeReboot | undefined {
  const state = stateOf(member)
  if (state === undefined) return undefined
  const { name, assigned, rebootRequest, rebootBy } = member.node
  const since = state === 'Rebooting' || state === 'Failed' ? assigned?.at : undefined
  const isAsked = rebootRequest !== undefined && !isRequestOver(member.node)
  return {
    node: name,
    state,
    because: causeOf(member, isAsked ? rebootRequest.reason : '').slice(0, LONGEST),
    ...(since !== undefined && { since: stamp(since) }),
    ...(isAsked && rebootBy && { who: rebootBy.who }),
    ...(isAsked && rebootRequest.at !== undefined && { at: rebootRequest.at }),
  }
}

function stateOf({ node, report, reboot, progress }: Member): NodeReboot['state'] | undefined {
  const isAsked = node.rebootRequest !== undefined && node.rebootRequest.boot === node.bootId
  if (reboot !== undefined || (isAsked && !awaitsReboot(node))) return 'Waiting'
  if (awaitsReboot(node)) return progress.failure ? 'Failed' : 'Rebooting'
  if (progress.phase === 'Rebooting') return 'Rebooting'
  const asks = report?.phase === 'Blocked' && report.needs === 'reboot'
  return requiresReboot(node) && !asks ? 'Required' : undefined
}

function causeOf({ node: { status } }: Member, reason: string): string {
  return reason !== '' || status?.reboot === undefined ? reason : status.reboot.because.join(', ')
}

/** `; "worker-1" reboots since 2026-11-21T08:00:00.000Z` */
export function describeReboots(members: readonly Member[]): string {
  const underway = rebootsOf(members).filter(({ state }) => state === 'Rebooting')
  const [first, ...others] = underway
  if (first === undefined) return ''
  const more = others.length === 0 ? '' : `; and ${others.length} more`
  return `; "${first.node}" reboots${first.since === undefined ? '' : ` since ${first.since}`}${more}`
}

/** `; 3 nodes require a reboot: "a", "b", "c"`: nothing happens to them by itself. */
export function describeRequired({ notAtRest, pool, clock }: PoolState): string {
  const required = notAtRest.filter((member) => stateOf(member) === 'Required').map(({ node }) => node)
  if (required.length === 0) return ''
  const names = required.map(({ name }) => name).sort()
  const count = names.length === 1 ? '1 node requires' : `${names.length} nodes require`
  const again = required.filter((node) => waitsAfterReboot(node, clock) !== undefined).map(({ name }) => name)
  const waits = pool.policy.reboot?.whenRequired === 'InWindows' && again.length > 0
  return `; ${count} a reboot: ${listNames(names)}${waits ? `; less than a day after their last reboot: ${listNames(again.sort())}` : ''}`
}
