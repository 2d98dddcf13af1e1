import { type FollowEvent, type FollowOptions, type KubeApi, KubeError } from '../../../src/kube/kube-api.ts'
import type { VirtualClock } from '../../../src/sim/virtual-clock.ts'
import type { Random } from '../random.ts'

/** What is wrong with one process's way to the API server; changed while it runs. */
export class Trouble {
  /** So many requests are refused as they come. */
  errors = 0
  /** So many are done, and the answer does not arrive. */
  lostAnswers = 0
  /** Counts up when watches break: what they had not told yet is lost, and is listed again. */
  breaks = 0
  /** Milliseconds by which watches are late. */
  late = 0
  /** Watches tell everything twice. */
  twice = false
  /** The process dies before this request of its own, counted from now. */
  deathIn = Number.POSITIVE_INFINITY
  dead = false
  /** Until then nothing comes through, either way; what was sent meanwhile arrives after it. */
  hungUntil = 0
}

interface Way {
  readonly trouble: Trouble
  readonly clock: VirtualClock
  readonly random: Random
}

const NEVER = new Promise<never>(() => {})

/** The same API server, over a bad line, for a process that may die. */
export function unreliableKube(kube: KubeApi, way: Way): KubeApi {
  const over = <A extends readonly unknown[], R>(request: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      await attempt(way)
      const answer = await request(...args)
      if (way.trouble.dead) return NEVER
      if (take(way.trouble, 'lostAnswers')) throw unreachable('the answer is lost')
      return answer
    }
  }
  return {
    get: over(kube.get) as KubeApi['get'],
    create: over(kube.create) as KubeApi['create'],
    replace: over(kube.replace) as KubeApi['replace'],
    patch: over(kube.patch) as KubeApi['patch'],
    delete: over(kube.delete),
    list: over(kube.list) as KubeApi['list'],
    follow: (path, options) => follow(kube, { path, options }, way),
  }
}

async function attempt({ trouble, clock }: Way): Promise<void> {
  trouble.deathIn -= 1
  if (trouble.deathIn < 0) trouble.dead = true
  if (trouble.dead) await NEVER
  if (trouble.hungUntil > clock.elapsed()) await clock.sleep(trouble.hungUntil - clock.elapsed())
  if (trouble.dead) await NEVER
  if (take(trouble, 'errors')) throw unreachable('it is away')
}

function take(trouble: Trouble, what: 'errors' | 'lostAnswers'): boolean {
  if (trouble[what] === 0) return false
  trouble[what] -= 1
  return true
}

/** Goes on after each break with a list, as the real client does. */
async function* follow<T>(
  kube: KubeApi,
  { path, options }: { readonly path: string; readonly options: FollowOptions<T> },
  { trouble, clock, random }: Way,
): AsyncGenerator<FollowEvent<T>> {
  const { signal = new AbortController().signal } = options
  while (!signal.aborted) {
    const connection = new AbortController()
    const { breaks } = trouble
    for await (const event of kube.follow(path, { ...options, signal: AbortSignal.any([signal, connection.signal]) })) {
      if (trouble.late > 0) await clock.sleep(trouble.late, signal)
      if (trouble.hungUntil > clock.elapsed()) await clock.sleep(trouble.hungUntil - clock.elapsed(), signal)
      if (trouble.dead) await NEVER
      if (trouble.breaks !== breaks) break
      yield event
      if (trouble.twice && event.type === 'upsert') yield event
    }
    connection.abort()
    await clock.sleep(200 + random.below(20_000), signal)
  }
}

function unreachable(why: string): KubeError {
  return new KubeError(`reach the API server: ${why}`, { code: 0, reason: 'Unreachable' })
}
