import type { Clock, Downloads } from '../../agent/ports.ts'
import { sha256Of } from '../../agent/sha256.ts'
import type { Faults } from './faults.ts'
import type { MemoryFiles } from './memory-files.ts'

/** Hands out what a release server would. A file that is there already and matches is not fetched again. */
export function simulatedDownloads(options: {
  readonly files: MemoryFiles
  readonly clock: Clock
  readonly faults: Faults
  readonly artifacts: ReadonlyMap<string, Uint8Array>
  /** Milliseconds a download takes. */
  readonly duration: number
}): Downloads {
  const { files, clock, faults, artifacts, duration } = options
  return {
    fetch: async ({ url, sha256 }, to, { maxBytes, mode = 0o644, signal }) => {
      if ((await files.sha256(to)) === sha256) return
      if (faults.network === 'lost') throw new Error(`download "${url}": connect ETIMEDOUT`)
      await clock.sleep(duration, signal)
      signal?.throwIfAborted()
      const bytes = artifacts.get(url)
      if (bytes === undefined) throw new Error(`download "${url}": HTTP 404`)
      if (bytes.length > maxBytes) throw new Error(`download "${url}": more than ${maxBytes} bytes`)
      const found = sha256Of(bytes)
      if (found !== sha256) throw new Error(`download "${url}": sha256 is ${found}, expected ${sha256}`)
      files.put(to, bytes, { mode })
    },
  }
}
