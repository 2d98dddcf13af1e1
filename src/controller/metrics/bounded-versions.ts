import { merged, type Sample } from './sample.ts'

/** Versions at a time; with each, Prometheus keeps a series for every pool. */
const MOST = 30
/** Milliseconds after which a version that no node has any more makes room for another. */
const FORGOTTEN_AFTER = 24 * 60 * 60_000
/** Empty: none was reported. */
const VERSION = /^(\d[\w.+~-]{0,63})?$/
const OTHER = 'other'

/** Nodes write their versions themselves: one that reports another version to each scrape must not make a series of each. */
export class BoundedVersions {
  readonly #seen = new Map<string, number>()

  /** @param now of a monotonic clock. @returns the samples; those of versions that have no room are counted as `other` */
  bound(samples: readonly Sample[], now: number): readonly Sample[] {
    for (const [version, seen] of this.#seen) if (now - seen > FORGOTTEN_AFTER) this.#seen.delete(version)
    for (const version of byFrequency(samples)) {
      const hasRoom = this.#seen.size < MOST && VERSION.test(version)
      if (hasRoom || this.#seen.has(version)) this.#seen.set(version, now)
    }
    return merged(
      samples.map(({ labels, value }) => ({
        labels: { ...labels, version: this.#seen.has(labels.version ?? '') ? (labels.version ?? '') : OTHER },
        value,
      })),
    )
  }
}

/** What many nodes have gets room first. */
function byFrequency(samples: readonly Sample[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const {
    labels: { version = '' },
    value,
  } of samples)
    counts.set(version, (counts.get(version) ?? 0) + value)
  return [...counts].sort(([, one], [, other]) => other - one).map(([version]) => version)
}
