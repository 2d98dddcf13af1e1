/** Take away everything that a cluster made, whoever made it and however that one ended. */
import { existsSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../exec.ts'
import { cgroupProcesses, removeCgroup, thaw } from './cgroups.ts'
import { isRunning, killProcess, processId } from './process-id.ts'
import { readProcesses, readRecord } from './record.ts'
import { closeSlot, isKept, isOrphan, removeSlot, type Slot, slotAt, slotsRoot, sweepSlots } from './slot.ts'
import { tracesOf } from './traces.ts'
import { waitUntil } from './wait.ts'

/**
 * The state is thrown away, so nothing is asked to end politely. The slot goes last: from then on another cluster may claim
 * it, and what is seen there is no longer ours.
 *
 * @throws when something is left of the cluster
 */
export async function teardown(slot: Slot): Promise<void> {
  const record = readRecord(slot)
  const cgroups = record.filter((made) => made.kind === 'cgroup').map((made) => made.path)
  await killAll(slot, cgroups)
  for (const made of record) {
    if (made.kind === 'mount') await unmount(made.path)
    if (made.kind === 'link') await removeLink(made.name)
  }
  for (const path of cgroups) {
    await waitUntil(() => removeCgroup(path), { for: `cgroup ${path} to be empty` })
  }
  await nothingLeft(slot)
  await removeSlot(slot)
}

/** A link goes with the network namespace it led into, which the kernel takes apart in its own time. */
async function nothingLeft(slot: Slot): Promise<void> {
  const isGone = () => {
    const left = tracesOf(slot)
    if (left.length > 0) throw new Error(`left of cluster ${slot.number}: ${left.join('; ')}`)
    return true
  }
  await waitUntil(isGone, { for: 'the cluster to be gone', timeoutMs: 30_000 })
}

/** Tear down while parts of it are still being made: let the commands under way end first, and no further one begin. */
export async function abandon(slot: Slot): Promise<void> {
  closeSlot(slot)
  await sleep(500)
  await teardown(slot)
}

/** Clusters whose owner is gone; those that were kept on purpose only when asked for. Gives what was torn down. */
export async function teardownLeftovers({ kept }: { readonly kept: boolean }): Promise<Slot[]> {
  const names = existsSync(slotsRoot) ? await readdir(slotsRoot) : []
  const left = names.filter((name) => /^\d+$/.test(name)).map((name) => slotAt(Number(name)))
  const orphans = left.filter((slot) => isOrphan(slot) && (kept || !isKept(slot)))
  for (const slot of orphans) await teardown(slot)
  if (names.length > 0) await sweepSlots()
  return orphans
}

/** First the nodes' own first processes: their managers then take away their mounts and links. Then whatever is left. */
async function killAll(slot: Slot, cgroups: readonly string[]): Promise<void> {
  const started = readProcesses(slot).filter(isRunning)
  const managers = started.filter((id) => isNodeManager(id.pid))
  for (const path of cgroups) thaw(path)
  // Those that are no managers include the supervisors, which would boot the nodes again.
  for (const id of started) if (!managers.includes(id)) killProcess(id, 'SIGKILL')
  for (const id of managers) for (const leader of children(id.pid)) killProcess(leader, 'SIGKILL')
  await waitUntil(() => !managers.some(isRunning), { for: 'nodes', timeoutMs: 3000 }).catch(() => undefined)
  const allEnded = () => {
    const left = [...readProcesses(slot), ...cgroups.flatMap(cgroupProcesses).map(processId)]
    const running = left.filter((id) => id !== undefined).filter(isRunning)
    for (const id of running) killProcess(id, 'SIGKILL')
    return running.length === 0
  }
  await waitUntil(allEnded, { for: 'processes of the cluster to end' })
}

function children(pid: number) {
  try {
    const ids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
    return ids.map(processId).filter((id) => id !== undefined)
  } catch {
    return []
  }
}

function isNodeManager(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'systemd-nspawn'
  } catch {
    return false
  }
}

async function unmount(path: string): Promise<void> {
  await waitUntil(
    async () => {
      if (!isMounted(path)) return true
      await run('umount', [path], { allowFailure: true })
      return !isMounted(path)
    },
    { for: `unmount of ${path}` },
  )
}

function isMounted(path: string): boolean {
  return readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${path} `)
}

async function removeLink(name: string): Promise<void> {
  if (existsSync(join('/sys/class/net', name))) await run('ip', ['link', 'del', name])
}
