import type { Timers } from './timers.ts'

/** A signal that is aborted by the caller's own signal, or when the time is over with the given error. */
export interface Deadline {
  readonly signal: AbortSignal
  /** The time no longer counts; the caller's signal still does. */
  stopClock(): void
  /** Nothing counts any more; lets go of the caller's signal. */
  release(): void
}

export function startDeadline(options: {
  readonly timers: Timers
  readonly milliseconds: number
  readonly error: () => Error
  readonly signal?: AbortSignal | undefined
}): Deadline {
  const controller = new AbortController()
  const { signal } = options
  const follow = () => controller.abort(signal?.reason)
  const stopClock = options.timers.after(options.milliseconds, () => controller.abort(options.error()))
  if (signal?.aborted) follow()
  signal?.addEventListener('abort', follow)
  return {
    signal: controller.signal,
    stopClock,
    release() {
      stopClock()
      signal?.removeEventListener('abort', follow)
    },
  }
}
