import { backoff } from './backoff.ts'
import { type FollowEvent, type FollowOptions, KubeError, RESTORED } from './kube-api.ts'
import { currentVersion, list } from './list.ts'
import { unreachable } from './status-error.ts'
import { pause } from './timers.ts'
import { endsBeginning, openWatch, type WatchContext, type WatchEvent } from './watch.ts'

/** A watch that lives shorter, in milliseconds, counts as a failure, whatever it brought: else a sick server is asked without end. */
const PROVEN_AFTER = 5000
/** Milliseconds. A proxy may ask for hours; nobody would see meanwhile what becomes of the fleet. */
const LONGEST_REST = 60_000

/** How far a follower has come; kept from one watch to the next. */
interface Position {
  version: string | undefined
  /** The first watch itself sends the first state. A server that fails at this is asked for a list instead. */
  streams: boolean
  /** The server did not serve us: its etcd may have been restored from a backup meanwhile. */
  isDoubtful: boolean
}

/** One watch, from its opening to its end. */
interface Watch {
  openedAt?: number
  spoke: boolean
}

/** Lists, then watches for ever; `KubeApi.follow` says which failures it survives. */
export async function* follow<T>(context: WatchContext, path: string, options: FollowOptions<T>): AsyncGenerator<FollowEvent<T>> {
  const { signal } = options
  const position: Position = { version: undefined, streams: options.streamed === true, isDoubtful: false }
  let failures = 0
  while (!signal?.aborted) {
    const watch: Watch = { spoke: false }
    let trouble: unknown
    try {
      yield* changesOf(watch, position, { context, path, options })
      options.onEnd?.()
    } catch (error) {
      if (signal?.aborted) return
      // Not by its code alone: what keeps a stream from beginning, a list may yet survive.
      if (position.version === undefined && position.streams) {
        position.streams = false
        continue
      }
      if (!mayPass(error)) throw error
      if (isForgotten(error) || error.reason === RESTORED || (isStalled(error) && !watch.spoke)) position.version = undefined
      position.isDoubtful ||= error.reaction === 'retry'
      trouble = error
      options.onTrouble?.(error)
    }
    failures = failuresAfter(watch, trouble, { failures, now: context.timers.elapsed() })
    await pause(context.timers, waitFor(trouble, failures, context), signal)
  }
}

interface Subject<T> {
  readonly context: WatchContext
  readonly path: string
  readonly options: FollowOptions<T>
}

/** Until the server ends the watch. Without a version it begins with all that there is, by a list or by the watch itself. */
async function* changesOf<T>(
  watch: Watch,
  position: Position,
  { context, path, options }: Subject<T>,
): AsyncGenerator<FollowEvent<T>> {
  if (position.isDoubtful) await requireAsFar(position, { context, path, options })
  position.isDoubtful = false
  if (position.version === undefined) options.onList?.()
  if (position.version === undefined && !position.streams) {
    const { items, resourceVersion } = await list(context.transport, path, options)
    yield { type: 'sync', items, resourceVersion }
    position.version = resourceVersion
  }
  const from = position.version === undefined ? {} : { resourceVersion: position.version }
  const events = await openWatch(context, path, { ...options, ...from })
  watch.openedAt = context.timers.elapsed()
  options.onOpen?.()
  if (position.version === undefined) {
    const { items, resourceVersion } = await beginningOf(events, options)
    yield { type: 'sync', items, resourceVersion }
    position.version = resourceVersion
  }
  for await (const event of events) {
    watch.spoke = true
    position.version = event.object.metadata.resourceVersion ?? position.version
    if (event.type !== 'BOOKMARK') yield changeOf(event, options)
  }
}

/**
 * A server that was restored from a backup counts on from there. To a watch from our version it would say nothing of what has become of the
 * objects, and go on with what changes after it has come so far again.
 */
async function requireAsFar<T>({ version }: Position, { context, path, options }: Subject<T>): Promise<void> {
  if (version === undefined) return
  const current = await currentVersion(context.transport, path, options)
  if (!isOlder(current, version)) return
  const why = `the server counts from ${current}, and was at ${version} before: etcd was restored from a backup`
  throw unreachable(`watch "${path}"`, { reason: RESTORED, why })
}

/** Versions that are no numbers tell nothing. */
function isOlder(version: string, known: string): boolean {
  return /^\d+$/.test(version) && /^\d+$/.test(known) && BigInt(version) < BigInt(known)
}

/** A watch that lived long enough makes up for the failures before it. */
function failuresAfter(
  { openedAt }: Watch,
  trouble: unknown,
  { failures, now }: { readonly failures: number; readonly now: number },
): number {
  const proven = openedAt !== undefined && now - openedAt >= PROVEN_AFTER
  if (!proven) return failures + 1
  return trouble ? 1 : 0
}

/** Takes the events up to the bookmark that ends the beginning: a server whose cache is behind sends changes and deletions before that, too. */
async function beginningOf<T>(
  events: AsyncIterator<WatchEvent>,
  { project }: FollowOptions<T>,
): Promise<{ readonly items: T[]; readonly resourceVersion: string }> {
  const items = new Map<string, T>()
  for (;;) {
    const { done, value: event } = await events.next()
    if (done) throw unreachable('watch', { why: 'it ended before it had told what is there' })
    const { name, namespace, resourceVersion = '' } = event.object.metadata
    if (endsBeginning(event)) return { items: [...items.values()], resourceVersion }
    if (event.type === 'DELETED') items.delete(`${namespace}/${name}`)
    else if (event.type !== 'BOOKMARK') items.set(`${namespace}/${name}`, project(event.object))
  }
}

function changeOf<T>({ type, object }: WatchEvent, { project }: FollowOptions<T>): FollowEvent<T> {
  if (type !== 'DELETED') return { type: 'upsert', item: project(object) }
  const { name, namespace = '', resourceVersion } = object.metadata
  return { type: 'delete', name, namespace, ...(resourceVersion !== undefined && { resourceVersion }) }
}

function mayPass(error: unknown): error is KubeError {
  return error instanceof KubeError && error.reaction !== 'refuse'
}

/** Our version is too old for the server (410), or, after it was restored from a backup, too new (504). */
function isForgotten(error: KubeError): boolean {
  return error.code === 410 || error.code === 504
}

/** Nor did it send a bookmark: what changes may never arrive. */
function isStalled(error: KubeError): boolean {
  return error.reason === 'Stalled'
}

/** Milliseconds. A first 410, and the regular end of a watch, need no wait. */
function waitFor(trouble: unknown, failures: number, { random }: WatchContext): number {
  if (failures === 0) return 0
  const gone = trouble instanceof KubeError && trouble.code === 410
  if (gone && failures === 1) return 0
  const asked = trouble instanceof KubeError ? (trouble.retryAfter ?? 0) * 1000 : 0
  return Math.max(Math.min(asked, LONGEST_REST), backoff(failures, random))
}
