import { join } from 'node:path'
import { readFile } from '../../../kube/file-calls.ts'
import { orMissing } from '../or-missing.ts'
import { startedIn } from '../proc-processes.ts'

/** A process that runs. */
export interface RunningProcess {
  readonly pid: number
  /** Clock ticks from the boot to its start: with the process id they name it. */
  readonly started: string
  /** Milliseconds, whatever happened to the wall clock since. */
  readonly runningFor: number
}

/** Linux counts the times of processes in hundredths of a second, on every machine. */
const TICK = 10

/** What /proc shows of the processes of services, whatever their manager says of them. */
export class ServiceProcesses {
  readonly #proc: string
  readonly #seen = new Map<string, { readonly process: string | undefined; readonly restarts: number }>()

  constructor(root = '/') {
    this.#proc = join(root, 'proc')
  }

  /** @returns undefined when none of these process ids is that of a process that runs */
  async find(pids: readonly number[]): Promise<RunningProcess | undefined> {
    for (const pid of pids) {
      const stat = await orMissing(readFile(`${this.#proc}/${pid}/stat`, 'utf8')).catch(endedMeanwhile)
      const started = stat === undefined ? '' : startedIn(stat)
      if (started !== '') return { pid, started, runningFor: await this.#since(Number(started) * TICK) }
    }
    return undefined
  }

  /** How often another process took the place of a service's, as far as somebody looked. */
  restarts(service: string, process: RunningProcess | undefined): number {
    const before = this.#seen.get(service)
    if (process === undefined) return before?.restarts ?? 0
    const name = `${process.pid}/${process.started}`
    const isOther = before?.process !== undefined && before.process !== name
    const restarts = (before?.restarts ?? 0) + (isOther ? 1 : 0)
    this.#seen.set(service, { process: name, restarts })
    return restarts
  }

  /** The agent starts it: the next process is none that came by itself. */
  startedByUs(service: string): void {
    this.#seen.set(service, { process: undefined, restarts: 0 })
  }

  async #since(milliseconds: number): Promise<number> {
    const [uptime = '0'] = (await readFile(`${this.#proc}/uptime`, 'utf8')).split(' ')
    return Math.max(0, Math.round(Number(uptime) * 1000) - milliseconds)
  }
}

/** It ended between the opening of the file and its reading. */
function endedMeanwhile(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ESRCH') return undefined
  throw error
}
