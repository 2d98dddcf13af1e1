import { hasLostItsNodes, isWaveDone, lacksProof } from '../exposure/wave-progress.ts'
import { isSelected } from '../exposure/waves.ts'
import type { Blocker } from '../model/blocker.ts'
import type { Aside } from '../model/cordon.ts'
import type { WavePolicy } from '../model/policy.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { listNames, NAMES_SHOWN, shortName } from '../model/text.ts'

type Cause = Aside['because'] | 'Held' | 'Unmanaged' | 'Leaving' | 'Down'

/** Those that are down, and those whose drain was given up, come back by themselves, or may. */
const TOLD: Readonly<Record<Cause, string>> = {
  Held: 'held; include it with: nodewave release',
  Unmanaged: 'assigned by hand; remove the annotation desired-config',
  Leaving: 'being deleted',
  Cordoned: 'cordoned by somebody else; run: kubectl uncordon',
  Released: 'uncordoned during its drain; it waits for another commit, or remove the annotation cordoned-for',
  Skipped: 'skipped because its drain took too long; it is drained again after another timeout',
  Down: 'not Ready',
}

/** All that the newest open wave consists of is left out or out of reach: nobody is there to try the target, so no wave can end. */
export function noEligibleNode(poolState: PoolState): Blocker | undefined {
  const { members, rollout, waves, open } = poolState
  if (rollout.state !== 'InProgress' || isWaveDone(poolState) || poolState.counts.waves.pending > 0) return undefined
  const wave = waves[open]
  const isNeeded = lacksProof(poolState) ? ({ changes }: Member) => changes : () => true
  const ofNewest = members
    .filter((member) => (member.wave === undefined ? isFit(member, wave) : member.wave === open))
    .filter(isNeeded)
  if (ofNewest.length === 0 && hasLostItsNodes(poolState)) return allGone(poolState)
  // A wave without nodes ends by what those before it answer.
  const concerned = ofNewest.length > 0 ? ofNewest : members.filter((member) => (member.wave ?? open) < open)
  const causes = Map.groupBy(concerned, causeOf)
  if (concerned.length === 0 || causes.has(undefined)) return undefined
  const told = [...causes].flatMap(([cause, left]) => (cause ? [describe(cause, left)] : [])).sort()
  const message = `no eligible node for ${shortName(rollout.target)}; ${told.join('; ')}`
  return { reason: 'NoEligibleNode', message, stalls: !causes.has('Down') && !causes.has('Skipped') }
}

/** It belongs to no wave now; it could to this one. */
function isFit({ node }: Member, wave: WavePolicy | undefined): boolean {
  return !wave || !('matchLabels' in wave.nodes) || isSelected(node, wave)
}

function allGone({ rollout, waves, open }: PoolState): Blocker {
  const left = `no node is left that wave "${waves[open]?.name}" selects; label another node for it, or change the wave`
  return { reason: 'NoEligibleNode', message: `no eligible node for ${shortName(rollout.target)}; ${left}`, stalls: true }
}

/** @returns undefined for a node that something is still to be expected of. */
function causeOf({ progress: { phase, pending, failure }, drain }: Member): Cause | undefined {
  if (pending || failure) return undefined
  if (phase === 'Held' || phase === 'Unmanaged' || phase === 'Leaving') return phase
  if (drain?.kind === 'Aside') return drain.because
  return phase === 'Unreachable' ? 'Down' : undefined
}

/** Causes whose remedy is a command that ends with the nodes. */
const BY_COMMAND: ReadonlySet<Cause> = new Set(['Held', 'Cordoned'])

function describe(cause: Cause, left: readonly Member[]): string {
  const names = left.map(({ node }) => node.name).sort()
  const ofCommand = BY_COMMAND.has(cause) && names.length <= NAMES_SHOWN ? ` ${names.join(' ')}` : ''
  return `${listNames(names)}: ${TOLD[cause]}${ofCommand}`
}
