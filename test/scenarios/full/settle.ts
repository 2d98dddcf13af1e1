import type { KubeObject } from '../../../src/kube/kube-api.ts'
import type { NodePoolStatus } from '../../../src/protocol/node-pool.ts'
import { activeDigest, desiredOf, hasEnded, isReady } from './assignment.ts'
import type { Content } from './commits.ts'
import { Trouble } from './unreliable-kube.ts'
import type { World } from './world.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Of virtual time: backoffs, soaks, timeouts and the way back and forth all fit in. */
const PATIENCE = 6 * HOUR

/** The faults cease. A good commit must reach every host, a bad one must be stopped, and its revert must reach every host again. */
export async function settle(world: World): Promise<void> {
  await recover(world)
  await expectEverybodyAt(pushToAll(world, { name: 'last', outcome: 'good' }), world)
  const bad = pushToAll(world, { name: 'bad', outcome: world.outcomes.includes('cuts') ? 'cuts' : 'crash' })
  await until(world, 'every pool stops the bad commit', () => statuses(world).every((status) => isStopped(status, bad)))
  await expectEverybodyAt(pushToAll(world, { name: 'last', outcome: 'good' }), world)
}

export function pushToAll(world: World, content: Content): string {
  return world.push(new Map(world.pools.map((pool) => [pool, content])))
}

export async function expectEverybodyAt(commit: string, world: World): Promise<void> {
  await until(world, `every pool completes ${commit.slice(-4)}`, () => statuses(world).every((status) => isDone(status, commit)))
  if (world.broken.length > 0) return
  // A pool completes without nodes that nobody hears of; they follow when they are heard of again.
  const wasSilent = nodesOf(world).some((node) => !isReady(node)) || statuses(world).some(isWithoutSilent)
  if (wasSilent) await until(world, 'nodes that were silent follow', () => lateNodes(commit, world).length === 0)
  const [late] = lateNodes(commit, world)
  if (late !== undefined) throw new Error(late)
}

/** What is wrong with nodes that should be at the commit. */
function lateNodes(commit: string, world: World): string[] {
  return nodesOf(world).flatMap((node) => {
    const desired = desiredOf(node)
    const isAt = isReady(node) && hasEnded(node) && activeDigest(node) === desired?.DIGEST && desired?.REVISION !== undefined
    const version = world.machines.get(node.metadata.name)?.host.services.healthyVersion()
    const { unschedulable } = (node.spec ?? {}) as { readonly unschedulable?: boolean }
    if (unschedulable === true) return `${node.metadata.name} is still cordoned`
    if (isAt && version !== undefined) return []
    return `${node.metadata.name} is not at ${commit.slice(-4)}: ${JSON.stringify(node.metadata.annotations)}`
  })
}

function nodesOf(world: World): KubeObject[] {
  return world.nodes().filter(({ metadata }) => world.machines.has(metadata.name))
}

/** Ends every fault; what faults did to hosts and objects stays. */
async function recover(world: World): Promise<void> {
  world.tell('the faults cease')
  for (const machine of world.machines.values()) {
    Object.assign(machine.trouble, new Trouble())
    machine.host.faults.network = undefined
    if (machine.host.faults.dead) machine.powerOn()
    else machine.startAgent()
  }
  // Who begins then could not tell that the clock of the one before was behind.
  if (!world.hasClocks) world.startControllers()
  await uncordon(world)
  await world.clock.advance(MINUTE)
}

/** People take their own cordons away; those of ours are for the controllers. */
async function uncordon(world: World): Promise<void> {
  for (const name of world.cordonedByPeople) await world.kube.patch(`/api/v1/nodes/${name}`, { spec: { unschedulable: null } })
  world.cordonedByPeople.clear()
}

function statuses(world: World): Partial<NodePoolStatus>[] {
  const used = world.pools.filter(({ name }) => [...world.machines.values()].some((machine) => machine.pool === name))
  return used.map(({ name }) => (world.pool(name)?.status ?? {}) as Partial<NodePoolStatus>)
}

/** It says so itself: one of them may have become Ready since, and is not assigned yet. */
function isWithoutSilent({ nodes }: Partial<NodePoolStatus>): boolean {
  return (nodes?.byPhase?.Unreachable ?? 0) > 0
}

function isDone({ observedRevision, conditions = [] }: Partial<NodePoolStatus>, commit: string): boolean {
  const ready = conditions.find(({ type }) => type === 'Ready')
  return observedRevision === commit && ready?.status === 'True' && ready.reason === 'Completed'
}

function isStopped({ observedRevision, conditions = [] }: Partial<NodePoolStatus>, commit: string): boolean {
  const stalled = conditions.find(({ type }) => type === 'Stalled')
  const reconciling = conditions.find(({ type }) => type === 'Reconciling')
  return observedRevision === commit && stalled?.status === 'True' && reconciling?.status === 'False'
}

/** Looks again and again as time passes. @throws when it is not so in the end, or something did not hold on the way */
export async function until(world: World, what: string, done: () => boolean): Promise<void> {
  for (let waited = 0; !done(); waited += 10_000) {
    if (world.broken.length > 0) return
    if (waited > PATIENCE)
      throw new Error(
        `${what}: not after ${PATIENCE / HOUR} hours; ${JSON.stringify(statuses(world).map((s) => s.conditions?.[0]))}`,
      )
    await world.clock.advance(10_000)
    world.reviveTheDead()
    await world.showNodes()
  }
}
