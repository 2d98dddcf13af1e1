import { NO_MEMORY } from '../../src/rollout/snapshot.ts'
import { checkDecision } from './invariants.ts'
import type { Random } from './random.ts'
import type { Effect } from './sim-node.ts'
import type { World } from './world.ts'

const minute = 60_000
const EFFECTS: readonly Effect[] = ['good', 'good', 'crash', 'ruin', 'hang', 'wilt']

/** One event: mostly an agent's step or a pass; now and then time, a commit, a fault or a person. */
export function happen(world: World, random: Random): void {
  const dice = random.next()
  if (dice < 0.5) world.step(random.pick(world.nodes))
  else if (dice < 0.75) pass(world, random)
  else if (dice < 0.87) world.now += random.pick([200, 5_000, minute, 5 * minute])
  else random.pick(EVENTS)(world, random)
}

/** Now and then the controller dies before its nth write; the next pass is another process. */
function pass(world: World, random: Random): void {
  const diesBefore = random.chance(0.2) ? random.below(4) : Number.POSITIVE_INFINITY
  const observed = world.pass({ diesBefore })
  const { actions, status } = observed.decision
  if (actions.length > 0 || diesBefore === 0)
    world.tell(`pass, dies before ${diesBefore}: ${JSON.stringify(actions)} ${status.conditions[0]?.message}`)
  checkDecision(observed)
}

const EVENTS: readonly ((world: World, random: Random) => void)[] = [
  function push(world, random) {
    const effect = random.pick(EFFECTS)
    const old = random.chance(0.3)
    const content = old ? random.pick(world.commits).content : `c${world.commits.length}-${effect}`
    world.push(content, old ? undefined : effect)
    world.tell(`push ${content}`)
  },
  function die(world, random) {
    const node = random.pick(world.nodes)
    world.tell(`${node.name} ${node.dead ? 'revives' : 'dies'}`)
    if (node.dead) node.revive(world.now)
    else node.die(world.now)
  },
  function cordon(world, random) {
    const node = random.pick(world.nodes)
    node.unschedulable = !node.unschedulable
    world.tell(`${node.name} unschedulable: ${node.unschedulable}`)
  },
  function hold(world, random) {
    const node = random.pick(world.nodes)
    node.hold = node.hold === undefined ? 'repair' : undefined
    world.tell(`${node.name} hold: ${node.hold}`)
  },
  function setNodeClock(world, random) {
    const node = random.pick(world.nodes)
    node.clockOff = random.pick([0, -24 * 60 * minute, 24 * 60 * minute])
    world.tell(`${node.name} clock: ${node.clockOff}`)
  },
  /** Another replica takes over, whose clock is not quite the same. */
  function setControllerClock(world, random) {
    world.clockOff = random.pick([0, 0, -3_000, 3_000, -90 * minute])
    world.tell(`controller's clock: ${world.clockOff}`)
  },
  function deleteNodePool(world) {
    if (world.told.length % 4 > 0) return
    world.memory = NO_MEMORY
    world.tell('the NodePool object is deleted, and with it its status')
  },
  function join(world, random) {
    if (world.nodes.length > 14) return
    const name = `j${world.told.length}`
    world.join(name, `zone-${random.below(3)}`)
    world.tell(`${name} joins`)
  },
  function leave(world, random) {
    if (world.nodes.length < 2) return
    const gone = random.pick(world.nodes)
    world.nodes = world.nodes.filter((node) => node !== gone)
    world.tell(`${gone.name} leaves`)
  },
  function pause(world) {
    const { paused, ...others } = world.controls
    world.controls = paused === undefined ? { ...others, paused: '' } : others
    world.tell(`controls: ${JSON.stringify(world.controls)}`)
  },
  function retry(world, random) {
    world.controls = { ...world.controls, retry: random.pick(world.commits).revision }
    world.tell(`controls: ${JSON.stringify(world.controls)}`)
  },
]
