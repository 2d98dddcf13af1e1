import { waveMembership, wavesOf, withFirstNode } from '../exposure/waves.ts'
import { isApplied } from '../model/agent-report.ts'
import type { Blocker } from '../model/blocker.ts'
import { isUnderDrain } from '../model/cordon.ts'
import type { Instant } from '../model/instant.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { awaitsReboot } from '../model/reboot.ts'
import { listNames } from '../model/text.ts'

/**
 * Reboots of a pool whose content stays go through its waves, too: a wave begins when those before it have rebooted, and were Ready for their
 * soak. Gates and promotions are for content. One that fails stops them all.
 */
export function rebootOrder(state: PoolState): (member: Member) => Blocker | undefined {
  let order: Order | undefined
  return (member) => {
    // What has begun ends: its place in the budget may be what the others wait for.
    if (member.reboot === undefined || isUnderDrain(member.node)) return undefined
    order ??= orderOf(state)
    if (order.failed) return order.failed
    const { waveOf, open } = order
    if (open === undefined || (waveOf.get(member.node.name) ?? 0) <= open.index) return undefined
    return waitFor(member, open)
  }
}

interface Order {
  readonly failed: Blocker | undefined
  readonly waveOf: ReadonlyMap<string, number>
  /** The first wave that has not rebooted; undefined: all have. */
  readonly open: OpenWave | undefined
}

interface OpenWave {
  readonly index: number
  readonly name: string
  /** When its soak ends; undefined: nodes of it have yet to reboot. */
  readonly until: Instant | undefined
}

function orderOf(state: PoolState): Order {
  const { pool, members } = state
  const nodes = members.map(({ node: { name, labels } }) => ({ name, labels }))
  const waves = withFirstNode(wavesOf(pool.policy), { nodes })
  const waveOf = waveMembership(waves, { pool: pool.name, nodes })
  let open: OpenWave | undefined
  for (const member of members) {
    const index = waveOf.get(member.node.name) ?? 0
    const wave = waves[index]
    if (wave === undefined || (open && index > open.index)) continue
    const until = soaksUntil(member, wave.soak)
    if (until <= state.now) continue
    const before = open?.index === index ? open.until : 0
    const latest = before === undefined || until === FOREVER ? undefined : Math.max(before, until)
    open = { index, name: wave.name, until: latest }
  }
  return { failed: failedReboot(state), waveOf, open }
}

function failedReboot({ notAtRest }: PoolState): Blocker | undefined {
  const names = notAtRest.filter(hasFailed).map(({ node }) => node.name)
  if (names.length === 0) return undefined
  const message = `no further node reboots: ${listNames(names.sort())} failed at its reboot; repair it, or hold it`
  return { reason: 'RebootFailed', message, stalls: true }
}

function hasFailed({ node, progress }: Member): boolean {
  return node.assigned?.reboot !== undefined && progress.failure !== undefined && node.hold === undefined
}

function waitFor({ node }: Member, { name, until }: OpenWave): Blocker {
  const message = `"${node.name}" reboots after wave "${name}"${until === undefined ? '' : ', which soaks'}`
  return { reason: 'Rebooting', message, stalls: false, ...(until !== undefined && { until }) }
}

const FOREVER = Number.POSITIVE_INFINITY

/** Until when the later waves wait for it: not for one that is held, or being deleted, whether or not its reboot was ordered. */
function soaksUntil({ node, report, reboot, exposure, progress }: Member, soak: number): Instant {
  if (exposure.content === 'none') return 0
  if (reboot !== undefined) return progress.phase === 'Skipped' || progress.phase === 'Unreachable' ? 0 : FOREVER
  if (node.assigned?.reboot === undefined || hasHadItsTime(progress)) return 0
  if (awaitsReboot(node) || !isApplied(report) || !node.ready || progress.pending) return FOREVER
  return Math.max(node.readySince, Date.parse(report?.since ?? '') || 0) + soak
}

/** It was down when its reboot was ordered, so that says nothing, and has been down for as long as the reboot may take. */
function hasHadItsTime({ phase, pending, until }: Member['progress']): boolean {
  return phase === 'Unreachable' && !pending && until === undefined
}
