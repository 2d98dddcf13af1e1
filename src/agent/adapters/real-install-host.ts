import { setTimeout as sleep } from 'node:timers/promises'
import { readFile } from '../../kube/file-calls.ts'
import { monotonic } from '../../kube/timers.ts'
import type { InstallHost } from '../install/install-host.ts'
import { CONTACT } from '../paths.ts'
import { parseContact } from '../state/contact.ts'
import type { HostTree } from './host-tree.ts'
import { renameDurably } from './names-on-disk.ts'
import { nodeFiles } from './node-files.ts'
import { orMissing } from './or-missing.ts'
import { procProcesses } from './proc-processes.ts'
import { removeTree } from './remove-tree.ts'
import { stoppedServices } from './stopped-services.ts'

interface HostOptions {
  readonly say: (line: string) => void
  /** Undefined: the host does not run. */
  readonly services?: InstallHost['services'] | undefined
}

/** The machine that this process runs on, or one that does not run and whose file system the tree has. */
export function realInstallHost(tree: HostTree, { say, services }: HostOptions): InstallHost {
  const files = nodeFiles(tree)
  const read = async (path: string): Promise<string | undefined> => {
    const bytes = await files.read(path)
    return bytes === undefined ? undefined : Buffer.from(bytes).toString()
  }
  return {
    services: services ?? stoppedServices(files),
    say,
    read,
    readLink: (path) => files.readLink(path).catch(() => undefined),
    setLink: (path, target) => files.link(path, target),
    write: (path, text) => files.writeAtomic(path, Buffer.from(text), { mode: 0o644 }),
    remove: async (path) => {
      using place = tree.find(path)
      if (place !== undefined) await removeTree(place)
    },
    rename: async (path, name) => {
      using place = tree.find(path)
      return place === undefined || (await orUnable(renameDurably(place, name)))
    },
    list: files.list,
    contact: async () => {
      if (services === undefined) return undefined
      const found = parseContact(await orMissing(readFile(CONTACT, 'utf8')))
      return found !== undefined && (await procProcesses.isRunning({ ...found, boot: await bootId() })) ? found : undefined
    },
    askToLeave,
    clock: { now: Date.now, elapsed: monotonic, sleep: (milliseconds) => sleep(milliseconds) },
  }
}

/** As a layer of an image over the one that has the directory. */
async function orUnable(renaming: Promise<void>): Promise<boolean> {
  try {
    await orMissing(renaming)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    return false
  }
}

async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
}

/** It may have ended by now. */
function askToLeave(pid: number): void {
  try {
    process.kill(pid, 'SIGUSR2')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
