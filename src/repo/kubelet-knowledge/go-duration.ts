const MILLISECONDS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** A duration as Go writes it: `1m30s`, `-5ms`, `0`. */
export const GO_DURATION = /^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+)$/

/** @returns milliseconds; undefined when it is none. */
export function readGoDuration(text: string): number | undefined {
  if (!GO_DURATION.test(text)) return undefined
  let total = 0
  for (const [, count, unit = ''] of text.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)/g))
    total += Number(count) * (MILLISECONDS[unit] ?? 0)
  return text.startsWith('-') ? -total : total
}
