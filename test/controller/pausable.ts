import type { Clock } from '../../src/controller/clock/clock.ts'
import type { KubeApi } from '../../src/kube/kube-api.ts'
import type { VirtualClock } from '../../src/sim/virtual-clock.ts'

/** Whether a process stands still, as by SIGSTOP: nothing reaches it, and nothing it does reaches anybody, until it goes on. */
export class Pause {
  #ended: PromiseWithResolvers<void> | undefined
  #writesLeft = Number.POSITIVE_INFINITY
  /** How many writes it has begun, though they may not be out yet. */
  tried = 0

  begin(): void {
    this.#ended ??= Promise.withResolvers()
  }

  /** It stands still when so many more writes were sent: the next one is on its way out, past all checks. */
  beginAfterWrites(count: number): void {
    this.#writesLeft = count
  }

  end(): void {
    this.#writesLeft = Number.POSITIVE_INFINITY
    this.#ended?.resolve()
    this.#ended = undefined
  }

  get lasts(): boolean {
    return this.#ended !== undefined
  }

  async over(): Promise<void> {
    while (this.#ended) await this.#ended.promise
  }

  tries(): void {
    this.tried += 1
    if (this.#writesLeft === 0) this.begin()
    this.#writesLeft -= 1
  }
}

const READS = ['GET', 'LIST']

/** Requests of a process that may stand still; each is noted, watches are not. */
export function pausableKube(
  kube: KubeApi,
  { pause, requests }: { readonly pause: Pause; readonly requests: string[] },
): KubeApi {
  const over = <A extends readonly [string, ...unknown[]], R>(verb: string, request: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      if (!READS.includes(verb) && !args[0].includes('/leases/')) pause.tries()
      await pause.over()
      requests.push(`${verb} ${args[0]}`)
      try {
        return await request(...args)
      } finally {
        await pause.over()
      }
    }
  }
  return {
    get: over('GET', kube.get) as KubeApi['get'],
    create: over('POST', kube.create) as KubeApi['create'],
    replace: over('PUT', kube.replace) as KubeApi['replace'],
    patch: over('PATCH', kube.patch) as KubeApi['patch'],
    delete: over('DELETE', kube.delete),
    list: over('LIST', kube.list) as KubeApi['list'],
    async *follow(path, options) {
      for await (const event of kube.follow(path, options)) {
        await pause.over()
        yield event
      }
    },
  }
}

/** Durations are those of everybody; the wall clock is off by `skew` milliseconds. */
export function pausableClock(clock: VirtualClock, { pause, skew }: { readonly pause: Pause; readonly skew: number }): Clock {
  return {
    now: () => clock.now() + skew,
    elapsed: () => clock.elapsed(),
    async sleepUntil(at, signal) {
      await clock.sleep(at - skew - clock.now(), signal)
      await pause.over()
    },
  }
}
