import type { Random } from '../../random.ts'
import { type AppKind, appOf, MAIL } from '../apps.ts'
import type { Fault } from '../faults.ts'
import { goOn } from '../go-on.ts'
import type { World } from '../world.ts'
import { retry } from './retry-follows.ts'

const MINUTE = 60_000
const KINDS: readonly AppKind[] = ['Deployment', 'StatefulSet', 'DaemonSet', 'DaemonSet']

/** Commits break workloads, and others fix them; people retry; machines and people break other workloads, and repair them. */
export function outagesChange(world: World, random: Random): void {
  random.pick(CHANGES)(world, random)
  goOn(world, random.pick([0, 0.5, 2, 5, 10]) * MINUTE)
}

const CHANGES: readonly Fault[] = [
  commitBreaks,
  commitBreaks,
  commitFixes,
  retries,
  retries,
  outageBegins,
  outageEnds,
  waveIsRenamed,
  controllerRestarts,
]

/** It works on every host. */
export function commitBreaks(world: World, random: Random): void {
  const pool = random.pick([...world.pools.keys()])
  const content = `${pool[0]}${world.commits.length}-breaks`
  const all = world.membersOf(pool).map(({ name }) => name)
  const nodes = new Set(random.chance(0.6) ? all : all.filter(() => random.chance(0.5)))
  world.apps?.breaks.set(content, { kind: random.pick(KINDS), nodes, lasts: random.chance(0.15) })
  world.push({ [pool]: content }, 'good', random.pick(['restart', 'drain']))
  world.tell(() => `it breaks ${JSON.stringify(world.apps?.breaks.get(content))} on ${[...nodes].join(', ')}`)
}

function commitFixes(world: World, random: Random): void {
  const pool = random.pick([...world.pools.keys()])
  world.push({ [pool]: `${pool[0]}${world.commits.length}-good` }, 'good', random.pick(['restart', 'drain']))
}

function retries(world: World, random: Random): void {
  retry(random.pick([...world.pools.values()]), world, random.chance(0.5))
}

function outageBegins(world: World, random: Random): void {
  const place = random.chance(0.8) ? MAIL : random.pick([...world.pools.keys()])
  const app = appOf(place, place === MAIL ? 'Deployment' : random.pick(KINDS))
  world.apps?.outages.set(app, 1 + random.below(3))
  world.tell(`${app} is broken by something else`)
}

function outageEnds(world: World): void {
  world.apps?.repair()
  world.tell('workloads are repaired')
}

/** The first one. */
function waveIsRenamed(world: World, random: Random): void {
  const name = random.pick([...world.pools.keys()])
  const policy = world.rules.pools.get(name)
  const [first, ...others] = policy?.waves ?? []
  if (!policy || !first) return
  const renamed = { ...first, name: first.name === 'pilot' ? 'canary' : 'pilot' }
  world.rules.pools.set(name, { ...policy, waves: [renamed, ...others] })
  world.tell(`the first wave of ${name} is called ${renamed.name}`)
}

function controllerRestarts(world: World): void {
  world.restartController()
  world.tell('the controller dies, and another one begins')
}
