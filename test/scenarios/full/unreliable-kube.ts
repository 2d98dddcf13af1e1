import { type FollowEvent, type FollowOptions, type KubeApi, KubeError, RESTORED } from '../../../src/kube/kube-api.ts'
import type { VirtualClock } from '../../../src/sim/virtual-clock.ts'
import type { Random } from '../random.ts'
import { LateWatches } from './late-watches.ts'

/** What is wrong with one process's way to the API server; changed while it runs. */
export class Trouble {
  /** So many requests are refused as they come. */
  errors = 0
  /** So many are done, and the answer does not arrive. */
  lostAnswers = 0
  /** Counts up when watches break: what they had not told yet is lost, and is listed again. */
  breaks = 0
  /** Counts up when etcd is restored from a backup: watches break, and what is listed then is older than what they told. */
  restores = 0
  /** Milliseconds by which watches are late. */
  late = 0
  /** Watches tell everything twice. */
  twice = false
  /** The process dies before this request of its own, counted from now. */
  deathIn = Number.POSITIVE_INFINITY
  dead = false
  /** Until then nothing comes through, either way; what was sent meanwhile arrives after it. */
  hungUntil = 0
  readonly lateWatches = new LateWatches()
  /** Until then patches are on their way; then they arrive in their order, whatever became of who sent them. */
  patchesLateUntil = 0
  /** How many requests were answered with an error that asking once more does not change, since somebody counted. */
  futile = 0
  /** Until then answers are on their way: what was asked for is done at once. */
  answersLateUntil = 0
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
      const answer = await answered(request(...args), way).catch((error) => rethrow(error, way.trouble))
      if (way.trouble.dead) return NEVER
      if (take(way.trouble, 'lostAnswers')) throw unreachable('the answer is lost')
      return answer
    }
  }
  return {
    get: over(kube.get) as KubeApi['get'],
    create: over(kube.create) as KubeApi['create'],
    replace: over(kube.replace) as KubeApi['replace'],
    patch: over((...args) => patchLate(kube, args, way)) as KubeApi['patch'],
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

function rethrow(error: unknown, trouble: Trouble): never {
  if (error instanceof KubeError && FUTILE.has(error.code)) trouble.futile += 1
  throw error
}

/** What is asked for is not there, or not as it was; asked for again without being read, it is the same. */
const FUTILE = new Set([404, 409])

/** Milliseconds after which a client gives up a request; what it asked for may be done all the same. */
const PATIENCE = 30_000

async function answered<T>(answer: Promise<T>, { trouble, clock }: Way): Promise<T> {
  const { answersLateUntil: until } = trouble
  return until > clock.elapsed()
    ? patiently(
        answer.finally(() => clock.sleep(until - clock.elapsed())),
        clock,
      )
    : answer
}

/** Those that wait arrive in their order: the clock wakes who waits for the same instant in the order in which they came. */
async function patchLate(kube: KubeApi, args: Parameters<KubeApi['patch']>, { trouble, clock }: Way): Promise<unknown> {
  const { patchesLateUntil: until } = trouble
  if (until <= clock.elapsed()) return kube.patch(...args)
  return patiently(
    clock.sleep(until - clock.elapsed()).then(() => kube.patch(...args)),
    clock,
  )
}

/** What comes of it later is heard by nobody. */
export async function patiently<T>(answer: Promise<T>, clock: VirtualClock): Promise<T> {
  const ended = new AbortController()
  const gaveUp = clock.sleep(PATIENCE, ended.signal).then(() => {
    throw unreachable('no answer in time')
  })
  gaveUp.catch(() => undefined)
  answer.catch(() => undefined)
  return Promise.race([answer, gaveUp]).finally(() => ended.abort())
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
  way: Way,
): AsyncGenerator<FollowEvent<T>> {
  const { trouble, clock, random } = way
  const { signal = new AbortController().signal } = options
  while (!signal.aborted) {
    const connection = new AbortController()
    const { breaks, restores } = trouble
    for await (const event of kube.follow(path, { ...options, signal: AbortSignal.any([signal, connection.signal]) })) {
      await untilItArrives(path, way, signal)
      if (trouble.breaks !== breaks || trouble.restores !== restores) break
      yield event
      if (trouble.twice && event.type === 'upsert') yield event
    }
    connection.abort()
    if (!signal.aborted) options.onTrouble?.(trouble.restores === restores ? unreachable('it broke off') : restored())
    await clock.sleep(200 + random.below(20_000), signal)
  }
}

async function untilItArrives(path: string, { trouble, clock }: Way, signal: AbortSignal): Promise<void> {
  const heldFor = (): number => trouble.lateWatches.heldFor(resourceOf(path), clock.elapsed())
  while (heldFor() > 0 && !signal.aborted) await clock.sleep(heldFor(), signal)
  if (trouble.late > 0) await clock.sleep(trouble.late, signal)
  if (trouble.hungUntil > clock.elapsed()) await clock.sleep(trouble.hungUntil - clock.elapsed(), signal)
  if (trouble.dead) await NEVER
}

/** The last word of the path of a collection. */
function resourceOf(path: string): string {
  return new URL(path, 'http://server').pathname.split('/').at(-1) ?? ''
}

function restored(): KubeError {
  return new KubeError('etcd was restored from a backup', { code: 0, reason: RESTORED })
}

function unreachable(why: string): KubeError {
  return new KubeError(`reach the API server: ${why}`, { code: 0, reason: 'Unreachable' })
}
