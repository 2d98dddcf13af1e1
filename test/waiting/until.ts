import { inspect } from 'node:util'

/** Shorter than a test's own time-out, which does not say what was waited for. */
const PATIENCE = 45_000
const LONGEST_TEXT = 4_000

export interface Waiting {
  /** What is waited for; it stands in the error. */
  readonly for: string
  /** What was seen last; it stands in the error. */
  readonly last: () => unknown
  /** Milliseconds. Default: 45 s. */
  readonly patience?: number
}

/**
 * The result of `work`, which ends when something else happens.
 * @throws at the deadline, with what was seen last
 */
export async function withDeadline<T>(work: Promise<T>, { for: what, last, patience = PATIENCE }: Waiting): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error(`wait for ${what}: not within ${patience / 1000} s; last seen: ${print(last())}`)),
    patience,
  )
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The first of the values that is wanted.
 * @param open ends what it follows when the signal aborts
 * @throws when there are no more values, and at the deadline, with the value that came last
 */
export async function until<T>(
  open: (signal: AbortSignal) => AsyncIterable<T>,
  { wanted, ...waiting }: Omit<Waiting, 'last'> & { readonly wanted: (value: T) => boolean },
): Promise<T> {
  const ending = new AbortController()
  let seen: T | undefined
  const work = async (): Promise<T> => {
    for await (const value of open(ending.signal)) {
      seen = value
      if (wanted(value)) return value
    }
    throw new Error(`wait for ${waiting.for}: there is nothing more to come; last seen: ${print(seen)}`)
  }
  try {
    return await withDeadline(work(), { ...waiting, last: () => seen })
  } finally {
    ending.abort()
  }
}

function print(value: unknown): string {
  const text = inspect(value, { depth: 8, breakLength: 130, maxStringLength: 600 })
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)} …` : text
}
