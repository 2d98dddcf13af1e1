/** A machine that grub starts: a kernel argument is tried once, counts after one boot, and is what the machine starts with from then on. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { FORMER_ENTRY } from '../../../src/agent/resources/grub-menu.ts'
import { bootDisk } from '../booted/disk.ts'
import { hasVirtualization } from '../booted/emulator.ts'
import { type BootedMachine, LONGEST_START, startMachine } from '../booted/machine.ts'
import { plantSeed, writeSeed } from '../booted/seed.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { completed, waitPool } from '../product/pool.ts'
import { type Product, productOn } from '../product/product.ts'
import { check, type Report, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [{ name: 'boot-loader', nodes: [], onRequest: true, run: bootLoader }]

const name = 'grub1'
const fleet = { rollout: { drain: { mode: 'Auto' }, onFailure: 'Rollback', applyTimeout: '30m' } }
const MENU = '/boot/grub/grub.cfg'
/** Shown by the kernel where it counts. */
const ARGUMENT = 'transparent_hugepage=never'

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
  await part('a kernel argument → it counts after one boot', () => comes(world))
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
