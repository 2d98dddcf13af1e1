import type { Downloads } from '../ports.ts'

/** Two that want one file on the host take turns: a fix and a way back often name the same binary. The second finds it there. */
export function shareDownloads(downloads: Downloads): Downloads {
  const underway = new Map<string, Promise<void>>()
  return {
    fetch: async (artifact, to, options) => {
      for (let other = underway.get(to); other !== undefined; other = underway.get(to)) {
        await Promise.race([other, aborted(options.signal)])
        options.signal?.throwIfAborted()
      }
      const work = downloads.fetch(artifact, to, options)
      const ended = work.catch(() => {}).then(() => void underway.delete(to))
      underway.set(to, ended)
      await work
    },
  }
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))
}
