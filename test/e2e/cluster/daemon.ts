/** A program that runs beside a cluster for a while, such as the controller: it can be ended at any instruction and started again. */
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { launch } from './launch.ts'
import { isRunning, killProcess } from './process-id.ts'
import type { Slot } from './slot.ts'
import { waitUntil } from './wait.ts'

export interface Daemon {
  readonly pid: number
  isRunning(): boolean
  /** Sends it and waits for nothing. */
  signal(signal: NodeJS.Signals): void
  /** SIGKILL unless told otherwise; resolves when it has ended. */
  kill(signal?: NodeJS.Signals): Promise<void>
  /** Everything that it wrote. */
  log(): string
}

export interface DaemonOptions {
  /** Of its log; a program that is started again goes on writing the same one. */
  readonly name: string
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export function startDaemon(slot: Slot, { name, command, env = {} }: DaemonOptions): Daemon {
  const log = join(slot.dir, 'logs', `${name}.log`)
  mkdirSync(join(slot.dir, 'logs'), { recursive: true })
  const written = existsSync(log) ? statSync(log).size : 0
  const id = launch(slot, command, { log, env })
  return {
    pid: id.pid,
    isRunning: () => isRunning(id),
    log: () => readFileSync(log).subarray(written).toString(),
    signal: (signal) => killProcess(id, signal),
    async kill(signal = 'SIGKILL') {
      killProcess(id, signal)
      await waitUntil(() => !isRunning(id), { for: `${name} to end` })
    },
  }
}
