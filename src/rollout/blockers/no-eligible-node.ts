import type { Aside } from '../drain/cordon.ts'
import { countNodes, isWaveDone } from '../exposure/wave-progress.ts'
import type { Member, PoolState } from '../model/pool-state.ts'
import { listNames, shortName } from '../model/text.ts'
import type { Blocker } from './blocker.ts'

type Cause = Aside['because'] | 'Held' | 'Unmanaged' | 'Leaving' | 'Down'

/** What is said of such nodes. Those that are down, and those whose drain was given up, come back by themselves, or may. */
const TOLD: Readonly<Record<Cause, string>> = {
  Held: 'held; include it with: nodewave release',
  Unmanaged: 'assigned by hand; remove the annotation desired-config',
  Leaving: 'being deleted',
  Cordoned: 'cordoned by somebody else; run: kubectl uncordon',
  Released: 'uncordoned during its drain; it waits for another commit, or remove the annotation cordoned-for',
  Skipped: 'skipped because its drain took too long; it is drained again after another timeout',
  Down: 'not Ready',
}

/** Whom the newest open wave consists of is left out or out of reach: nobody is there to try the target, so no wave can end. */
export function noEligibleNode(poolState: PoolState): Blocker | undefined {
  const { members, rollout, open } = poolState
  if (rollout.state !== 'InProgress' || isWaveDone(poolState) || countNodes(poolState).pending > 0) return undefined
  const concerned = members.filter(({ wave = open }) => wave === open)
  const causes = Map.groupBy(concerned, causeOf)
  if (concerned.length === 0 || causes.has(undefined)) return undefined
  const told = [...causes].flatMap(([cause, left]) => (cause ? [`${namesOf(left)}: ${TOLD[cause]}`] : [])).sort()
  const message = `no eligible node for ${shortName(rollout.target)}; ${told.join('; ')}`
  return { reason: 'NoEligibleNode', message, stalls: !causes.has('Down') && !causes.has('Skipped') }
}

/** @returns undefined for a node that something is still to be expected of. */
function causeOf({ progress: { phase, pending, failure }, drain }: Member): Cause | undefined {
  if (pending || failure) return undefined
  if (phase === 'Held' || phase === 'Unmanaged' || phase === 'Leaving') return phase
  if (drain?.kind === 'Aside') return drain.because
  return phase === 'Unreachable' ? 'Down' : undefined
}

function namesOf(left: readonly Member[]): string {
  return listNames(left.map(({ node }) => node.name).sort())
}
