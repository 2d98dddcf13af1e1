import { constants } from 'node:fs'
import { open, stat } from '../../../kube/file-calls.ts'
import { orMissing } from '../or-missing.ts'

/** Bytes that are read of a log at most, and lines that are given. */
const MOST_BYTES = 64 * 1024
const MOST_LINES = 200
/** As svlogd writes it before each line: TAI64N, or a date and time. */
const STAMP = /^(?:@[0-9a-f]{24}|\d{4}-\d{2}-\d{2}[_T]\d{2}:\d{2}:\d{2}\.\d+) /

/** The last lines of files that services write. Files have no times of their lines: where a start began is remembered. */
export class ServiceLogs {
  readonly #starts = new Map<string, { readonly at: number; readonly sizes: ReadonlyMap<string, number> }>()

  /** What follows from now on, is of a start at this instant. */
  async mark(service: string, { at, files }: { readonly at: number; readonly files: readonly string[] }): Promise<void> {
    const sizes = new Map<string, number>()
    for (const file of files) sizes.set(file, (await orMissing(stat(file)))?.size ?? 0)
    this.#starts.set(service, { at, sizes })
  }

  /** @returns the last lines since an instant, oldest first; of the first of the files that has any */
  async last(
    service: string,
    { since, files }: { readonly since: number; readonly files: readonly string[] },
  ): Promise<string[]> {
    const start = this.#starts.get(service)
    for (const file of files) {
      const found = await orMissing(stat(file))
      if (found === undefined || found.mtimeMs < since) continue
      const from = start !== undefined && start.at >= since ? (start.sizes.get(file) ?? 0) : 0
      // A log that is shorter than it was has been rotated.
      const lines = await this.#read(file, { from: from > found.size ? 0 : from, size: found.size })
      if (lines.length > 0) return lines
    }
    return []
  }

  async #read(file: string, { from, size }: { readonly from: number; readonly size: number }): Promise<string[]> {
    const start = Math.max(from, size - MOST_BYTES)
    const bytes = Buffer.alloc(Math.max(0, size - start))
    await using log = await open(file, constants.O_RDONLY)
    const { bytesRead } = await log.read(bytes, 0, bytes.length, start)
    const text = bytes.subarray(0, bytesRead).toString()
    const whole = start > from ? text.slice(text.indexOf('\n') + 1) : text
    const lines = whole.split('\n').map((line) => line.replace(STAMP, ''))
    return lines.filter((line) => line !== '').slice(-MOST_LINES)
  }
}
