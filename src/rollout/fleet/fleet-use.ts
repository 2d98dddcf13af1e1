import { byText } from '../../protocol/by-text.ts'
import { leftByItself, rollbackAsked, rollbackChoices } from '../controls/rollback.ts'
import type { FleetUse, HeldPlaces } from '../model/grant.ts'
import type { PoolSnapshot } from '../model/snapshot.ts'
import { isDependentOn } from '../target/dependencies.ts'
import { strayHolders } from './fleet-budget.ts'
import type { FleetClaims, PoolClaim } from './pool-claim.ts'

export function fleetUse(waiting: PoolSnapshot, { pools, strays = [], claims, budget }: FleetClaims): FleetUse {
  const all = [...claims.values()].sort(byText(({ pool }) => pool.name))
  const held = all.filter(({ holders }) => holders.length > 0).map((claim) => heldBy(claim, { waiting, pools }))
  const ofNone = strayHolders(strays)
  const others = all.filter(({ pool, isWorking }) => isWorking && pool.name !== waiting.name)
  return {
    allowed: budget?.allowed ?? Number.POSITIVE_INFINITY,
    held: [...held, ...(ofNone.length > 0 ? [ofNoPool(ofNone)] : [])],
    sharedWith: others.map(({ pool }) => pool.name),
  }
}

export function awaitedNode(
  node: string,
  waiting: PoolSnapshot,
  { pools, strays = [], claims }: Omit<FleetClaims, 'budget'>,
): HeldPlaces | undefined {
  const claim = [...claims.values()].find(({ holders }) => holders.includes(node))
  if (claim) return { ...heldBy(claim, { waiting, pools }), nodes: [node] }
  return strayHolders(strays).includes(node) ? ofNoPool([node]) : undefined
}

function ofNoPool(nodes: readonly string[]): HeldPlaces {
  return { nodes, waits: false, canRollBack: false, isPaused: false }
}

function heldBy(
  { pool, memory, holders, isPaused }: PoolClaim,
  { waiting, pools }: { readonly waiting: PoolSnapshot; readonly pools: readonly PoolSnapshot[] },
): HeldPlaces {
  const waits = isDependentOn(waiting.name, { pool, pools })
  // The command that is proposed names no commit: it leads to one that completed, unless the pool is on its way there by itself.
  const back = rollbackAsked('', { memory, choices: rollbackChoices(memory, pool.kept ?? pool.known) })
  const canRollBack = waits && back !== undefined && leftByItself(memory) === undefined
  return { pool: pool.name, nodes: holders, waits, canRollBack, isPaused }
}
