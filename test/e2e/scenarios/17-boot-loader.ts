/** A machine that grub starts: kernel arguments come and go by reboots, and one with which it does not start goes by itself. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { FORMER_ENTRY, FORMER_MARK } from '../../../src/agent/resources/grub-menu.ts'
import { bootDisk } from '../booted/disk.ts'
import { hasVirtualization } from '../booted/emulator.ts'
import { type BootedMachine, LONGEST_START, startMachine } from '../booted/machine.ts'
import { plantSeed, writeSeed } from '../booted/seed.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { waitUntil } from '../cluster/wait.ts'
import { completed, rolledBack, stallOf, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'boot-loader', nodes: [], onRequest: true, run: bootLoader }]

const name = 'grub1'
const fleet = { rollout: { drain: { mode: 'Auto' }, onFailure: 'Rollback', applyTimeout: '30m' } }
const MENU = '/boot/grub/grub.cfg'
/** Shown by the kernel where it counts. */
const ARGUMENT = 'transparent_hugepage=never'
/** Its initial file system does not find the disk, and waits for somebody at its console. */
const DEADLY = 'module_blacklist=virtio_blk'

interface World {
  readonly cluster: Cluster
  readonly machine: BootedMachine
  readonly product: Product
}

async function bootLoader(cluster: Cluster, { part, say }: Report): Promise<void> {
  if (!hasVirtualization()) say('no virtualization by the processor: each instruction of the machine is emulated')
  await part('disk on which grub is installed', () => bootDisk(say))
  const product = await productOn(cluster, { agents: false })
  const adoption = await product.push(fleet, 'as it is')
  const machine = await part('started by grub', () => newMachine(cluster))
  const world = { cluster, machine, product }
  await part('the node is Ready, and adopted', () => settled(world, adoption))
  // The disk was made without the translations of grub, which its menu reads since: it is to be what this machine writes.
  await machine.exec(['update-grub'])
  const before = await machine.output(['cat', MENU])
  await part('a kernel argument → it counts after one boot', () => comes(world))
  await part('an argument with which the machine does not come up → as before, when it is switched off and on', () =>
    goesBack(world),
  )
  await part('the argument is taken out → gone after one boot', () => goes(world))
  const after = await machine.output(['cat', MENU])
  check('the menu is as before', after === before, after)
}

async function newMachine(cluster: Cluster): Promise<BootedMachine> {
  const work = join(cluster.slot.dir, 'booted')
  await mkdir(work)
  await writeSeed(cluster, name, work)
  const machine = await startMachine(cluster, work)
  await plantSeed(machine, name)
  return machine
}

async function comes(world: World): Promise<void> {
  const before = bootsOf(world)
  await settled(world, await world.product.push({ ...fleet, host: { kernelArguments: [ARGUMENT] } }, 'an argument'))
  const [first = '', ...others] = bootsOf(world).slice(before.length)
  check('the machine was started once, with the argument', others.length === 0 && first.endsWith(` ${ARGUMENT}`), [
    first,
    ...others,
  ])
  await runsWith(world, '[never]')
  await nothingIsTried(world)
}

async function goesBack(world: World): Promise<void> {
  const { cluster, product, machine } = world
  const before = bootsOf(world)
  const bad = await product.push({ ...fleet, host: { kernelArguments: [ARGUMENT, DEADLY] } }, 'an argument too many')
  const stuck = () => machine.console().includes('Dropping to a shell!')
  await waitUntil(stuck, { for: 'the machine to stop on its way up', timeoutMs: LONGEST_START })
  await machine.powerCycle()
  const status = await waitPool(cluster, { for: 'the failure', when: rolledBack(bad), timeoutMs: LONGEST_START })
  check('the pool says why', stallOf(status).includes('the machine did not come up with the change'), stallOf(status))
  const [bad1 = '', former = '', last = '', ...others] = bootsOf(world).slice(before.length)
  const seen = [bad1, former, last, ...others]
  check('it was started with the argument once', others.length === 0 && bad1.endsWith(` ${DEADLY}`), seen)
  check('then by the entry of before', former.endsWith(` ${ARGUMENT} ${FORMER_MARK}`), seen)
  check('and once more, as before', last === before.at(-1), seen)
  await runsWith(world, '[never]')
  await nothingIsTried(world)
}

async function goes(world: World): Promise<void> {
  const before = bootsOf(world)
  await settled(world, await world.product.push(fleet, 'no argument'))
  const [first = '', ...others] = bootsOf(world).slice(before.length)
  check('the machine was started once, without the argument', others.length === 0 && first === before[0], [first, ...others])
  await runsWith(world, '[always]')
  await nothingIsTried(world)
}

/** Every start of the machine, by the arguments of its kernel. */
function bootsOf({ machine }: World): readonly string[] {
  return [...machine.console().matchAll(/\] Kernel command line: (.*?)\s*$/gm)].map(([, words = '']) => words)
}

async function runsWith({ machine }: World, hugePages: string): Promise<void> {
  const found = await machine.output(['cat', '/sys/kernel/mm/transparent_hugepage/enabled'])
  check('the kernel runs as its arguments say', found.includes(hugePages), found)
}

async function nothingIsTried({ machine }: World): Promise<void> {
  const menu = await machine.output(['cat', MENU])
  check('the menu has no entry of before', !menu.includes(FORMER_ENTRY), menu)
  const environment = await machine.output(['grub-editenv', 'list'])
  check('the next start is no other', !environment.includes('next_entry='), environment)
}

async function settled({ cluster }: World, commit: string): Promise<void> {
  await waitPool(cluster, { for: `Ready at ${commit}`, when: completed(commit), timeoutMs: LONGEST_START })
}
