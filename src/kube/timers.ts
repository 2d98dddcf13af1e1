/** Time as the client needs it; tests move it by hand. */
export interface Timers {
  /** Monotonic milliseconds: what durations are measured with. */
  elapsed(): number
  /** Calls once after so many milliseconds, unless the returned function is called before. */
  after(milliseconds: number, call: () => void): () => void
}

/** Milliseconds. `performance.now()` would bring eight modules of Node along, and each agent would carry them. */
export function monotonic(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

export const systemTimers: Timers = {
  elapsed: monotonic,
  after(milliseconds, call) {
    const handle = setTimeout(call, milliseconds)
    return () => clearTimeout(handle)
  },
}

/** Resolves after the time, or as soon as the signal is aborted: whoever waits looks at the signal next. */
export function pause(timers: Timers, milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      cancel()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const cancel = timers.after(milliseconds, end)
    signal?.addEventListener('abort', end)
  })
}
