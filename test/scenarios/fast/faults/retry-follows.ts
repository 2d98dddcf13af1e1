import type { Random } from '../../random.ts'
import { fingerprintOf } from '../content.ts'
import type { Effect } from '../effect.ts'
import { goOn } from '../go-on.ts'
import { TIER } from '../rules/labelled-waves.ts'
import { defectKey, type SimPool, type World } from '../world.ts'

/** `crash` is RolledBack, `ruin` and `wilt` are NotReady, `stale` is VersionMismatch, `silent` is AgentSilent, `hang` is ApplyTimeout. */
const DEFECTS: readonly Effect[] = ['crash', 'ruin', 'hang', 'wilt', 'wilt', 'stale', 'stale', 'silent']

/** Machines of one kind mostly fail together. */
const TIERS = ['canary', 'early', 'none']

const MINUTE = 60_000

/** A commit arrives that fails on some machines, or on all; when it has failed, people repair some of them, or none, and retry it. */
export function retryFollows(world: World, random: Random): void {
  const pool = random.pick([...world.pools.values()])
  if (hasFailed(pool, world)) repairAndRetry(pool, world, random)
  else commitFails(pool, world, random)
  goOn(world, random.pick([2, 15, 15]) * MINUTE)
}

function repairAndRetry(pool: SimPool, world: World, random: Random): void {
  if (random.chance(0.5)) repairSome(pool, world, random)
  if (random.chance(0.8)) retry(pool, world, random.chance(0.5))
}

/** As a whole, or on nodes within the limit. */
function hasFailed({ name, memory: { rejected, failed } }: SimPool, { head }: World): boolean {
  const content = head.contents.get(name) ?? ''
  return failed.length > 0 || rejected.some(({ fingerprint }) => fingerprint === fingerprintOf(content))
}

function commitFails({ name }: SimPool, world: World, random: Random): void {
  const effect = random.pick(DEFECTS)
  const content = `${name[0]}${world.commits.length}-${effect}`
  const isEverywhere = random.chance(0.2)
  const tier = random.pick(TIERS)
  world.push({ [name]: content }, isEverywhere ? effect : 'good', random.pick(['restart', 'drain']))
  if (isEverywhere) return
  for (const node of world.membersOf(name))
    if (random.chance((node.labels[TIER] ?? 'none') === tier ? 0.8 : 0.1))
      world.defects.set(defectKey(node.name, content), effect)
  world.tell(() => `it is ${effect}: ${[...world.defects.keys()].filter((key) => key.startsWith(content)).join(', ')}`)
}

/** What was to blame outside of machines is repaired for all of them; hosts are repaired one by one. */
function repairSome({ name }: SimPool, world: World, random: Random): void {
  const content = world.head.contents.get(name) ?? ''
  if (random.chance(0.5)) world.effects.set(content, 'good')
  for (const node of world.membersOf(name)) {
    if (!random.chance(0.5)) continue
    world.defects.delete(defectKey(node.name, content))
    if (random.chance(0.5)) node.repair(world.now)
    world.tell(`${node.name} is repaired`)
  }
}

/** A promotion in the same moment is of the rollout that begins now. */
export function retry(pool: SimPool, world: World, promotes: boolean): void {
  const { revision } = world.head
  world.control(pool, { ...pool.controls, retry: revision, ...(promotes && { promoted: revision }) })
}
