/** A place on the machine for one cluster: a directory, a bridge, a range of addresses and ports of its own. */
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheRoot } from '../build/cache.ts'
import { isRunning, type ProcessId, processId } from './process-id.ts'

const highest = 60

/** Where clusters keep their state while they live. */
export const slotsRoot = join(cacheRoot, 'run')

export interface Slot {
  readonly number: number
  readonly dir: string
  readonly bridge: string
  /** First three numbers of the bridge's /24. */
  readonly network: string
  /** The machine's own address on the bridge. */
  readonly host: string
  readonly ports: Readonly<Record<'etcd' | 'etcdPeer' | 'controllerManager' | 'scheduler' | 'apiserver', number>>
}

export function slotAt(number: number): Slot {
  const base = 20_000 + number * 20
  return {
    number,
    dir: join(slotsRoot, String(number)),
    bridge: `nwe2e${number}`,
    network: `10.197.${number}`,
    host: `10.197.${number}.1`,
    ports: { etcd: base, etcdPeer: base + 1, controllerManager: base + 2, scheduler: base + 3, apiserver: base + 4 },
  }
}

/** Take the first free slot. The owner is written before the slot has its name, so nobody sees one without an owner. */
export async function claimSlot(): Promise<Slot> {
  await mkdir(slotsRoot, { recursive: true })
  const draft = await mkdtemp(join(slotsRoot, '.claim-'))
  await writeFile(join(draft, 'owner.json'), JSON.stringify(processId(process.pid)))
  for (let number = 1; number <= highest; number++) {
    const slot = slotAt(number)
    if (existsSync(slot.dir) || existsSync(`/sys/class/net/${slot.bridge}`)) continue
    try {
      await rename(draft, slot.dir)
      claimed.set(number, slot)
      closed.delete(number)
      return slot
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
  await rm(draft, { recursive: true })
  throw new Error(`claim a slot: all ${highest} are taken, see ${slotsRoot}`)
}

const claimed = new Map<number, Slot>()

/** Those that this process claimed and that still live. */
export function ownSlots(): Slot[] {
  return [...claimed.values()].filter((slot) => existsSync(slot.dir) && !isKept(slot))
}

const closed = new Set<number>()

/** From now on nothing more may be made in it: whoever is still at work fails instead of adding to what is being taken down. */
export function closeSlot(slot: Slot): void {
  closed.add(slot.number)
}

export function assertOpen(slot: Slot): void {
  if (closed.has(slot.number)) throw new Error(`cluster ${slot.number} is being torn down`)
}

/** Nobody works with it any more. One that its owner takes away at this moment is no orphan. */
export function isOrphan({ dir }: Slot): boolean {
  try {
    const owner: ProcessId = JSON.parse(readFileSync(join(dir, 'owner.json'), 'utf8'))
    return !isRunning(owner)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return false
  }
}

const REMOVED = '.removed-'

/** All at once, so that nobody ever finds a slot of which half is gone. Whoever interrupts a run may have been first. */
export async function removeSlot({ dir, number }: Slot): Promise<void> {
  if (!existsSync(dir)) return
  const removed = join(slotsRoot, `${REMOVED}${number}-${process.pid}`)
  await rename(dir, removed)
  await rm(removed, { recursive: true, force: true })
}

/** Ends what processes that are gone had begun to remove. */
export async function sweepSlots(): Promise<void> {
  const removed = (await readdir(slotsRoot)).filter((name) => name.startsWith(REMOVED))
  const left = removed.filter((name) => !existsSync(`/proc/${name.split('-').at(-1)}`))
  for (const name of left) await rm(join(slotsRoot, name), { recursive: true, force: true })
}

/** A kept cluster outlives its owner, until someone asks for its end. */
export function isKept(slot: Slot): boolean {
  return existsSync(join(slot.dir, 'kept'))
}

export async function keep(slot: Slot): Promise<void> {
  await writeFile(join(slot.dir, 'kept'), '')
}
