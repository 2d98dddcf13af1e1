import { setTimeout as sleep } from 'node:timers/promises'
import { readdir, readFile, rm } from '../../kube/file-calls.ts'
import { monotonic } from '../../kube/timers.ts'
import type { InstallHost } from '../install/install-host.ts'
import { CONTACT } from '../paths.ts'
import type { HostFiles, ServiceManager } from '../ports.ts'
import { parseContact } from '../state/contact.ts'
import { orMissing } from './or-missing.ts'
import { procProcesses } from './proc-processes.ts'

/** The machine that this process runs on. */
export function realInstallHost(files: HostFiles, services: ServiceManager, say: (line: string) => void): InstallHost {
  const read = async (path: string): Promise<string | undefined> => {
    const bytes = await files.read(path)
    return bytes === undefined ? undefined : Buffer.from(bytes).toString()
  }
  return {
    services,
    say,
    read,
    readLink: (path) => files.readLink(path).catch(() => undefined),
    setLink: (path, target) => files.link(path, target),
    write: (path, text) => files.writeAtomic(path, Buffer.from(text), { mode: 0o644 }),
    remove: (path) => rm(path, { recursive: true, force: true }),
    list: async (path) => (await orMissing(readdir(path))) ?? [],
    contact: async () => {
      const found = parseContact(await orMissing(readFile(CONTACT, 'utf8')))
      return found !== undefined && (await procProcesses.isRunning({ ...found, boot: await bootId() })) ? found : undefined
    },
    askToLeave,
    clock: { now: Date.now, elapsed: monotonic, sleep: (milliseconds) => sleep(milliseconds) },
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
