/** A machine with a disk, that its boot loader starts: what it says is on its console, and its plug can be pulled. */
import { readFileSync } from 'node:fs'
import { link, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cluster } from '../cluster/cluster.ts'
import type { Daemon } from '../cluster/daemon.ts'
import { waitUntil } from '../cluster/wait.ts'
import { type RunOptions, type RunResult, run } from '../exec.ts'
import { bootDisk } from './disk.ts'
import { CONSOLE, DISK, disk, emulator, GUEST_AGENT, SEED } from './emulator.ts'
import { guestAgent } from './guest-agent.ts'
import { WORK, withTools } from './tools.ts'

/** Milliseconds that a start may take where each instruction is emulated, and others work beside. */
export const LONGEST_START = 1_200_000

export interface BootedMachine {
  /** As root; while it is down or starts, it is asked again. */
  exec(command: readonly string[], options?: Pick<RunOptions, 'allowFailure'>): Promise<RunResult>
  output(command: readonly string[]): Promise<string>
  /** Off and on again, at any instruction. */
  powerCycle(): Promise<void>
  /** Everything that it wrote on its console since it was made. */
  console(): string
}

const devices = [
  ...['-netdev', 'user,id=net', '-device', 'virtio-net-pci,netdev=net,romfile='],
  ...['-device', 'virtio-serial-pci', '-chardev', `socket,id=agent,path=${WORK}/${GUEST_AGENT},server=on,wait=off`],
  ...['-device', 'virtserialport,chardev=agent,name=org.qemu.guest_agent.0'],
]

/** @param work directory with the disk of what is put on it */
export async function startMachine(cluster: Cluster, work: string): Promise<BootedMachine> {
  const template = await bootDisk(() => undefined)
  await run('cp', ['--sparse=always', '--reflink=auto', template, join(work, DISK)])
  // Among the logs, which are kept of what fails.
  const log = join(cluster.slot.dir, 'logs', CONSOLE)
  await writeFile(log, '')
  await link(log, join(work, CONSOLE))
  const command = await withTools({ work }, emulator([...disk(SEED), ...devices]))
  const start = () => cluster.daemon({ name: 'booted', command })
  let emulated: Daemon = start()
  const agent = guestAgent(join(work, GUEST_AGENT))
  const exec: BootedMachine['exec'] = async (words, { allowFailure = false } = {}) => {
    const ask = async (): Promise<RunResult | Error> => {
      if (!emulated.isRunning()) return new Error(`the emulator ended: ${emulated.log().slice(-1000)}`)
      return agent.exec(words)
    }
    const result = await waitUntil(ask, { for: `the machine to run "${words[0]}"`, everyMs: 500, timeoutMs: LONGEST_START })
    if (result instanceof Error) throw result
    if (result.code === 0 || allowFailure) return result
    throw new Error(`run "${words.join(' ')}" in the machine: ended with ${result.code}\n${result.stderr || result.stdout}`)
  }
  return {
    exec,
    output: async (words) => (await exec(words)).stdout.trim(),
    async powerCycle() {
      await emulated.kill()
      emulated = start()
    },
    console: () => readFileSync(log, 'latin1'),
  }
}
