/** What a cluster makes on the machine, written down before it is made: a later run can clear up after one that was killed. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ProcessId, parseStat } from './process-id.ts'
import { assertOpen, type Slot } from './slot.ts'

export type Made =
  | { readonly kind: 'mount'; readonly path: string }
  | { readonly kind: 'cgroup'; readonly path: string }
  | { readonly kind: 'link'; readonly name: string }

/** The launcher adds its own line to this file before it becomes the program, so no process is ever missing in it. */
export function processFile(slot: Slot): string {
  return join(slot.dir, 'processes')
}

export function note(slot: Slot, made: Made): void {
  assertOpen(slot)
  appendFileSync(recordFile(slot), `${JSON.stringify(made)}\n`, { flush: true })
}

/** Everything noted, the newest first: that is the order in which it can be undone. */
export function readRecord(slot: Slot): Made[] {
  return lines(recordFile(slot))
    .map((line) => JSON.parse(line) as Made)
    .reverse()
}

export function readProcesses(slot: Slot): ProcessId[] {
  return lines(processFile(slot))
    .map(parseStat)
    .filter((id) => id !== undefined)
    .map(({ pid, startTime }) => ({ pid, startTime }))
}

function recordFile(slot: Slot): string {
  return join(slot.dir, 'record.jsonl')
}

/** A last line that a kill cut in two was written before anything was made: it may be dropped. */
function lines(path: string): string[] {
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8').split('\n').slice(0, -1)
}
